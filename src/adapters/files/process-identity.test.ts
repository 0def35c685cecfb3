import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { deadIdentity } from "./process-identity.fixture.ts";
import { isAlive, ownIdentity } from "./process-identity.ts";

/** When a process began, read in another way; nothing where there is no /proc. */
function startOf(pid: number): string {
  const path = `/proc/${pid}/stat`;
  const stat = existsSync(path) ? readFileSync(path, "latin1") : "";
  return /\) (?:\S+ ){19}(\S+)/.exec(stat)?.[1] ?? "";
}

describe("isAlive", () => {
  it("knows its own process", () => {
    expect(ownIdentity()).toMatchObject({ pid: process.pid, started: startOf(process.pid) });
    expect(isAlive(ownIdentity())).toBe("alive");
  });

  it("knows another process while it runs, and after it has ended", async () => {
    const child = spawn("sh", ["-c", "read line"], { stdio: ["pipe", "ignore", "ignore"] });
    const pid = child.pid ?? 0;
    const identity = { ...ownIdentity(), pid, started: startOf(pid) };
    expect(isAlive(identity)).toBe("alive");
    child.stdin.end("go\n");
    await once(child, "close");
    expect(isAlive(identity)).toBe("dead");
  });

  it("is not fooled by a process id that is used again", () => {
    expect(isAlive(deadIdentity())).toBe("dead");
  });

  it("takes every process of an earlier start of the machine for dead", () => {
    expect(isAlive({ ...ownIdentity(), boot: "another" })).toBe("dead");
  });

  it("does not know about other machines", () => {
    expect(isAlive({ ...ownIdentity(), host: "another" })).toBe("unknown");
  });

  it("takes a process of somebody else for alive, as long as it is the same one", () => {
    expect(isAlive({ ...ownIdentity(), pid: 1, started: startOf(1) })).toBe("alive");
  });
});
