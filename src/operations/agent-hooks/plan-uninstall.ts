/** Which files an uninstallation changes: exactly as they were if nobody changed them since, else only ours goes. */
import { keptName } from "../../domain/agents/cline-script.ts";
import { isOnlyHead, removeHooks } from "../../domain/agents/hook-edits.ts";
import {
  HOOK_LAYOUTS,
  type ScriptsLayout,
  type SettingsLayout,
} from "../../domain/agents/hook-table.ts";
import type { FileImage, FileRecord } from "../../domain/agents/install-record.ts";
import { writtenHandlers } from "../../domain/agents/own-handlers.ts";
import { sealOf } from "../../domain/agents/sealed-text.ts";
import type { AgentSetup } from "./agent-setup.ts";
import {
  bytesOf,
  invalid,
  recordOf,
  textOf,
  type FileChange,
  type HookTarget,
} from "./file-change.ts";

export interface UninstallPlan {
  readonly changes: readonly FileChange[];
  /** Records of what is not there any more. */
  readonly over: readonly FileRecord[];
  /** Files of ours that somebody changed, and files with hooks that somebody wrote: both stay without `force`. */
  readonly kept: readonly string[];
}

const NOTHING: UninstallPlan = { changes: [], over: [], kept: [] };

export function planUninstall(
  setup: AgentSetup,
  target: HookTarget,
  { force }: { readonly force: boolean },
): UninstallPlan {
  const layout = HOOK_LAYOUTS[target.agent];
  if (layout.kind === "settings") {
    const plan = fromSettings(setup, target, layout, force);
    return { ...plan, kept: written(setup, target, layout, plan) };
  }
  if (layout.kind === "plugin_file") return ownFile(setup, target, force);
  return fromScripts(setup, target, layout, force);
}

/** The file, if it still has hooks that somebody wrote when the plan is carried out. */
function written(
  setup: AgentSetup,
  { path }: HookTarget,
  layout: SettingsLayout,
  { changes: [change] }: UninstallPlan,
): string[] {
  const left = change === undefined ? setup.files.read(path) : change.after;
  return hasWritten(setup, path, layout, left) ? [path] : [];
}

function hasWritten(
  setup: AgentSetup,
  path: string,
  layout: SettingsLayout,
  image: FileImage | undefined,
): boolean {
  if (image === undefined) return false;
  const parsed = setup.settings.parse(textOf(path, image));
  return parsed.kind === "value" && writtenHandlers(parsed.value, layout).length > 0;
}

function fromSettings(
  setup: AgentSetup,
  target: HookTarget,
  layout: SettingsLayout,
  force: boolean,
): UninstallPlan {
  const record = recordOf(setup, target);
  const before = setup.files.read(target.path);
  if (before === undefined) return over(record);
  if (record?.after === setup.digest(before.bytes)) {
    // Who made it less readable since meant it.
    const after = record.before === null ? undefined : { ...record.before, mode: before.mode };
    const isLess = force && hasWritten(setup, target.path, layout, after);
    if (!isLess) return only(gone(target, before, after, record));
  }
  const text = textOf(target.path, before);
  const parsed = setup.settings.parse(text);
  if (parsed.kind === "malformed") {
    if (record === undefined && !text.includes("waymark")) return NOTHING;
    throw invalid(target.path, parsed.message, parsed.place);
  }
  const edits = removeHooks(parsed.value, layout, {
    before: valueBefore(setup, record),
    andWritten: force,
  });
  if (edits.length === 0) return over(record);
  const rest = setup.settings.edit(text, edits);
  const isMade = record?.before === null || target.path.endsWith("/waymark.json");
  if (isMade && hasOnlyHead(setup, rest, layout))
    return only(gone(target, before, undefined, record));
  return only(gone(target, before, { bytes: bytesOf(rest), mode: before.mode }, record));
}

/** What was there before us, so that nothing of it is taken for empty containers of ours. */
function valueBefore(setup: AgentSetup, record: FileRecord | undefined): unknown {
  if (record === undefined || record.before === null) return undefined;
  const parsed = setup.settings.parse(textOf(record.path, record.before));
  return parsed.kind === "value" ? parsed.value : undefined;
}

/** Comments count as something. */
function hasOnlyHead(setup: AgentSetup, text: string, layout: SettingsLayout): boolean {
  const parsed = setup.settings.parse(text);
  const isBare = !/\/[/*]/.test(text);
  return isBare && parsed.kind === "value" && isOnlyHead(parsed.value, layout);
}

function ownFile(setup: AgentSetup, target: HookTarget, force: boolean): UninstallPlan {
  const record = recordOf(setup, target);
  const before = setup.files.read(target.path);
  if (before === undefined) return over(record);
  const seal = sealOf(textOf(target.path, before), setup.sha256);
  if (seal === undefined) return over(record);
  if (seal === "changed" && !force) return { ...NOTHING, kept: [target.path] };
  return only(gone(target, before, record?.before ?? undefined, record));
}

function fromScripts(
  setup: AgentSetup,
  target: HookTarget,
  { events }: ScriptsLayout,
  force: boolean,
): UninstallPlan {
  // The folders were made with the first one, so that one goes last.
  const plans = events.toReversed().map((event): UninstallPlan => {
    const path = `${target.path}/${event}`;
    const plan = ownFile(setup, { ...target, path }, force);
    const [change] = plan.changes;
    const besides = { ...target, path: `${target.path}/${keptName(event)}` };
    const kept = setup.files.read(besides.path);
    if (kept === undefined) return plan;
    if (change === undefined) return leftCopy(setup, besides, kept, plan);
    // It may have been changed where it is; that is what its owner wants back.
    const removal = gone(besides, kept, undefined, recordOf(setup, besides));
    return { ...plan, changes: [{ ...change, after: kept }, removal] };
  });
  return {
    changes: plans.flatMap(({ changes }) => changes),
    over: plans.flatMap((plan) => plan.over),
    kept: plans.flatMap(({ kept }) => kept),
  };
}

/** A kill left a copy of a script that is in its own place. */
function leftCopy(
  setup: AgentSetup,
  target: HookTarget,
  copy: FileImage,
  plan: UninstallPlan,
): UninstallPlan {
  const record = recordOf(setup, target);
  if (plan.kept.length > 0 || record?.after !== setup.digest(copy.bytes)) return plan;
  return { ...plan, changes: [gone(target, copy, undefined, record)] };
}

function gone(
  target: HookTarget,
  before: FileImage,
  after: FileImage | undefined,
  record: FileRecord | undefined,
): FileChange {
  const emptied = after === undefined ? (record?.folders ?? []) : [];
  return { ...target, before, after, record: null, isOurs: true, emptied };
}

const only = (change: FileChange): UninstallPlan => ({ ...NOTHING, changes: [change] });

function over(record: FileRecord | undefined): UninstallPlan {
  return record === undefined ? NOTHING : { ...NOTHING, over: [record] };
}
