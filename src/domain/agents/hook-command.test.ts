import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { AGENTS } from "./agents.ts";
import { absoluteHookCommand, callsHook, hookCommand, ownCommand } from "./hook-command.ts";

const ODD = { node: "/opt/it's node/bin/node", script: "/a b/$HOME/`x`/bin.cjs" };

describe("the commands of hooks", () => {
  it("are what they always were: agents remember a hash of them", () => {
    expect(hookCommand("claude")).toBe(
      "command -v waymark >/dev/null 2>&1 || exit 0; waymark hook claude || true",
    );
    expect(hookCommand("copilot", "preToolUse")).toBe(
      "command -v waymark >/dev/null 2>&1 || exit 0; waymark hook copilot preToolUse || true",
    );
    expect(absoluteHookCommand({ node: "/n", script: "/s" }, "codex")).toBe(
      "[ -x '/n' ] && [ -f '/s' ] || exit 0; '/n' '/s' hook codex || true",
    );
  });

  it.each(AGENTS)("of %s are recognised, in each form", (agent) => {
    expect(ownCommand(hookCommand(agent))).toEqual({ agent, form: "usual" });
    expect(ownCommand(hookCommand(agent, "PreToolUse"))).toEqual({ agent, form: "usual" });
    expect(ownCommand(absoluteHookCommand(ODD, agent, "Stop"))).toEqual({
      agent,
      form: "absolute",
    });
    for (const command of [
      `waymark hook ${agent}`,
      `npx -y waymark hook ${agent} || true`,
      `git waymark hook ${agent} Stop`,
    ]) {
      expect(ownCommand(command)).toEqual({ agent, form: "older" });
    }
  });

  it.each([
    "",
    "waymark hook nobody",
    "waymark create",
    "echo waymark hook claude",
    "waymark hook claude; rm -rf x",
    "waymark hook claude && ./mine.sh",
    "./mine.sh; command -v waymark >/dev/null 2>&1 || exit 0; waymark hook claude || true",
    "[ -x '/a' ] && [ -f '/b' ] || exit 0; '/c' '/b' hook claude || true",
  ])("of others are not: %j", (command) => {
    expect(ownCommand(command)).toBeUndefined();
  });

  it.each([
    "waymark hook claude; rm -rf x",
    "waymark hook claude 2>/dev/null || true",
    "./mine.sh; command -v waymark >/dev/null 2>&1 || exit 0; waymark hook claude || true",
    "/usr/local/bin/waymark hook codex",
    '"/a b/waymark" hook codex',
    '"$HOME/.npm/bin/waymark" hook gemini BeforeTool',
    "npx --yes waymark@latest hook claude",
    "cd /x && WAYMARK_AGENTS_POLICY=fail_closed waymark hook qwen",
    "if true; then waymark hook claude; fi",
    "node /x/dist/bin.cjs hook claude",
    "waymark -C /x hook claude",
    "bash -c 'waymark hook claude'",
  ])("that somebody wrote are known: %j", (command) => {
    expect(callsHook(command)).toBe(true);
  });

  it.each([
    "echo waymark hook claude",
    "waymark hook nobody",
    "waymark create",
    "./mywaymark hook claude",
    hookCommand("claude"),
    "waymark hook claude",
  ])("that are ours, or have nothing to do with it, are not written by hand: %j", (command) => {
    expect(callsHook(command)).toBe(false);
  });

  it("end well where Waymark is not", () => {
    const run = (command: string) =>
      execFileSync("/bin/sh", ["-c", command], { env: { PATH: "/nowhere" }, encoding: "utf8" });
    expect(run(hookCommand("copilot", "preToolUse"))).toBe("");
    expect(run(absoluteHookCommand(ODD, "claude"))).toBe("");
  });

  it("end well where Waymark fails, or cannot be started", () => {
    const run = (command: string) => execFileSync("/bin/sh", ["-c", command], { encoding: "utf8" });
    expect(run(`waymark() { return 2; }; ${hookCommand("claude")}`)).toBe("");
    expect(run(absoluteHookCommand({ node: "/bin/false", script: "/bin/sh" }, "claude"))).toBe("");
  });
});
