import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { HOOK_LAYOUTS, type SettingsLayout } from "../../domain/agents/hook-table.ts";
import { addHooks, removeHooks, type WantedHooks } from "../../domain/agents/hook-edits.ts";
import { hookCommand } from "../../domain/agents/hook-command.ts";
import type { JsonEdit } from "../../domain/agents/json-edit.ts";
import { AGENTS, type AgentName } from "../../domain/agents/agents.ts";
import { JsoncSettingsText } from "./jsonc-settings-text.ts";
import { anySettings, anyStyle, commentsOf, writeSettings } from "./settings-text.fixture.ts";

const settings = new JsoncSettingsText();

function valueOf(text: string): unknown {
  const parsed = settings.parse(text);
  if (parsed.kind === "malformed") throw new Error(`${parsed.message}: ${text}`);
  return parsed.value;
}

const layouts = AGENTS.flatMap((agent): [AgentName, SettingsLayout][] => {
  const layout = HOOK_LAYOUTS[agent];
  return layout.kind === "settings" ? [[agent, layout]] : [];
});

function installed(text: string, wanted: WantedHooks): string {
  return settings.edit(text, addHooks(valueOf(text), wanted));
}

describe.each(layouts)("settings of %s", (agent, layout) => {
  const wanted = { agent, layout, command: hookCommand };

  it("take our hooks and give them back, whatever they look like", () => {
    fc.assert(
      fc.property(anySettings, anyStyle, (value, style) => {
        const text = writeSettings(value, style);
        const after = installed(text, wanted);
        expect(commentsOf(after)).toEqual(commentsOf(text));
        expect(installed(after, wanted)).toBe(after);
        const edits = removeHooks(valueOf(after), layout, {
          before: valueOf(text),
          andWritten: false,
        });
        expect(settings.edit(after, edits)).toBe(text);
      }),
      { numRuns: 60 },
    );
  });
});

describe("the text of settings", () => {
  const edit = (text: string, ...edits: JsonEdit[]): string => settings.edit(text, edits);

  it.each([
    ["{}", '{\n  "a": [\n    1\n  ]\n}'],
    ['{"b":1}', '{"b":1,"a":[1]}'],
    ['{"b": 1}', '{"b": 1, "a": [1]}'],
    ['{\n\t"b": 1 // one\n}\n', '{\n\t"b": 1, // one\n\t"a": [\n\t\t1\n\t]\n}\n'],
    ['{\r\n    "b": 1,\r\n}', '{\r\n    "b": 1,\r\n    "a": [\r\n        1\r\n    ],\r\n}'],
    ["{\n  // nothing yet\n}", '{\n  // nothing yet\n  "a": [\n    1\n  ]\n}'],
  ])("of %j gets a member in its own style", (text, expected) => {
    expect(edit(text, { kind: "set", path: ["a"], value: [1] })).toBe(expected);
  });

  it.each([
    ['{"a":1,"b":2}', '{"b":2}'],
    ['{"b":2,"a":1}', '{"b":2}'],
    ['{"a":1}', "{}"],
    ['{\n  "a": 1\n}\n', "{}\n"],
    ['{\n  "b": 2, // two\n  "a": 1\n}', '{\n  "b": 2 // two\n}'],
    ['{\n  "b": 2,\n  // mine\n  "a": 1 }', '{\n  "b": 2\n  // mine\n  }'],
    ['{\n  "a": 1, // gone\n  "b": 2\n}', '{\n  // gone\n  "b": 2\n}'],
  ])("of %j loses a member and nothing else", (text, expected) => {
    expect(edit(text, { kind: "remove", path: ["a"] })).toBe(expected);
  });

  it.each([
    ['{\n  "a": }', 2, 8],
    ['{"a": 1', 1, 8],
    ["{'a': 1}", 1, 2],
    ['{"a": 1}\n{"b": 2}', 2, 1],
    ['{\r\n"hooks": {},\r\n"hooks": {}}', 3, 1],
    ['{"hooks": {"Stop": [],\n"Stop": []}}', 2, 1],
    ["not json", 1, 1],
  ])("of %j is malformed, with the place", (text, line, column) => {
    expect(settings.parse(text)).toMatchObject({ kind: "malformed", place: { line, column } });
  });

  it("that is nested too deeply is malformed", () => {
    expect(settings.parse("[".repeat(200_000)).kind).toBe("malformed");
  });

  it.each(["", " \n", "// only a comment\n", "\uFEFF"])("of %j is empty", (text) => {
    expect(settings.parse(text)).toEqual({ kind: "value", value: undefined });
  });
});

describe("what is added last and removed again", () => {
  it.each([
    '{"hooks": {"Stop": [1,]}}',
    '{"hooks": {"Stop": [ 1 ]}, "a": [ 1 ] }',
    '{ "hooks":{ "Stop":[ 1 ] } }',
    '{ "hooks": { "Stop": [ ] } }',
    '{\n  "hooks": {\n    "Stop": [\n    ] }\n}',
    '{"hooks": {"Stop": [ /* none */ ]}}',
    '{\n  "hooks": {\n    "Stop": [\n      1,\n    ],\n  },\n}\n',
    '{\r  "hooks": {\r    "Stop": [\r      1\r    ]\r  }\r}\r',
    '{\r  "hooks": {\r    "Stop": [\r      1,\r    ]\r  }\r}\r',
  ])("leaves the text as it was: %j", (text) => {
    const settings = new JsoncSettingsText();
    const added = settings.edit(text, [
      { kind: "append", path: ["hooks", "Stop"], value: { a: [2] } },
      { kind: "set", path: ["hooks", "Other"], value: [3] },
    ]);
    const removed = settings.edit(added, [
      { kind: "remove", path: ["hooks", "Other"] },
      { kind: "remove", path: ["hooks", "Stop", text.includes("1") ? 1 : 0] },
    ]);
    expect(removed).toBe(text);
  });
});
