import { describe, expect, it } from "vitest";
import type { ConfigLayer } from "./config-check.ts";
import { keyAt, SHORTHANDS } from "./config-keys.ts";
import {
  checkForeignFile,
  effectText,
  FOREIGN_FORMATS,
  type ForeignFormat,
} from "./foreign-config.ts";
import { rawNode } from "./raw-node.fixture.ts";

const format = (name: string): ForeignFormat => {
  const found = FOREIGN_FORMATS.find((each) => each.name === name);
  if (found === undefined) throw new Error(`there is no format ${name}`);
  return found;
};

function check(name: string, value: unknown, at = 0): ConfigLayer {
  const foreign = format(name);
  const file = foreign.files[at];
  if (file === undefined) throw new Error(`${name} has no file ${at}`);
  return checkForeignFile(foreign, file, rawNode(value));
}

const settings = (layer: ConfigLayer): Record<string, unknown> =>
  Object.fromEntries(layer.settings.map(({ key, value }) => [key, value]));

/** What each key of the two formats becomes, row by row. */
const ROWS: readonly [string, string, unknown, Record<string, unknown>][] = [
  ["flowspec", "strategy", "before_all", { strategy: "before_all" }],
  ["flowspec", "always_checkpoint", ["plan"], { "phases.always": ["plan"] }],
  ["flowspec", "never_checkpoint", ["assess"], { "phases.never": ["assess"] }],
  ["flowspec", "max_per_task", 5, { "retention.max_per_task": 5 }],
  ["flowspec", "auto_cleanup", false, { "retention.auto_cleanup": false }],
  ["flowspec", "include_untracked", false, { "capture.include_untracked": false }],
  ["checkpoint-config", "enabled", true, {}],
  ["checkpoint-config", "auto_checkpoint", true, {}],
  [
    "checkpoint-config",
    "checkpoint_triggers.phase_transition",
    false,
    { "triggers.phase_transition": false },
  ],
  [
    "checkpoint-config",
    "checkpoint_triggers.batch_complete",
    false,
    { "triggers.batch_complete": false },
  ],
  [
    "checkpoint-config",
    "checkpoint_triggers.agent_complete",
    true,
    { "triggers.agent_complete": true },
  ],
  [
    "checkpoint-config",
    "checkpoint_triggers.conflict_events",
    false,
    { "triggers.conflict_events": false },
  ],
  [
    "checkpoint-config",
    "retention.phase_transition",
    7,
    { "retention.pre_phase": 7, "retention.post_phase": 7 },
  ],
  ["checkpoint-config", "retention.batch_complete", 7, { "retention.batch_complete": 7 }],
  ["checkpoint-config", "retention.agent_complete", 7, { "retention.agent_complete": 7 }],
  ["checkpoint-config", "retention.conflict_resolved", 7, { "retention.conflict_resolved": 7 }],
  ["checkpoint-config", "retention.user_interrupt", 7, { "retention.user_interrupt": 7 }],
  ["checkpoint-config", "retention.manual", 7, { "retention.manual": 7 }],
  ["checkpoint-config", "storage.location", ".claude/crunch/{issue}/checkpoints", {}],
  ["checkpoint-config", "storage.compress", true, {}],
  ["checkpoint-config", "storage.max_size_mb", 50, { "retention.max_size_mb": 50 }],
];

describe("checkForeignFile", () => {
  it.each(ROWS)("%s: %s", (name, path, value, expected) => {
    const nested = path.split(".").reduceRight((inner, part) => ({ [part]: inner }), value);
    const layer = check(name, { checkpoint: nested });
    expect(layer.problems).toEqual([]);
    expect(layer.warnings).toEqual([]);
    expect(settings(layer)).toEqual(expected);
  });

  it("has a row here for every key of every format, and each leads to a key that exists", () => {
    const keys = FOREIGN_FORMATS.flatMap(({ name, keys: own }) =>
      own.map(({ path }) => `${name} ${path}`),
    );
    expect(ROWS.map(([name, path]) => `${name} ${path}`).toSorted()).toEqual(keys.toSorted());
    for (const { effect } of FOREIGN_FORMATS.flatMap(({ keys: own }) => own)) {
      expect(effectText(effect)).not.toBe("");
      if (effect.kind !== "same") continue;
      expect(keyAt(effect.as) ?? SHORTHANDS.find(({ path }) => path === effect.as)).toBeDefined();
    }
  });

  it.each(["enabled", "auto_checkpoint"])(
    "%s: false turns everything off, whatever else is said",
    (name) => {
      const layer = check("checkpoint-config", {
        checkpoint: { [name]: false, checkpoint_triggers: { phase_transition: true } },
      });
      expect(settings(layer)).toEqual({
        strategy: "manual",
        "triggers.phase_transition": false,
        "triggers.batch_complete": false,
        "triggers.agent_complete": false,
        "triggers.conflict_events": false,
        "triggers.tool_use": false,
      });
    },
  );

  it("warns of unknown keys in the checkpoint section and nowhere else", () => {
    const layer = check("flowspec", {
      workflows: { implement: 1 },
      checkpoint: { stratgy: "smart" },
    });
    expect(layer.warnings).toHaveLength(1);
    expect(layer.warnings[0]).toMatch(
      /^flowspec_workflow.yml:\d+:1: unknown setting checkpoint.stratgy; did you mean strategy\?$/,
    );
    expect(check("flowspec", { strategy: "not ours", workflows: 3 })).toMatchObject({
      settings: [],
      problems: [],
      warnings: [],
    });
  });

  it("reads a file that is all about checkpoints without the section too", () => {
    expect(settings(check("flowspec", { max_per_task: 3 }, 1))).toEqual({
      "retention.max_per_task": 3,
    });
    expect(settings(check("flowspec", { checkpoint: { max_per_task: 3 } }, 1))).toEqual({
      "retention.max_per_task": 3,
    });
  });

  it("reports wrong values in the words of the file", () => {
    const { problems } = check("checkpoint-config", {
      checkpoint: { enabled: "on", storage: { max_size_mb: "big" }, retention: 4 },
    });
    expect(problems.map(({ message }) => message.replace(/^[^ ]+ /, ""))).toEqual([
      'enabled cannot be "on"; it takes true or false',
      'storage.max_size_mb cannot be "big"; it takes an integer from 1 to 1000000000',
      "retention cannot be 4; it is a section",
    ]);
    expect(check("flowspec", { checkpoint: 4 }).problems).toHaveLength(1);
    expect(check("flowspec", { checkpoint: null }).problems).toEqual([]);
  });
});
