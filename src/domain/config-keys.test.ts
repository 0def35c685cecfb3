import { describe, expect, it } from "vitest";
import { TRIGGERS } from "./checkpoint.ts";
import { ALL_KEYS, allowedText, fromText, keyAt, SECTIONS, variableOf } from "./config-keys.ts";
import { DEFAULT_CONFIG } from "./config.ts";

describe("the table of keys", () => {
  it("names each key once, in a section that is explained", () => {
    const paths = ALL_KEYS.map((key) => key.path);
    expect(new Set(paths).size).toBe(paths.length);
    const sections = paths.filter((path) => path.includes(".")).map((path) => path.split(".")[0]);
    expect(new Set(sections)).toEqual(new Set(Object.keys(SECTIONS)));
  });

  it.each(ALL_KEYS.map((key) => [key.path, key] as const))(
    "%s takes its own default, and a default that is written as text",
    (_, key) => {
      expect(key.read(key.fallback)).toEqual(key.fallback);
      const text = Array.isArray(key.fallback) ? key.fallback.join(",") : String(key.fallback);
      expect(key.read(fromText(key.kind, text))).toEqual(key.fallback);
      expect(key.text).not.toMatch(/^[A-Z]|\.$/);
      expect(allowedText(key.kind)).not.toBe("");
    },
  );

  it.each(ALL_KEYS.map((key) => [key.path, key] as const))(
    "%s refuses what it cannot be",
    (_, key) => {
      for (const wrong of [null, undefined, {}, Number.NaN, 1.5, "a b c", [1], [""], ["!x"]]) {
        const isName = key.kind.type === "names" && Array.isArray(wrong) && wrong[0] === "!x";
        if (!isName) expect(key.read(wrong)).toBeUndefined();
      }
    },
  );

  it("has a count for every trigger", () => {
    for (const trigger of TRIGGERS) expect(keyAt(`retention.${trigger}`)).toBeDefined();
    expect(Object.keys(DEFAULT_CONFIG.retention.counts).toSorted()).toEqual(
      [...TRIGGERS].toSorted(),
    );
  });

  it("has a variable for every key", () => {
    expect(variableOf("retention.max_age")).toBe("WAYMARK_RETENTION_MAX_AGE");
    expect(variableOf("agents.claude-code")).toBe("WAYMARK_AGENTS_CLAUDE_CODE");
    const all = ALL_KEYS.map((key) => variableOf(key.path));
    expect(new Set(all).size).toBe(all.length);
  });

  it.each([
    ["1s", "1s"],
    ["2m", "2m"],
    ["0s", undefined],
    ["never", undefined],
    ["10", undefined],
  ])("agents.deadline given as %s is %s", (raw, read) => {
    expect(keyAt("agents.deadline")?.read(raw)).toBe(read);
  });

  it("takes agents by their names", () => {
    expect(keyAt("agents.claude")?.path).toBe("agents.claude");
    expect(keyAt("agents.claude.policy")?.path).toBe("agents.claude");
    expect(keyAt("agents.claude.other")).toBeUndefined();
    expect(keyAt("agents.No Name")).toBeUndefined();
    expect(keyAt("agents.policy")?.path).toBe("agents.policy");
    expect(keyAt("agents.deadline")?.read("fail_closed")).toBeUndefined();
    expect(keyAt("agents.__proto__")).toBeUndefined();
  });
});
