/** What would make a process wait for ever: a hook gives up in time all the same, and leaves no process behind. */
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { hasEnded } from "../support/has-ended.ts";
import { withHooks } from "./hooked-project.ts";

const env = { WAYMARK_AGENTS_DEADLINE: "3s", WAYMARK_AGENTS_POLICY: "fail_closed" };
/** Enough for a checkpoint on a busy machine, and to tell one that waits for ever. */
const patient = { ...env, WAYMARK_AGENTS_DEADLINE: "12s" };

function pipeAt(path: string): void {
  rmSync(path, { force: true });
  mkdirSync(dirname(path), { recursive: true });
  execFileSync("mkfifo", [path]);
}

describe("a pipe in the place of a file", () => {
  // Git itself waits for these.
  it.each([".git/info/exclude", ".gitignore"])("[R122] %s: the tool is denied", async (path) => {
    await withHooks(async (hooked) => {
      await hooked.project.repo.write("new.txt", "x\n");
      pipeAt(join(hooked.root, path));
      expect(await hooked.write("a.txt", { env })).toContain('"deny"');
    });
  });

  it.each([
    "waymark.yml",
    ".git/waymark/agents/turn.lock",
    ".git/waymark/latest.json",
    ".git/waymark/rollback-notes.json",
    ".git/waymark/audit.log",
  ])("[R122] %s: the checkpoint is taken", async (path) => {
    await withHooks(async (hooked) => {
      await hooked.prompt("go");
      await hooked.project.repo.write("new.txt", "x\n");
      pipeAt(join(hooked.root, path));
      await hooked.write("a.txt", { env: patient });
      rmSync(join(hooked.root, path));
      expect(await hooked.checkpoints()).toHaveLength(2);
    });
  });

  it("[R122] where steps are remembered: it is said", async () => {
    await withHooks(async (hooked) => {
      await hooked.prompt("go");
      pipeAt(join(hooked.root, ".git/waymark/agents/steps.ndjson"));
      const open = { env: { ...patient, WAYMARK_AGENTS_POLICY: "fail_open" } };
      expect(await hooked.write("a.txt", open)).toContain("steps.ndjson");
    });
  });
});

describe("a git that never ends", () => {
  it("[R122] is ended with the hook that started it", async () => {
    await withHooks(async (hooked) => {
      const folder = join(hooked.project.repo.base, "endless");
      const pids = join(folder, "pids");
      mkdirSync(folder);
      writeFileSync(
        join(folder, "git"),
        `#!/bin/sh\nPATH=$REAL_PATH\ncase "$*" in *diff-files*) echo $$ >>"$PIDS"; exec sleep 600;; esac\nexec git "$@"\n`,
      );
      chmodSync(join(folder, "git"), 0o755);
      const REAL_PATH = process.env["PATH"] ?? "";
      const PATH = `${folder}${delimiter}${REAL_PATH}`;
      const endless = { ...env, WAYMARK_AGENTS_DEADLINE: "6s", PATH, REAL_PATH, PIDS: pids };
      const said = await hooked.write("a.txt", { env: endless });
      expect(said).toContain("longer than 6 seconds");
      const started = readFileSync(pids, "utf8").split("\n").filter(Boolean).map(Number);
      expect(started.length).toBeGreaterThan(0);
      await expect
        .poll(() => started.filter((each) => !hasEnded(each)), { timeout: 60_000 })
        .toEqual([]);
    });
  });
});
