/** `waymark guard` as it is built: without a terminal, the way scripts and agents use it. */
import { existsSync, readFileSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { withDirty, withSeed, type RuleProject } from "../spec/project.ts";
import {
  cliEnvironment,
  expectExit,
  waymarkShellCommand,
  waymarkArguments,
} from "../support/cli.ts";
import { differences } from "../support/fingerprint-diff.ts";
import { takeFingerprint } from "../support/fingerprint.ts";
import { field, items, text } from "../support/json.ts";
import { interruptingGit } from "../support/interrupting-git.ts";
import { runCommand, type CommandResult } from "../support/run-command.ts";
import { RunningGuard } from "./running-guard.ts";

/** For people, with something to read. */
function forPeople(
  { repo }: RuleProject,
  args: readonly string[],
  more: { readonly input?: Buffer; readonly env?: NodeJS.ProcessEnv } = {},
): Promise<CommandResult> {
  const env = cliEnvironment({ ...repo.env, ...more.env });
  const words = waymarkArguments(repo.root, ...args);
  return runCommand(process.execPath, words, { ...more, env });
}

const shell = (script: string): string[] => ["--", "sh", "-c", script];
const COMMIT = "git -c user.name=x -c user.email=x@example.invalid commit -q";
const WRECK = `echo wrecked > b.txt; rm a.txt; echo new > made.txt; git add -A; ${COMMIT} -m act; echo more > b.txt`;

/** Whatever happens meanwhile, nothing has changed afterwards. */
async function restored(project: RuleProject, body: () => Promise<void>): Promise<void> {
  const before = await takeFingerprint(project.repo);
  await body();
  expect(differences(await takeFingerprint(project.repo), before)).toEqual([]);
}

describe("guard", () => {
  it("passes bytes on as they are, both ways, and adds nothing to stdout", async () => {
    await withSeed(async (project) => {
      const input = Buffer.from([0, 255, 10, 13, 27, 128]);
      const args = ["guard", "--verify", "echo check; exit 0", ...shell("cat; echo err >&2")];
      const result = await forPeople(project, args, { input });
      expect(result.code).toBe(0);
      expect(result.stdout).toEqual(input);
      for (const said of ["err\n", "check\n", "guard: checkpoint cp-", "passed: no file"]) {
        expect(result.stderr).toContain(said);
      }
      const quiet = await forPeople(project, ["--quiet", ...args], { input });
      expect(quiet.stderr).toBe("err\ncheck\n");
    });
  });

  it("streams: output is there while the command still runs, also where it is kept", async () => {
    for (const more of [[], ["--retries", "1"]]) {
      await withSeed(async (project) => {
        const guard = new RunningGuard(project, ...more, ...shell("echo first; read x; echo $x"));
        await guard.wrote("first\n");
        guard.type("second\n");
        expect(await guard.end()).toBe(0);
        expect(guard.stdout.toString()).toBe("first\nsecond\n");
      });
    }
  });

  it("tells a command that its reader has gone, in every attempt", async () => {
    await withSeed(async ({ repo }) => {
      const guard = waymarkShellCommand("guard", "--retries", "1", "--", "yes");
      const line = `{ ${guard}; echo $? > ../code; } | head -n 1`;
      const options = { cwd: repo.root, env: cliEnvironment(repo.env) };
      const { stdout } = await runCommand("sh", ["-c", line], options);
      expect(stdout.toString()).toBe("y\n");
      expect(readFileSync(join(repo.base, "code"), "utf8")).toBe("7\n");
    });
  });

  it("keeps what passed", async () => {
    await withDirty(async (project) => {
      const { json } = await project.ok("guard", "--verify", "test -f made.txt", ...shell(WRECK));
      expect(json).toMatchObject({ kind: "guard", passed: true, rolled_back: false });
      expect(items(json, "attempts")).toMatchObject([
        {
          attempt: 1,
          act: { ok: true, exit_code: 0, command: ["sh", "-c", WRECK] },
          verify: [{ command: "test -f made.txt", ok: true }],
          changes: { created: ["made.txt"], modified: ["b.txt"], deleted: ["a.txt"] },
          attempt_checkpoint_id: null,
        },
      ]);
      expect(await project.repo.git("log", "-1", "--format=%s")).toBe("act\n");
      await project.rollBack(text(json, "checkpoint_id"));
      expect((await project.repo.read("a.txt")).toString()).toContain("edited again");
    });
  });

  it.each([
    ["the command", [], `${WRECK}; exit 3`],
    ["a check", ["--verify", "true", "--verify", "exit 3", "--verify", "touch ran"], WRECK],
  ] as const)(
    "[R61] takes everything back when %s fails: files, index, commits; the attempt stays",
    async (_, flags, script) => {
      await withDirty(async (project) => {
        await restored(project, async () => {
          const result = await project.run("guard", ...flags, ...shell(script));
          expectExit(result, 7);
          expect(result.json).toMatchObject({ passed: false, rolled_back: true });
          const [attempt] = items(result.json, "attempts");
          expect(attempt).toMatchObject({
            rolled_back: true,
            changes: { created: ["made.txt"], modified: ["b.txt"], deleted: ["a.txt"] },
            commits_left: [{ subject: "act" }],
          });
          if (flags.length > 0) {
            expect(items(attempt, "verify")).toMatchObject([
              { ok: true },
              { ok: false, exit_code: 3, skipped: false },
              { ok: false, skipped: true },
            ]);
          }
          const held = text(attempt, "attempt_checkpoint_id");
          const kept = await project.repo.store("show", `refs/waymark/cp/${held}:worktree/b.txt`);
          expect(kept).toBe("more\n");
        });
        await project.ok("undo", "--yes", "--discard-commits");
        expect(await project.repo.git("log", "-1", "--format=%s")).toBe("act\n");
        expect((await project.repo.read("b.txt")).toString()).toBe("more\n");
      });
    },
  );

  it("says what failed, what was undone and where the attempt is", async () => {
    await withSeed(async (project) => {
      const args = ["guard", "--verify", "echo broken >&2; exit 9", ...shell(WRECK)];
      const { code, stdout, stderr } = await forPeople(project, args);
      expect([code, stdout.toString()]).toEqual([7, ""]);
      const lines = stderr.replaceAll(/cp-00-(auto|pre-rollback)-[\w-]+/g, "<$1>").split("\n");
      expect(lines).toEqual([
        "guard: checkpoint <auto>",
        `guard: running: sh -c '${WRECK}'`,
        "guard: verify 1/1: echo broken >&2; exit 9",
        "broken",
        "guard: verify 1/1: echo broken >&2; exit 9: failed (exit 9)",
        "failed: echo broken >&2; exit 9 (exit 9)",
        "rolled back to <auto>; undone: 1 file created, 1 modified, 1 deleted",
        "  1 commit dropped from main (kept in <pre-rollback>)",
        "  the attempt is in <pre-rollback>",
        "  inspect it with: waymark diff <auto> <pre-rollback>",
        "  restore it with: waymark undo",
        "",
      ]);
      const [, from = "", to = ""] = /waymark diff (\S+) (\S+)/.exec(stderr) ?? [];
      expect((await project.ok("diff", from, to)).json).toMatchObject({ kind: "diff" });
    });
  });

  it("says plainly that a command that failed changed nothing", async () => {
    await withSeed(async (project) => {
      const args = ["guard", "--retries", "1", "--", "false"];
      const { code, stderr } = await forPeople(project, args);
      expect(code).toBe(7);
      const lines = stderr.replaceAll(/cp-00-auto-[\w-]+/g, "<auto>").split("\n");
      expect(lines).toEqual([
        "guard: checkpoint <auto>",
        "guard: running (attempt 1/2): false",
        "guard: the command failed (exit 1)",
        "guard: attempt 1 changed nothing that the checkpoint contains",
        "guard: running (attempt 2/2): false",
        "failed: false (exit 1)",
        "nothing to roll back: the command changed nothing that the checkpoint contains",
        "",
      ]);
      const { json } = await project.run("guard", "--", "false");
      expect(json).toMatchObject({ rolled_back: true, undo_command: null });
      expect(items(json, "attempts")).toMatchObject([
        { rolled_back: true, rollback_id: null, attempt_checkpoint_id: null },
      ]);
      const listed = await project.ok("list", "--all");
      expect(items(listed.json, "checkpoints").map((one) => field(one, "trigger"))).not.toContain(
        "pre_rollback",
      );
      expectExit(await project.run("undo", "--yes"), 3);
      const [, entry] = items((await project.ok("log", "-n", "2")).json, "entries");
      expect(text(entry, "error", "message")).toBe("the attempt failed; nothing was changed");
    });
  });

  it("tries again with what went wrong, and ends with the first attempt that passes", async () => {
    await withSeed(async (project) => {
      const script =
        'test -z "$WAYMARK_GUARD_FAILURE" || cat "$WAYMARK_GUARD_FAILURE" > told.txt; ' +
        "cat b.txt >> seen.txt; echo $WAYMARK_GUARD_ATTEMPT > b.txt";
      const check = "echo tests say; cat b.txt; test $(cat b.txt) = 2";
      const { json } = await project.ok(
        "guard",
        "--retries=4",
        `--verify=${check}`,
        ...shell(script),
      );
      expect(items(json, "attempts")).toMatchObject([
        { passed: false, rolled_back: true },
        { passed: true, rolled_back: false },
      ]);
      expect((await project.repo.read("seen.txt")).toString()).toBe("beta\n");
      expect((await project.repo.read("told.txt")).toString()).toBe(
        "attempt: 1\nact: ok\nverify 1: exit 1\n\ntests say\n1\n",
      );
      const left = await readdir(await project.repo.gitPath("waymark"));
      expect(left.filter((name) => /report|lock/.test(name))).toEqual([]);
    });
  });

  it("[R63] ends what does not listen when the time is over, before it rolls back", async () => {
    await withSeed(async (project) => {
      const script =
        "(trap '' TERM; echo $$ > ../pid; while :; do echo x >> b.txt; sleep 0.05; done) & " +
        "trap '' TERM; while :; do sleep 1; done";
      const result = await project.run("guard", "--timeout", "3s", ...shell(script));
      expectExit(result, 7);
      expect(items(result.json, "attempts")).toMatchObject([
        { act: { ok: false, timed_out: true, exit_code: 137, signal: "SIGKILL" } },
      ]);
      await sleep(200);
      expect((await project.repo.read("b.txt")).toString()).toBe("beta\n");
    });
  });

  it("[R63] ends what a failed command left running, before it rolls back", async () => {
    await withSeed(async (project) => {
      const script = "(while :; do echo x >> b.txt; sleep 0.05; done) & sleep 0.2; exit 1";
      const { code, stderr } = await forPeople(project, ["guard", ...shell(script)]);
      expect(code).toBe(7);
      expect(stderr).toMatch(/guard: ended \d process/);
      await sleep(200);
      expect((await project.repo.read("b.txt")).toString()).toBe("beta\n");
    });
  });

  it("leaves a failed attempt with --keep-on-fail, and says how to go back", async () => {
    await withSeed(async (project) => {
      const args = ["guard", "--keep-on-fail", ...shell(`${WRECK}; exit 4`)];
      const { code, stderr } = await forPeople(project, args);
      expect(code).toBe(1);
      expect((await project.repo.read("b.txt")).toString()).toBe("more\n");
      const [, id = ""] =
        /roll back with: waymark rollback (\S+) --yes --discard-commits/.exec(stderr) ?? [];
      await project.rollBack(id);
      expect((await project.repo.read("b.txt")).toString()).toBe("beta\n");
    });
  });

  it("leaves commits on the branch with --keep-head", async () => {
    await withSeed(async (project) => {
      expectExit(await project.run("guard", "--keep-head", ...shell(`${WRECK}; exit 4`)), 7);
      expect(await project.repo.git("log", "-1", "--format=%s")).toBe("act\n");
      expect((await project.repo.read("b.txt")).toString()).toBe("beta\n");
    });
  });

  it("runs in the folder that it was called in", async () => {
    await withSeed(async (project) => {
      const inside = join(project.repo.root, "dir");
      const args = waymarkArguments(inside, "guard", "--verify", "pwd >&2", "--", "pwd");
      const env = cliEnvironment(project.repo.env);
      const result = await runCommand(process.execPath, args, { env });
      expect(result.stdout.toString()).toBe(`${inside}\n`);
      expect(result.stderr).toContain(`\n${inside}\n`);
    });
  });

  it("[R60] runs nothing when no checkpoint can be taken", async () => {
    await withDirty(async (project) => {
      const env = { WAYMARK_CAPTURE_MAX_FILES: "1" };
      const result = await forPeople(project, ["guard", ...shell("touch ../ran")], { env });
      expect(result.code).toBe(1);
      expect(result.stderr).toContain("error:");
      expect(existsSync(join(project.repo.base, "ran"))).toBe(false);
    });
  });

  it("a program that is not there is a wrong command line, and nothing is rolled back", async () => {
    await withDirty(async (project) => {
      const result = await project.run("guard", "--", "no-such-program");
      expectExit(result, 2);
      expect(field(result.json, "error")).toMatchObject({
        code: "usage",
        message: "command not found: no-such-program",
      });
      expect((await project.run("undo", "--yes")).code).toBe(3);
    });
  });

  it.each([
    [["guard"]],
    [["guard", "--"]],
    [["guard", "--retries", "x", "--", "true"]],
    [["guard", "--timeout", "0s", "--", "true"]],
    [["guard", "--timeout", "soon", "--", "true"]],
    [["guard", "--no-such-flag", "true"]],
  ])("%j is a wrong command line, and nothing is run", async (args) => {
    await withSeed(async (project) => {
      expectExit(await project.run(...args), 2);
      expect(await project.repo.storeRefs("refs/waymark")).toBe("");
    });
  });

  it("leaves the flags of the command to the command", async () => {
    await withSeed(async (project) => {
      const script = 'printf "%s " "$@"';
      const words = ["--json", "--quiet", "-C", "x", "--verify", "--", "a b"];
      const args = ["guard", "--", "sh", "-c", script, "sh", ...words];
      expect((await forPeople(project, args)).stdout.toString()).toBe(`${words.join(" ")} `);
    });
  });

  it("works inside of another, with the number of the attempt of its own", async () => {
    await withDirty(async (project) => {
      await restored(project, async () => {
        const words = ["guard", "--retries", "1", "--verify", "false"];
        const inner = waymarkShellCommand(
          ...words,
          ...shell("echo inner-$WAYMARK_GUARD_ATTEMPT; echo x > b.txt"),
        );
        const args = ["guard", ...shell(`echo outer > a.txt; ${inner}`)];
        const { code, stdout } = await forPeople(project, args);
        expect(code).toBe(7);
        expect(stdout.toString()).toBe("inner-1\ninner-2\n");
      });
    });
  });

  it("[R62] its checkpoint can be neither deleted nor cleaned up while it runs", async () => {
    await withSeed(async (project) => {
      const script =
        `${waymarkShellCommand("create", "--force")}; ${waymarkShellCommand("create", "--force")}; ` +
        `${waymarkShellCommand("cleanup", "--keep", "1", "--now", "--yes")}; ` +
        `${waymarkShellCommand("delete", "--yes", "--force", "--now")} $WAYMARK_GUARD; echo code $?; exit 1`;
      const { code, stdout, stderr } = await forPeople(project, ["guard", ...shell(script)]);
      expect(stdout.toString()).toContain("code 5\n");
      expect(stderr).toContain("is needed by a running guard");
      expect(code).toBe(7);
    });
  });

  it("one is at work in each of two linked work trees at once, and none besides in the same", async () => {
    await withSeed(async (project) => {
      await project.repo.git("worktree", "add", "-q", "../linked", "other");
      const linked = project.at("linked");
      const script = "echo begun; echo x > b.txt; read line; exit 1";
      const guards = [project, linked].map((each) => new RunningGuard(each, ...shell(script)));
      for (const guard of guards) await guard.wrote("begun\n");
      const second = await project.run("guard", "--", "true");
      expectExit(second, 6);
      expect(field(second.json, "error", "code")).toBe("locked");
      for (const guard of guards) guard.type("\n");
      expect(await Promise.all(guards.map((guard) => guard.end()))).toEqual([7, 7]);
      for (const { repo } of [project, linked]) {
        expect((await repo.read("b.txt")).toString()).toBe("beta\n");
        expect(await repo.git("status", "--short")).toBe("");
      }
      expect((await project.ok("guard", "--", "true")).json).toMatchObject({ passed: true });
    });
  });
});

describe("a guard that is ended", () => {
  const script = "echo half > b.txt; echo $$; while :; do sleep 0.1; done";

  /** Kills a guard in the middle, and the command that it ran; its checkpoint. */
  async function killedIn(project: RuleProject): Promise<string> {
    const guard = new RunningGuard(project, ...shell(script));
    await guard.wrote("\n");
    guard.send("SIGKILL");
    process.kill(Number(guard.stdout.toString()), "SIGKILL");
    expect(await guard.end()).toBe(null);
    return /checkpoint (cp-\S+)/.exec(guard.stderr)?.[1] ?? "";
  }

  it.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)(
    "[R63] %s ends the command and rolls back: exit code 130",
    async (signal) => {
      await withDirty(async (project) => {
        await restored(project, async () => {
          const guard = new RunningGuard(project, "--retries", "3", ...shell(script));
          await guard.wrote("\n");
          guard.send(signal);
          expect(await guard.end()).toBe(130);
          expect(guard.stderr).toContain(
            `interrupted by ${signal === "SIGINT" ? "Ctrl+C" : signal}\nrolled back to cp-`,
          );
        });
      });
    },
  );

  it("[R63] Ctrl+C that reaches the whole process group does not end the gits of its rollback", async () => {
    await withDirty(async (project) => {
      const among = await interruptingGit(project.repo, 2);
      await restored(project, async () => {
        const failing = shell(`${WRECK}; false`);
        const guard = new RunningGuard(among, ...failing);
        expect({ code: await guard.end(), said: guard.stderr }).toMatchObject({
          code: 130,
          said: expect.stringContaining("rolled back to cp-"),
        });
      });
    });
  });

  it("prints its document with --json", async () => {
    await withSeed(async (project) => {
      // The output of the command is on stderr then.
      const guard = new RunningGuard(project, "--json", ...shell("touch begun; sleep 60"));
      while (!(await project.repo.exists("begun"))) await sleep(5);
      guard.send("SIGTERM");
      expect(await guard.end()).toBe(130);
      expect(JSON.parse(guard.stdout.toString())).toMatchObject({
        passed: false,
        rolled_back: true,
        interrupted_by: "SIGTERM",
      });
    });
  });

  it("[R62] kill -9 leaves its checkpoint, which cleanup keeps and the next command names once", async () => {
    await withDirty(async (project) => {
      await restored(project, async () => {
        const id = await killedIn(project);
        const doctor = await project.run("doctor");
        expect(items(doctor.json, "checks")).toContainEqual(
          expect.objectContaining({ name: "guard", status: "warning", fixable: true }),
        );
        await project.ok("cleanup", "--keep", "1", "--now", "--yes");
        expect((await forPeople(project, ["list"])).stderr).toContain(`waymark rollback ${id}`);
        const first = await project.ok("create", "--force");
        expect(items(first.json, "warnings")).toEqual([expect.stringContaining(id)]);
        const second = await project.ok("create", "--force");
        expect(items(second.json, "warnings")).toEqual([]);
        await project.rollBack(id);
      });
    });
  });

  it("doctor --fix and a rollback to its checkpoint end the story of a killed one", async () => {
    await withSeed(async (project) => {
      const marks = (): Promise<string[]> =>
        readdir(join(project.repo.root, ".git/waymark/guards"));
      await project.rollBack(await killedIn(project));
      expect(await marks()).toEqual([]);
      const id = await killedIn(project);
      const mark = join(project.repo.root, ".git/waymark/guards", `${id}.json`);
      expect(JSON.parse(readFileSync(mark, "utf8"))).toMatchObject({ checkpoint_id: id });
      await project.ok("doctor", "--fix");
      expect(await marks()).toEqual([]);
    });
  });
});
