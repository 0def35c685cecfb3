/**
 * Settings that other tools' files already have, and what they mean here. docs/configuration.md prints this table.
 *
 * Only the checkpoint section of such a file is ours to judge: the rest of it is never looked at.
 */
import { FOREIGN_FILES } from "./config-places.ts";
import {
  isNothing,
  LayerDraft,
  plain,
  shown,
  type ConfigLayer,
  type RawNode,
} from "./config-check.ts";
import { KEYS, keyAt, SHORTHANDS, type Key } from "./config-keys.ts";
import { nearestName } from "./nearest-name.ts";

type Effect =
  /** The same setting under another name. */
  | { readonly kind: "same"; readonly as: string }
  /** False: nothing is taken without being asked. True changes nothing. */
  | { readonly kind: "master_switch" }
  /** Has no meaning here; why. */
  | { readonly kind: "no_effect"; readonly why: string };

export interface ForeignKey {
  /** In the checkpoint section. */
  readonly path: string;
  readonly effect: Effect;
}

export interface ForeignFormat {
  readonly name: string;
  readonly files: readonly ForeignFile[];
  readonly keys: readonly ForeignKey[];
}

export interface ForeignFile {
  readonly path: string;
  /** Also without a `checkpoint:` around them, since the file is about nothing else. */
  readonly isAllAboutCheckpoints: boolean;
}

const same = (path: string, as: string): ForeignKey => ({ path, effect: { kind: "same", as } });

const CLAUDE: ForeignFormat = {
  name: "checkpoint-config",
  files: [{ path: FOREIGN_FILES.claude, isAllAboutCheckpoints: true }],
  keys: [
    { path: "enabled", effect: { kind: "master_switch" } },
    { path: "auto_checkpoint", effect: { kind: "master_switch" } },
    same("checkpoint_triggers.phase_transition", "triggers.phase_transition"),
    same("checkpoint_triggers.batch_complete", "triggers.batch_complete"),
    same("checkpoint_triggers.agent_complete", "triggers.agent_complete"),
    same("checkpoint_triggers.conflict_events", "triggers.conflict_events"),
    same("retention.phase_transition", "retention.phase_transition"),
    same("retention.batch_complete", "retention.batch_complete"),
    same("retention.agent_complete", "retention.agent_complete"),
    same("retention.conflict_resolved", "retention.conflict_resolved"),
    same("retention.user_interrupt", "retention.user_interrupt"),
    same("retention.manual", "retention.manual"),
    {
      path: "storage.location",
      effect: { kind: "no_effect", why: "checkpoints are objects of the git repository" },
    },
    { path: "storage.compress", effect: { kind: "no_effect", why: "git always compresses" } },
    same("storage.max_size_mb", "retention.max_size_mb"),
  ],
};

const FLOWSPEC: ForeignFormat = {
  name: "flowspec",
  files: [
    { path: FOREIGN_FILES.flowspecWorkflow, isAllAboutCheckpoints: false },
    { path: FOREIGN_FILES.flowspec, isAllAboutCheckpoints: true },
  ],
  keys: [
    same("strategy", "strategy"),
    same("always_checkpoint", "phases.always"),
    same("never_checkpoint", "phases.never"),
    same("max_per_task", "retention.max_per_task"),
    same("auto_cleanup", "retention.auto_cleanup"),
    same("include_untracked", "capture.include_untracked"),
  ],
};

export const FOREIGN_FORMATS: readonly ForeignFormat[] = [CLAUDE, FLOWSPEC];

/** What a master switch turns off. */
const SWITCHED_OFF: readonly Key[] = [
  KEYS.onPhaseTransition,
  KEYS.onBatchComplete,
  KEYS.onAgentComplete,
  KEYS.onConflictEvents,
  KEYS.onToolUse,
];

export function effectText(effect: Effect): string {
  switch (effect.kind) {
    case "same":
      return `\`${effect.as}\``;
    case "master_switch":
      return "`false`: `strategy: manual`, and every key of `triggers` is `false`; `true`: nothing";
    case "no_effect":
      return `nothing: ${effect.why}`;
  }
}

export function checkForeignFile(
  format: ForeignFormat,
  file: ForeignFile,
  root: RawNode,
): ConfigLayer {
  const draft = new LayerDraft(file.path);
  const section = checkpointSection(root, file.isAllAboutCheckpoints);
  if (section === undefined || isNothing(section)) return draft.layer();
  if (section.kind !== "map") {
    draft.problem(
      section,
      "checkpoint",
      `checkpoint cannot be ${shown(plain(section))}; it is a section`,
    );
    return draft.layer();
  }
  checkKeys(draft, format, section, "");
  return isSwitchedOff(format, section) ? switchedOff(draft.layer(), section) : draft.layer();
}

function checkpointSection(root: RawNode, isAllAboutCheckpoints: boolean): RawNode | undefined {
  if (root.kind !== "map") return undefined;
  const section = root.entries.find((entry) => entry.key === "checkpoint")?.value;
  return section ?? (isAllAboutCheckpoints ? root : undefined);
}

function checkKeys(
  draft: LayerDraft,
  format: ForeignFormat,
  section: RawNode & { readonly kind: "map" },
  prefix: string,
): void {
  for (const { key: name, value, ...place } of section.entries) {
    const path = prefix + name;
    const known = format.keys.find((key) => key.path === path);
    const isSection = format.keys.some((key) => key.path.startsWith(`${path}.`));
    if (known !== undefined) take(draft, known, value);
    else if (!isSection) {
      draft.unknown(
        place,
        `checkpoint.${path}`,
        nearestName(
          path,
          format.keys.map((key) => key.path),
        ),
      );
    } else if (value.kind === "map") checkKeys(draft, format, value, `${path}.`);
    else if (!isNothing(value)) {
      draft.problem(value, path, `${path} cannot be ${shown(plain(value))}; it is a section`);
    }
  }
}

function take(draft: LayerDraft, { path, effect }: ForeignKey, node: RawNode): void {
  if (effect.kind === "same") {
    const own = keyAt(effect.as);
    const keys =
      SHORTHANDS.find((each) => each.path === effect.as)?.keys ?? (own === undefined ? [] : [own]);
    draft.take(keys, node, path);
  } else if (effect.kind === "no_effect") {
    draft.note(node, `${path} has no effect: ${effect.why}`);
  } else if (!isNothing(node) && !isBoolean(node)) {
    draft.problem(node, path, `${path} cannot be ${shown(plain(node))}; it takes true or false`);
  }
}

function isBoolean(node: RawNode): boolean {
  return node.kind === "scalar" && typeof node.value === "boolean";
}

function isSwitchedOff(
  format: ForeignFormat,
  section: RawNode & { readonly kind: "map" },
): boolean {
  return section.entries.some(
    ({ key, value }) =>
      value.kind === "scalar" &&
      value.value === false &&
      format.keys.some(({ path, effect }) => path === key && effect.kind === "master_switch"),
  );
}

/** Off wins over what the same file says about single triggers. */
function switchedOff(layer: ConfigLayer, { line, column }: RawNode): ConfigLayer {
  const off = new Set<string>([KEYS.strategy, ...SWITCHED_OFF].map((key) => key.path));
  return {
    ...layer,
    settings: [
      ...layer.settings.filter((setting) => !off.has(setting.key)),
      { key: KEYS.strategy.path, value: "manual", line, column },
      ...SWITCHED_OFF.map((key) => ({ key: key.path, value: false, line, column })),
    ],
  };
}
