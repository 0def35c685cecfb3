import { describe, expect, it } from "vitest";
import { DEFAULT_CONFIG } from "./config.ts";
import { checkOwnFile } from "./config-check.ts";
import { ALL_KEYS } from "./config-keys.ts";
import { configFailure, resolveConfig, type ResolvedConfig } from "./config-resolution.ts";
import { rawNode } from "./raw-node.fixture.ts";

const layer = (file: string, value: unknown) => checkOwnFile(file, rawNode(value));

function setting(resolved: ResolvedConfig, key: string) {
  return resolved.settings.find((each) => each.key === key);
}

describe("resolveConfig", () => {
  it("is all defaults when nobody says anything", () => {
    const resolved = resolveConfig([], {
      PATH: "/bin",
      WAYMARK_SESSION: "s",
      WAYMARK_PHASE: "plan",
    });
    expect(resolved.config).toEqual(DEFAULT_CONFIG);
    expect(resolved.settings.map(({ key }) => key)).toEqual(ALL_KEYS.map(({ path }) => path));
    expect(resolved.settings.every(({ origin }) => origin.source === "default")).toBe(true);
    expect(resolved).toMatchObject({ problems: [], warnings: [], files: [] });
  });

  it("prefers the environment, then the first file, then the next", () => {
    const layers = [
      layer("waymark.yml", { retention: { auto: 2, tool_use: 2 } }),
      layer("other.yml", { retention: { auto: 3, tool_use: 3, manual: 3 } }),
    ];
    const resolved = resolveConfig(layers, { WAYMARK_RETENTION_AUTO: "1" });
    expect(resolved.config.retention.counts).toMatchObject({ auto: 1, tool_use: 2, manual: 3 });
    expect(setting(resolved, "retention.auto")?.origin).toEqual({
      source: "environment",
      variable: "WAYMARK_RETENTION_AUTO",
    });
    expect(setting(resolved, "retention.manual")?.origin).toMatchObject({
      source: "file",
      file: "other.yml",
    });
    expect(resolved.files).toEqual(["waymark.yml", "other.yml"]);
  });

  it("turns values into what the code uses", () => {
    const value = {
      retention: { max_age: "24h", failed_max_age: "never", phase_transition: 5 },
      backlog: { enabled: false },
      agents: { policy: "fail_closed", claude: "fail_open" },
    };
    const { config } = resolveConfig([layer("waymark.yml", value)], {});
    expect(config.retention).toMatchObject({ maxAge: 86_400_000, failedMaxAge: null });
    expect(config.retention.counts).toMatchObject({ pre_phase: 5, post_phase: 5 });
    expect(config.backlog.enabled).toBe(false);
    expect(config.agents).toEqual({
      policy: "fail_closed",
      policies: { claude: "fail_open" },
      deadline: 10_000,
      prompts: true,
    });
  });

  it("reads lists, switches, shorthands and agents from the environment", () => {
    const { config, problems, warnings } = resolveConfig([], {
      WAYMARK_CAPTURE_EXCLUDE: "*.bin, data/",
      WAYMARK_PHASES_ALWAYS: "",
      WAYMARK_STRATEGY: "",
      WAYMARK_SECRETS_SCAN: "false",
      WAYMARK_RETENTION_PHASE_TRANSITION: "4",
      WAYMARK_RETENTION_POST_PHASE: "6",
      WAYMARK_AGENTS_CLAUDE_CODE: "fail_closed",
    });
    expect({ problems, warnings }).toEqual({ problems: [], warnings: [] });
    expect(config.capture.exclude).toEqual(["*.bin", "data/"]);
    expect(config.phases.always).toEqual([]);
    expect(config.strategy).toBe(DEFAULT_CONFIG.strategy);
    expect(config.secrets.scan).toBe(false);
    expect(config.retention.counts).toMatchObject({ pre_phase: 4, post_phase: 6 });
    expect(config.agents.policies).toEqual({ "claude-code": "fail_closed" });
  });

  it("reports wrong variables and uses the default, and warns of unknown ones", () => {
    const resolved = resolveConfig([], {
      WAYMARK_STRATEGY: "never",
      WAYMARK_RETENTION_MAX_AGES: "7d",
      WAYMARK_CAPTURE_EXCLUDE: "!x",
      WAYMARK_TEST_KEEP: "1",
    });
    expect(resolved.problems.map(({ message }) => message)).toEqual([
      'WAYMARK_STRATEGY cannot be "never"; it takes manual, before_modify, before_all or smart',
      'WAYMARK_CAPTURE_EXCLUDE cannot be "!x"; it takes patterns with commas between them',
    ]);
    expect(resolved.warnings).toEqual([
      "unknown variable WAYMARK_RETENTION_MAX_AGES; did you mean WAYMARK_RETENTION_MAX_AGE?",
    ]);
    expect(resolved.config).toEqual(DEFAULT_CONFIG);
  });

  it("keeps what is right beside what is wrong", () => {
    const value = { strategy: "nonsense", retention: { auto: 9 } };
    const resolved = resolveConfig([layer("waymark.yml", value)], {});
    expect(resolved.config.strategy).toBe(DEFAULT_CONFIG.strategy);
    expect(resolved.config.retention.counts.auto).toBe(9);
  });
});

describe("configFailure", () => {
  it("says every problem, up to ten, and carries all of them", () => {
    const { problems } = layer("waymark.yml", { strategy: 1, retention: { auto: "x" } });
    const failure = configFailure(problems);
    expect(failure.code).toBe("config_invalid");
    expect(failure.message.split("\n")).toEqual(problems.map(({ message }) => message));
    expect(failure.message).toContain("waymark.yml:2:1: strategy cannot be 1");
    expect(failure.details).toEqual({ problems });
    const [first] = problems;
    const many = configFailure(Array.from({ length: 12 }, () => first ?? expect.fail()));
    expect(many.message.split("\n")).toHaveLength(10);
    expect(many.hint).toContain("There are 2 more.");
  });
});
