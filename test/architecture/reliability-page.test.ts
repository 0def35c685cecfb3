/** docs/reliability.md says what its sources say: the promises, the rules, and the figures of the last runs. */
import { describe, expect, it } from "vitest";
import { readFigures, type Figure } from "../../scripts/proof/figures.mjs";
import { PROMISES } from "../../scripts/proof/promises.mjs";
import { fillPage } from "../../scripts/proof/render.mjs";
import { testedRules } from "../../scripts/proof/rules.mjs";
import { exists, read } from "./project-files.ts";

const PAGE = "docs/reliability.md";

describe(PAGE, () => {
  it("is what `npm run docs` writes", () => {
    const page = read(PAGE);
    expect(fillPage(page, readFigures(), testedRules())).toBe(page);
  });

  it("names rules and tests that exist", () => {
    const rules = new Set(testedRules().map(({ rule }) => rule));
    expect(PROMISES.flatMap((one) => one.rules.filter((rule) => !rules.has(rule)))).toEqual([]);
    expect(PROMISES.flatMap((one) => one.tests.filter((path) => !exists(path)))).toEqual([]);
  });

  it("finds figures for each promise where the script was run", () => {
    const recorded = new Map(readFigures().map(({ name, figures }) => [name, figures]));
    const without = PROMISES.flatMap(({ id, figures }) =>
      figures
        .filter(([name, pattern]) => {
          const there = recorded.get(name);
          return there !== undefined && !there.some((one) => pattern.test(one.id));
        })
        .map(([name, pattern]) => `${id}: ${name} ${String(pattern)}`),
    );
    expect(without).toEqual([]);
  });

  it("has a proof for each promise", () => {
    const without = PROMISES.filter(({ figures, tests }) => figures.length + tests.length === 0);
    expect(without).toEqual([]);
  });

  it("tells of every figure that is wrong, and what is a sample or another tool", () => {
    const figure = (id: string, wrong: number): Figure => ({ id, what: id, tried: 10, wrong });
    const recorded = {
      schema_version: 1,
      kind: "proof",
      name: "faults",
      command: "npm run faults",
      seconds: 100,
      date: "2026-01-01",
      commit: "0123456789",
      machine: "a machine",
      figures: [figure("create kill", 2), { ...figure("stash kill", 7), baseline: true }],
    } as const;
    const sample = { ...figure("create kill", 0), detail: "1200 points; 3 as before" };
    const stash = { ...recorded, name: "stash", figures: recorded.figures.slice(1) };
    const filled = fillPage(read(PAGE), [recorded], []);
    expect(filled).toContain("| P1 |");
    expect(filled).toContain("faults: 10 tried, 2 wrong");
    expect(filled).toContain("| `npm run faults` | 2026-01-01 | `0123456789` | 2 min | 10 | 2 |");
    expect(filled).toContain("| stash kill (for comparison) | 10 | 7 |");
    const others = fillPage(read(PAGE), [{ ...recorded, figures: [sample] }, stash], []);
    expect(others).toContain("faults: 10 of 1,200 points tried, 0 wrong");
    expect(others).toContain("| stash (for comparison) | `npm run faults` |");
  });

  it("says which run each figure is from where a script was run a part at a time", () => {
    const figure = (id: string): Figure => ({ id, what: id, tried: 1, wrong: 0, seconds: 60 });
    const recorded = {
      schema_version: 1,
      kind: "proof",
      name: "scale",
      command: "npm run scale -- --write",
      seconds: 60,
      date: "2026-01-02",
      commit: "bbb",
      machine: "new machine",
      figures: [
        figure("hooks"),
        { ...figure("large"), date: "2026-01-01", commit: "aaa", machine: "old machine" },
      ],
    } as const;
    const filled = fillPage(read(PAGE), [recorded], []);
    expect(filled).toContain("| 2026-01-01 to 2026-01-02 | in several runs | 2 min | 2 | 0 |");
    expect(filled).toContain("- `large`: 2026-01-01, commit `aaa`, 60 s. old machine.");
    expect(filled).toContain("- `hooks`: 2026-01-02, commit `bbb`, 60 s. new machine.");
  });
});
