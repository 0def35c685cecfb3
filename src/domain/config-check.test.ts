import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkOwnFile, type ConfigLayer } from "./config-check.ts";
import { rawNode } from "./raw-node.fixture.ts";

const check = (value: unknown): ConfigLayer => checkOwnFile("waymark.yml", rawNode(value));
const settings = (value: unknown): Record<string, unknown> =>
  Object.fromEntries(check(value).settings.map(({ key, value: found }) => [key, found]));

describe("checkOwnFile", () => {
  it("finds settings with their lines", () => {
    const layer = check({ strategy: "smart", retention: { max_age: "24h", auto: 3 } });
    expect(layer.problems).toEqual([]);
    expect(layer.warnings).toEqual([]);
    expect(layer.settings).toEqual([
      { key: "strategy", value: "smart", line: 2, column: 1 },
      { key: "retention.max_age", value: "24h", line: 4, column: 1 },
      { key: "retention.auto", value: 3, line: 5, column: 1 },
    ]);
  });

  it("takes an empty file, empty sections and empty keys as nothing said", () => {
    for (const empty of [null, {}, { retention: null }, { strategy: null, phases: {} }]) {
      expect(check(empty)).toMatchObject({ settings: [], problems: [], warnings: [] });
    }
  });

  it("takes phase_transition as both, and the single key as the one that counts", () => {
    expect(settings({ retention: { phase_transition: 4 } })).toEqual({
      "retention.pre_phase": 4,
      "retention.post_phase": 4,
    });
    expect(settings({ retention: { post_phase: 9, phase_transition: 4 } })).toEqual({
      "retention.pre_phase": 4,
      "retention.post_phase": 9,
    });
  });

  it("takes policies of agents in both forms", () => {
    expect(
      settings({
        agents: { policy: "fail_open", claude: "fail_closed", codex: { policy: "fail_closed" } },
      }),
    ).toEqual({
      "agents.policy": "fail_open",
      "agents.claude": "fail_closed",
      "agents.codex": "fail_closed",
    });
  });

  it("reports every wrong value with its place and what is allowed, once each", () => {
    const { problems } = check({
      strategy: "always",
      retention: { max_age: 7, phase_transition: -2 },
      capture: { exclude: ["*.bin", 5], max_file_mb: 0 },
      secrets: { exclude: "yes" },
      agents: { claude: "maybe" },
    });
    expect(problems.map(({ message }) => message)).toEqual([
      'waymark.yml:2:1: strategy cannot be "always"; it takes manual, before_modify, before_all or smart',
      "waymark.yml:4:1: retention.max_age cannot be 7; it takes a duration such as 30m, 24h, 7d or never",
      "waymark.yml:5:1: retention.phase_transition cannot be -2; it takes an integer from -1 to 1000000000",
      'waymark.yml:9:1: an item of capture.exclude cannot be 5; it takes a list of patterns such as ["*.bin", "data/"]',
      "waymark.yml:10:1: capture.max_file_mb cannot be 0; it takes an integer from 1 to 1000000000",
      'waymark.yml:12:1: secrets.exclude cannot be "yes"; it takes true or false',
      'waymark.yml:14:1: agents.claude cannot be "maybe"; it takes fail_open or fail_closed',
    ]);
    expect(problems[0]).toMatchObject({
      file: "waymark.yml",
      line: 2,
      key: "strategy",
      value: "always",
    });
  });

  it("reports a section that is not one, and a file that is not a map", () => {
    expect(check({ retention: 5 }).problems[0]?.message).toContain("retention cannot be 5");
    expect(check(["strategy"]).problems).toHaveLength(1);
    expect(check("strategy").problems).toHaveLength(1);
  });

  it.each([
    [{ stratgy: "smart" }, "did you mean strategy?"],
    [{ retention: { maxage: "7d" } }, "did you mean retention.max_age?"],
    [{ max_age: "7d" }, "did you mean retention.max_age?"],
    [{ retentoin: {} }, "did you mean retention?"],
    [{ colours: {} }, "unknown setting colours"],
    [{ constructor: {} }, "unknown setting constructor"],
    [JSON.parse('{"__proto__": {"strategy": 1}}'), "unknown setting __proto__"],
    [{ agents: { polcy: "fail_closed" } }, "did you mean agents.policy?"],
    [{ agents: { dedline: "fail_closed" } }, "did you mean agents.deadline?"],
    [{ agents: { claude: { polic: "fail_closed" } } }, "unknown setting agents.claude.polic"],
  ])("warns of %j", (value, expected) => {
    const { warnings, problems } = check(value);
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain(expected);
    expect(problems).toEqual([]);
  });

  it("never throws, whatever the file says", () => {
    fc.assert(
      fc.property(
        fc.jsonValue(),
        fc.constantFrom("retention", "agents", "phases", "x"),
        (value, at) => {
          for (const layer of [check(value), check({ [at]: value })]) {
            for (const problem of layer.problems) expect(problem.line).toBeGreaterThan(0);
          }
        },
      ),
    );
  });
});
