import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { deadIdentity } from "./process-identity.fixture.ts";
import { isAlive, ownIdentity } from "./process-identity.ts";
import { FIRST_NAMESPACE } from "./process-table.ts";
import { canUnshare, sandboxed } from "./unshare.fixture.ts";

/** When a process began, read in another way; nothing where there is no /proc. */
function startOf(pid: number): string {
  const path = `/proc/${pid}/stat`;
  const stat = existsSync(path) ? readFileSync(path, "latin1") : "";
  return /\) (?:\S+ ){19}(\S+)/.exec(stat)?.[1] ?? "";
}

const HAS_PROC = ownIdentity().pid_namespace !== undefined;
const IF_TOLD = HAS_PROC ? "alive" : "unknown";

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
    expect(isAlive({ ...ownIdentity(), host: "another", boot: "another" })).toBe("unknown");
  });

  it("knows the processes of a machine that got another name since it was started", () => {
    expect(isAlive({ ...ownIdentity(), host: "earlier" })).toBe(IF_TOLD);
    expect(isAlive({ ...deadIdentity(), host: "earlier" })).toBe(HAS_PROC ? "dead" : "unknown");
  });

  it("goes by the name of the machine where an earlier version wrote down no namespace", () => {
    const { pid_namespace: _, ...earlier } = ownIdentity();
    expect(isAlive(earlier)).toBe("alive");
    expect(isAlive({ ...earlier, started: "1" })).toBe(HAS_PROC ? "dead" : "alive");
    expect(isAlive({ ...earlier, host: "another" })).toBe("unknown");
  });

  it("takes no process of another namespace for dead that it may not see", () => {
    const elsewhere = { ...ownIdentity(), pid_namespace: "1", started: "" };
    expect(isAlive(elsewhere)).toBe(HAS_PROC ? "unknown" : "alive");
    expect(isAlive({ ...elsewhere, boot: "another" })).toBe("dead");
  });

  it("calls nobody dead where /proc cannot be read and the other one could", async () => {
    const seen = { ...ownIdentity(), boot: "a boot", started: "1", pid_namespace: "1" };
    vi.resetModules();
    vi.doMock("./process-table.ts", () => ({
      bootId: () => "",
      ownNamespace: () => undefined,
      startTime: () => undefined,
    }));
    onTestFinished(() => {
      vi.doUnmock("./process-table.ts");
      vi.resetModules();
    });
    const { isAlive: isAliveBlind } = await import("./process-identity.ts");
    expect(isAliveBlind(seen)).toBe("unknown");
    expect(isAliveBlind({ ...seen, boot: "" })).toBe("unknown");
    const { pid_namespace: _, ...blind } = { ...seen, boot: "" };
    expect(isAliveBlind(blind)).toBe("alive");
    expect(isAliveBlind({ ...blind, pid: 0x3fff_ffff })).toBe("dead");
  });

  it("takes a process of somebody else for alive, as long as it is the same one", () => {
    expect(isAlive({ ...ownIdentity(), pid: 1, started: startOf(1) })).toBe("alive");
  });
});

describe.skipIf(!canUnshare)("a process in a sandbox (needs unshare)", () => {
  it("is alive as long as it runs, whatever its number means here", async () => {
    const { identity, end } = await sandboxed();
    expect(identity.pid_namespace).not.toBe(ownIdentity().pid_namespace);
    expect(isAlive(identity)).toBe("alive");
    await end();
    const seesAll = ownIdentity().pid_namespace === FIRST_NAMESPACE;
    expect(isAlive(identity)).toBe(seesAll ? "dead" : "unknown");
  });

  it("is dead after a new start of the machine", async () => {
    const { identity, end } = await sandboxed();
    onTestFinished(end);
    expect(isAlive({ ...identity, boot: "another" })).toBe("dead");
  });
});
