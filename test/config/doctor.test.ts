/** `waymark doctor` in the running product, in health and in every kind of trouble. */
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { hostname } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  type CliResult,
  cliEnvironment,
  expectExit,
  waymark,
  waymarkArguments,
} from "../support/cli.ts";
import { strictDifferences } from "../support/fingerprint-diff.ts";
import { takeFingerprint } from "../support/fingerprint.ts";
import { field, flag, items, text } from "../support/json.ts";
import { runCommand } from "../support/run-command.ts";
import { deadIntent } from "../support/rollback-intent.ts";
import { type RuleProject, withDirty, withSeed } from "../spec/project.ts";
import { withTempProject } from "../support/temp-repository.ts";

interface Check {
  readonly status: string;
  readonly message: string;
  readonly items: readonly string[];
  readonly fixed: boolean;
}

function checks(result: CliResult, name: string): Check[] {
  return items(result.json, "checks")
    .filter((check) => text(check, "name") === name)
    .map((check) => ({
      status: text(check, "status"),
      message: text(check, "message"),
      items: items(check, "items").map(String),
      fixed: flag(check, "fixed"),
    }));
}

const bad = (result: CliResult): string[] =>
  items(result.json, "checks")
    .filter((check) => text(check, "status") !== "ok")
    .map((check) => `${text(check, "name")} ${text(check, "status")}`);

async function inGit(project: RuleProject, name: string, content: string): Promise<string> {
  const path = await project.repo.gitPath(name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
  return path;
}

/** A process of this machine before its last start: nobody can be it. */
const DEAD = { host: hostname(), boot: "another boot", pid: 1, started: "1" };

describe("doctor", () => {
  it("finds nothing wrong with a healthy project, and changes nothing", async () => {
    await withDirty(async (project) => {
      await project.create();
      const before = await takeFingerprint(project.repo);
      const result = await project.ok("doctor", "--fix");
      expect(bad(result)).toEqual([]);
      expect(result.json).toMatchObject({ kind: "doctor", problems: 0, warnings: 0 });
      expect(strictDifferences(await takeFingerprint(project.repo), before)).toEqual([]);
    });
  });

  it("checks the machine alone outside of a repository, and in a folder that is not there", async () => {
    await withTempProject(async (repo) => {
      for (const folder of [repo.root, join(repo.root, "nowhere")]) {
        const result = await waymark(folder, ["doctor"], { env: repo.env });
        expectExit(result, 0);
        expect(checks(result, "git")[0]?.status).toBe("ok");
        expect(bad(result)).toEqual(["repository warning"]);
      }
    });
  });

  it.each<[string, (git: string) => void]>([
    [
      "no objects in the store",
      (git) => rmSync(join(git, "waymark/store/objects"), { recursive: true }),
    ],
    ["no refs in the store", (git) => rmSync(join(git, "waymark/store/refs"), { recursive: true })],
    [
      "a config of the store that is garbage",
      (git) => writeFileSync(join(git, "waymark/store/config"), "[garbage\n"),
    ],
    ["an empty HEAD in the store", (git) => writeFileSync(join(git, "waymark/store/HEAD"), "")],
    ["no objects", (git) => rmSync(join(git, "objects"), { recursive: true })],
    ["no refs", (git) => rmSync(join(git, "refs"), { recursive: true })],
    ["a config that is garbage", (git) => writeFileSync(join(git, "config"), "[garbage\n")],
    ["an empty HEAD", (git) => writeFileSync(join(git, "HEAD"), "")],
    ["an index that is garbage", (git) => writeFileSync(join(git, "index"), "DIRCgarbage")],
    [
      "no packs and no loose objects",
      (git) => {
        rmSync(join(git, "objects"), { recursive: true });
        mkdirSync(join(git, "objects"));
      },
    ],
  ])("works in a repository with %s", async (_, damage) => {
    await withSeed(async (project) => {
      await project.create();
      damage(join(project.repo.root, ".git"));
      for (const args of [["doctor"], ["doctor", "--fix"]]) {
        const result = await project.run(...args);
        expectExit(result, 1);
        expect(result.stderr).not.toContain("bug in Waymark");
        expect(field(result.json, "problems")).not.toBe(0);
      }
    });
  });

  it("works without a config of the repository", async () => {
    await withSeed(async (project) => {
      rmSync(join(project.repo.root, ".git", "config"));
      await project.ok("doctor");
    });
  });

  it("[R45] --fix takes back an interrupted rollback; without it nothing is changed", async () => {
    await withSeed(async (project) => {
      const intent = await inGit(
        project,
        "waymark/rollback-intent.json",
        JSON.stringify({
          version: 1,
          rollback_id: "rb-1",
          owner: DEAD,
          since: "2026-01-01T00:00:00.000Z",
          phase: "locking",
          target_id: "cp-00-x",
          safety_id: null,
          lock: { dev: "1", ino: "1" },
          staging: join(project.repo.root, ".git/waymark/restore/rb-1"),
          steps: { files: [], modes: [], folders: [] },
          head: null,
          refs: [],
          new_index: null,
          changes_index: false,
          safety_index: null,
        }),
      );
      const looked = await project.run("doctor");
      expectExit(looked, 1);
      expect(checks(looked, "rollback")).toMatchObject([{ status: "problem", fixed: false }]);
      expect(existsSync(intent)).toBe(true);
      const fixed = await project.ok("doctor", "--fix");
      expect(checks(fixed, "rollback")).toMatchObject([{ status: "ok", fixed: true }]);
      expect(existsSync(intent)).toBe(false);
    });
  });

  it("[R45] names a rollback of a process that cannot be seen, and --fix leaves it alone", async () => {
    await withSeed(async (project) => {
      const owner = { host: "container1", boot: "another", pid: 7, started: "1" };
      const staging = join(project.repo.root, ".git/waymark/restore/rb-1");
      const intent = deadIntent({
        rollback_id: "rb-1",
        target_id: "cp-00-x",
        safety_id: null,
        staging,
        owner,
      });
      const record = await inGit(project, "waymark/rollback-intent.json", JSON.stringify(intent));
      const held = {
        ...owner,
        token: "t",
        since: "2026-01-01T00:00:00.000Z",
        doing: "rolling back",
      };
      const lock = await inGit(project, "waymark/rollback.lock", JSON.stringify(held));
      for (const words of [["doctor"], ["doctor", "--fix"]]) {
        const looked = await project.run(...words);
        expectExit(looked, 1);
        expect(checks(looked, "rollback")).toMatchObject([
          {
            status: "problem",
            message: expect.stringContaining("process 7 on container1"),
            fixed: false,
          },
        ]);
      }
      expect([existsSync(record), existsSync(lock)]).toEqual([true, true]);
      expect((await project.ok("list")).json).toMatchObject({
        unfinished_rollback: { owner: { host: "container1", pid: 7, may_be_at_work: true } },
      });
    });
  });

  it("[R45] --fix removes what killed commands left, and nothing of live ones", async () => {
    await withSeed(async (project) => {
      await project.create();
      const dead = [
        dirname(
          await inGit(
            project,
            "waymark/quarantine/dead/owner.json",
            JSON.stringify({ ...DEAD, keeps: [], refLocks: [] }),
          ),
        ),
        await inGit(
          project,
          "waymark/rollback.lock",
          JSON.stringify({ ...DEAD, token: "t", since: "", doing: "" }),
        ),
        await inGit(project, "waymark/packs.lock", "half a lo"),
      ];
      const alive = dirname(
        await inGit(
          project,
          "waymark/quarantine/alive/owner.json",
          JSON.stringify({ ...DEAD, host: "another-machine", keeps: [], refLocks: [] }),
        ),
      );
      const looked = await project.ok("doctor");
      expect(checks(looked, "leftovers")).toMatchObject([{ status: "warning" }]);
      expect(dead.every((path) => existsSync(path))).toBe(true);
      const fixed = await project.ok("doctor", "--fix");
      expect(checks(fixed, "leftovers")).toMatchObject([{ status: "ok", fixed: true }]);
      expect(dead.filter((path) => existsSync(path))).toEqual([]);
      expect(existsSync(alive)).toBe(true);
    });
  });

  it.each(["run.lock", "guard.lock", "agents/turn.lock", "rollback.lock.takeover"])(
    "finds %s of a killed command when nothing else was left",
    async (name) => {
      await withSeed(async (project) => {
        const owner = { ...DEAD, token: "t", since: "", doing: "" };
        const lock = await inGit(project, `waymark/${name}`, JSON.stringify(owner));
        expect(checks(await project.ok("doctor"), "leftovers")).toMatchObject([
          { status: "warning" },
        ]);
        await project.ok("doctor", "--fix");
        expect(existsSync(lock)).toBe(false);
      });
    },
  );

  it("[R45] lists files that rollbacks kept and never deletes them", async () => {
    await withSeed(async (project) => {
      const file = await inGit(project, "waymark/restore/kept-rb-1/aside/1", "somebody's save\n");
      const result = await project.ok("doctor", "--fix");
      expect(checks(result, "kept_files")).toMatchObject([
        { status: "warning", items: [expect.stringContaining("kept-rb-1")] as unknown },
      ]);
      expect(existsSync(file)).toBe(true);
    });
  });

  it("is fine with what ordinary rollbacks moved aside, unless it is old", async () => {
    await withSeed(async (project) => {
      const manifest = await inGit(project, "waymark/restore/kept-rb-1/manifest.json", "{}");
      for (const [days, status] of [
        [1, "ok"],
        [8, "warning"],
      ] as const) {
        const at = Date.now() / 1000 - days * 24 * 60 * 60;
        utimesSync(manifest, at, at);
        expect(checks(await project.run("doctor"), "kept_files")).toMatchObject([{ status }]);
      }
    });
  });

  it("names a pack of checkpoints without an index, with the command that mends it", async () => {
    await withDirty(async (project) => {
      const id = await project.create();
      const packs = project.repo.storePath("objects/pack");
      const [index = ""] = readdirSync(packs).filter((name) => name.endsWith(".idx"));
      rmSync(join(packs, index));
      const pack = join(packs, index.replace(/idx$/, "pack"));
      const found = items((await project.run("doctor")).json, "checks").filter(
        (check) => text(check, "name") === "store" && text(check, "status") === "warning",
      );
      expect(found).toMatchObject([{ hint: `Run \`git index-pack ${pack}\`.` }]);
      await project.repo.git("index-pack", pack);
      expect(bad(await project.ok("doctor"))).toEqual([]);
      expectExit(await project.run("validate", id), 0);
    });
  });

  it("names damaged checkpoints and still counts the others", async () => {
    await withSeed(async (project) => {
      await project.create();
      const id = await project.create("--name", "broken");
      await inGit(project, `waymark/store/refs/waymark/cp/${id}`, "not an object id\n");
      const result = await project.run("doctor");
      expectExit(result, 1);
      expect(checks(result, "checkpoints")).toMatchObject([
        {
          status: "ok",
          message: expect.stringContaining("of 1 checkpoint can be read") as unknown,
        },
        { status: "problem", message: expect.stringContaining(id) },
      ]);
    });
  });

  it("names settings that are wrong or unknown", async () => {
    await withSeed(async (project) => {
      await project.repo.write("waymark.yml", "strategy: sometimes\nstratgy: smart\n");
      const result = await project.run("doctor");
      expectExit(result, 1);
      expect(checks(result, "config").map(({ status }) => status)).toEqual(["problem", "warning"]);
    });
  });

  it("tells of a lock of git that nobody removed", async () => {
    await withSeed(async (project) => {
      const lock = await inGit(project, "index.lock", "");
      expect(bad(await project.ok("doctor"))).toEqual([]);
      utimesSync(lock, 1000, 1000);
      expect(bad(await project.ok("doctor", "--fix"))).toEqual(["index_lock warning"]);
      expect(existsSync(lock)).toBe(true);
    });
  });

  it("says which files are too large to be held", async () => {
    await withSeed(async (project) => {
      await project.agreeTo("capture: {max_file_mb: 1}\n");
      await project.repo.write("large", Buffer.alloc(1024 * 1024 + 1));
      const result = await project.ok("doctor");
      expect(checks(result, "capture")).toMatchObject([
        { status: "ok" },
        { status: "warning", message: expect.stringContaining("large") },
      ]);
      expect(readdirSync(await project.repo.gitPath("waymark/quarantine"))).toEqual([]);
    });
  });

  it("says which git is too old, and every other command fails with that reason", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      // What git before 2.31 does with an option of rev-parse that it does not know: repeat it.
      const shim = join(repo.base, "old", "git");
      mkdirSync(dirname(shim));
      const script = [
        "#!/bin/sh",
        'case "$*" in',
        '  *" version") echo "git version 2.25.1" ;;',
        '  *--path-format*) printf "%s\\n" --path-format=absolute false sha1 .git "$PWD/.git" "$PWD" ;;',
        '  *) PATH="${PATH#*:}"; exec git "$@" ;;',
        "esac",
        "",
      ];
      writeFileSync(shim, script.join("\n"), { mode: 0o755 });
      const env = { ...repo.env, PATH: `${dirname(shim)}:${repo.env["PATH"] ?? ""}` };
      const refused = await waymark(repo.root, ["list"], { env });
      expectExit(refused, 1);
      expect(text(refused.json, "error", "code")).toBe("git_too_old");
      const result = await waymark(repo.root, ["doctor"], { env });
      expectExit(result, 1);
      expect(bad(result)).toEqual(["git problem", "repository problem"]);
    });
  });

  it("works where there is no git at all", async () => {
    await withSeed(async ({ repo }) => {
      const result = await waymark(repo.root, ["doctor"], {
        env: { ...repo.env, PATH: repo.base },
      });
      expectExit(result, 1);
      expect(bad(result)).toEqual(["git problem", "repository problem"]);
    });
  });

  it.skipIf(process.getuid?.() !== 0)(
    "tells of a repository that belongs to somebody else",
    async () => {
      await withSeed(async (project) => {
        chownSync(project.repo.root, 12_345, 12_345);
        chownSync(join(project.repo.root, ".git"), 12_345, 12_345);
        const result = await project.run("doctor");
        expectExit(result, 1);
        expect(checks(result, "repository")[0]?.message).toContain("another user owns it");
      });
    },
  );

  it.skipIf(process.getuid?.() === 0)("tells of what may not be read or written", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      await repo.write("closed.txt", "x\n");
      chmodSync(repo.path("closed.txt"), 0);
      const objects = join(repo.root, ".git", "objects");
      chmodSync(objects, 0o555);
      const result = await project.run("doctor");
      chmodSync(objects, 0o755);
      expect(checks(result, "permissions")[0]?.status).toBe("problem");
      expect(JSON.stringify(checks(result, "capture"))).toContain("closed.txt");
    });
  });

  it("lists paths one per line, a few of them; --all and --json list every one", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      await project.create();
      for (let at = 0; at < 12; at++)
        await repo.write(`big-${at}.bin`, "x".repeat(6 * 1024 * 1024));
      await repo.write("waymark.yml", "capture: {max_file_mb: 5}\n");
      const printed = async (...args: string[]): Promise<string> => {
        const words = waymarkArguments(repo.root, "doctor", ...args);
        const { stdout } = await runCommand(process.execPath, words, {
          env: cliEnvironment(repo.env),
        });
        return stdout.toString("utf8");
      };
      const few = await printed();
      expect(few).toMatch(
        /warning +capture +files that are too large for checkpoints: 12\n +big-0\.bin\n/,
      );
      expect(few).toContain("and 8 more (--all or --json lists them)");
      expect(few.match(/big-/g)).toHaveLength(4);
      expect((await printed("--all")).match(/big-/g)).toHaveLength(12);
      const { json } = await project.ok("doctor");
      const all = items(json, "checks").flatMap((check) => items(check, "items"));
      expect(all.filter((item) => String(item).startsWith("big-"))).toHaveLength(12);
    });
  });
});
