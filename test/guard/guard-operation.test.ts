/** The library's `guard` on real repositories. */
import { readFile, rm } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { openGitProject, type OpenOptions } from "../../src/app.ts";
import { Failure } from "../../src/domain/failure.ts";
import { guardDocument } from "../../src/operations/documents/guard-document.ts";
import { guard, type GuardEvent, type GuardRequest } from "../../src/operations/guard.ts";
import type { Project } from "../../src/operations/project.ts";
import { readJournal } from "../../src/operations/read-journal.ts";
import { undo } from "../../src/operations/undo.ts";
import type { Interruption } from "../../src/ports/interruption.ts";
import { withDirty } from "../spec/project.ts";
import { differences } from "../support/fingerprint-diff.ts";
import { takeFingerprint } from "../support/fingerprint.ts";
import { saveMeanwhile } from "../support/save-meanwhile.ts";
import type { TempRepository } from "../support/temp-repository.ts";

interface Scene {
  readonly repo: TempRepository;
  readonly project: Project;
}

async function withScene(
  body: (scene: Scene) => Promise<void>,
  options: Partial<OpenOptions> = {},
): Promise<void> {
  await withDirty(async ({ repo }) => {
    const project = await openGitProject({ directory: repo.root, ...options });
    try {
      await body({ repo, project });
    } finally {
      project.close();
    }
  });
}

async function failureOf(work: Promise<unknown>): Promise<Failure> {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error instanceof Failure) return error;
  throw new Error(`a failure was expected, and not ${String(error)}`);
}

/** Changes of many kinds, commits and a detached HEAD among them. */
async function wreck(repo: TempRepository): Promise<void> {
  await repo.write("b.txt", "wrecked\n");
  await repo.remove("a.txt");
  await repo.write("made/by/act.txt", "new\n");
  await repo.git("add", "-A");
  await repo.commit("by the act");
  await repo.git("checkout", "-q", "--detach");
  await repo.commit("beside the branch");
  await repo.write("b.txt", "wrecked again\n");
}

describe("guard", () => {
  it("leaves what passed, and says what was changed", async () => {
    await withScene(async ({ repo, project }) => {
      const seen: number[] = [];
      const result = await guard(project, {
        act: async ({ attempt }) => {
          seen.push(attempt);
          await repo.write("b.txt", "better\n");
          await repo.write("made.txt", "new\n");
          await repo.remove("a.txt");
        },
        verify: [async () => true, async () => undefined],
      });
      expect(result).toMatchObject({ passed: true, rolledBack: false, interruptedBy: null });
      expect(result.attempts).toMatchObject([
        {
          changes: { created: ["made.txt"], modified: ["b.txt"], deleted: ["a.txt"] },
          rollback: null,
          verify: [{ ok: true }, { ok: true }],
        },
      ]);
      expect(seen).toEqual([1]);
      expect((await repo.read("b.txt")).toString()).toBe("better\n");
      expect(result.checkpoint).toMatchObject({ trigger: "auto" });
      expect((await readJournal(project, {})).entries[0]).toMatchObject({
        kind: "guard",
        checkpoint_ids: [result.checkpoint.id],
        details: { passed: true, attempts: 1, rolled_back: false },
      });
    });
  });

  it.each<[string, Partial<GuardRequest>]>([
    ["an act that throws", { act: () => Promise.reject(new Error("no luck")) }],
    ["an act that says no", { act: async () => false }],
    ["a check that throws", { verify: () => Promise.reject(new Error("no luck")) }],
    ["a check that says no", { verify: [async () => true, async () => false] }],
  ])("[R61] takes back everything after %s, and undo brings it back", async (_, given) => {
    await withScene(async ({ repo, project }) => {
      const before = await takeFingerprint(repo);
      let wrecked = before;
      const result = await guard(project, {
        ...given,
        act: async (context) => {
          await wreck(repo);
          wrecked = await takeFingerprint(repo);
          return given.act?.(context);
        },
      });
      expect(result).toMatchObject({ passed: false, rolledBack: true });
      expect(differences(await takeFingerprint(repo), before)).toEqual([]);
      const [attempt] = result.attempts;
      expect(attempt?.changes).toMatchObject({
        created: ["made/by/act.txt"],
        modified: ["b.txt"],
        deleted: ["a.txt"],
      });
      await undo(project, {
        sessionId: result.checkpoint.session_id,
        discardCommits: true,
        reason: null,
        confirmed: true,
        confirm: () => Promise.resolve(true),
      });
      expect(differences(await takeFingerprint(repo), wrecked)).toEqual([]);
    });
  });

  it("[R7] reports what somebody saved while an attempt was rolled back", async () => {
    await withScene(async ({ repo, project }) => {
      saveMeanwhile(project, async () => repo.write("b.txt", "saved meanwhile\n"));
      const result = await guard(project, {
        act: async () => {
          await repo.write("b.txt", "broke\n");
          throw new Error("no");
        },
        retries: 1,
      });
      expect((await repo.read("b.txt")).toString()).toBe("saved meanwhile\n");
      expect(result.warnings).toContain(
        "b.txt was changed by another process meanwhile; that content is kept at its path",
      );
      const document = guardDocument(result, { act: ["act"], verify: [] });
      const kept = [{ path: "b.txt", reason: "changed_meanwhile", kept_at: "its path" }];
      expect(document).toMatchObject({ attempts: [{ kept }, { kept }] });
    });
  });

  it("tries again from the same state, with the report about the last failure", async () => {
    await withScene(async ({ repo, project }) => {
      const began: string[] = [];
      const told: (string | undefined)[] = [];
      const events: GuardEvent["kind"][] = [];
      const result = await guard(project, {
        retries: 3,
        act: async ({ attempt, env }) => {
          began.push((await repo.read("b.txt")).toString());
          const report = env["WAYMARK_GUARD_FAILURE"] ?? "";
          told.push(report === "" ? "" : await readFile(report, "utf8"));
          await repo.write("b.txt", `attempt ${attempt}\n`);
        },
        verify: ({ attempt }) =>
          attempt < 3 ? Promise.reject(new Error(`not ${attempt}`)) : Promise.resolve(),
        onEvent: ({ kind }) => events.push(kind),
      });
      expect(result.passed).toBe(true);
      expect(began).toEqual(Array(3).fill("beta, edited\n"));
      expect(told).toEqual([
        "",
        "attempt: 1\nact: ok\nverify 1: not 1\n\nnot 1\n",
        "attempt: 2\nact: ok\nverify 1: not 2\n\nnot 2\n",
      ]);
      expect(result.attempts.map(({ rollback }) => rollback?.plan.target.id)).toEqual([
        result.checkpoint.id,
        result.checkpoint.id,
        undefined,
      ]);
      const failing = ["act", "verify", "verified", "failed"];
      expect(events).toEqual(["checkpoint", ...failing, ...failing, "act", "verify", "verified"]);
    });
  });

  it("runs no check after a failure, and none after an act that failed", async () => {
    await withScene(async ({ project }) => {
      const ran: string[] = [];
      const check = (name: string, ok: boolean) => async () => {
        ran.push(name);
        return ok;
      };
      const verify = [check("one", true), check("two", false), check("three", true)];
      const { attempts } = await guard(project, { act: async () => undefined, verify });
      expect(attempts[0]?.verify).toMatchObject([
        { ok: true, skipped: false },
        { ok: false, skipped: false },
        { ok: false, skipped: true },
      ]);
      await guard(project, { act: async () => false, verify });
      expect(ran).toEqual(["one", "two"]);
    });
  });

  it("tells a step when its time is over, and waits until it has ended", async () => {
    await withScene(async ({ repo, project }) => {
      const result = await guard(project, {
        timeoutMs: 20,
        act: async ({ signal }) => {
          await new Promise((resolve) => signal.addEventListener("abort", resolve));
          await repo.write("late.txt", "written after the end\n");
        },
      });
      expect(result.attempts[0]).toMatchObject({
        act: { ok: false, timedOut: true },
        changes: { created: ["late.txt"] },
      });
      expect(await repo.exists("late.txt")).toBe(false);
    });
  });

  it("does not take a time beyond the longest timer for no time at all", async () => {
    await withScene(async ({ project }) => {
      const act = () => new Promise<void>((resolve) => void setTimeout(resolve, 30));
      expect(await guard(project, { act, timeoutMs: 2 ** 40 })).toMatchObject({ passed: true });
    });
  });

  it("keeps what the last attempt did where it is asked to", async () => {
    await withScene(async ({ repo, project }) => {
      const act: GuardRequest["act"] = async ({ attempt }) => {
        await repo.write(`made-${attempt}.txt`, "new\n");
        return false;
      };
      const result = await guard(project, { act, retries: 1, keepOnFail: true });
      expect(result).toMatchObject({ passed: false, rolledBack: false });
      expect(await repo.exists("made-1.txt")).toBe(false);
      expect(await repo.exists("made-2.txt")).toBe(true);
      expect(result.attempts[1]?.changes?.created).toEqual(["made-2.txt"]);
    });
  });

  it("leaves commits on their branch with keepHead", async () => {
    await withScene(async ({ repo, project }) => {
      const act = async () => {
        await repo.commit("stays");
        await repo.write("b.txt", "goes\n");
        return false;
      };
      await guard(project, { act, keepHead: true });
      expect(await repo.git("log", "-1", "--format=%s")).toBe("stays\n");
      expect((await repo.read("b.txt")).toString()).toBe("beta, edited\n");
    });
  });

  it("[R60] acts on nothing when no checkpoint can be taken", async () => {
    await withScene(
      async ({ project }) => {
        let acted = false;
        const act = async () => void (acted = true);
        expect((await failureOf(guard(project, { act }))).code).toBe("over_budget");
        expect(acted).toBe(false);
        // The place is free again.
        expect((await failureOf(guard(project, { act }))).code).toBe("over_budget");
      },
      { policy: { maxFiles: 1 } },
    );
  });

  it("works inside of another, which takes back what the inner one kept", async () => {
    await withScene(async ({ repo, project }) => {
      const before = await takeFingerprint(repo);
      const outer = await guard(project, {
        act: async ({ checkpointId }) => {
          const inner = await guard(project, {
            within: checkpointId,
            act: async () => repo.write("b.txt", "inner\n"),
          });
          expect(inner.passed).toBe(true);
          const failed = await guard(project, {
            within: checkpointId,
            act: async () => {
              await repo.write("b.txt", "inner, failed\n");
              return false;
            },
          });
          expect(failed.rolledBack).toBe(true);
          expect((await repo.read("b.txt")).toString()).toBe("inner\n");
          return false;
        },
      });
      expect(outer.rolledBack).toBe(true);
      expect(differences(await takeFingerprint(repo), before)).toEqual([]);
    });
  });

  it("is refused while another one is at work here", async () => {
    await withScene(async ({ project }) => {
      const result = await guard(project, {
        act: async () => {
          const other = guard(project, { act: async () => undefined });
          expect((await failureOf(other)).code).toBe("locked");
        },
      });
      expect(result.passed).toBe(true);
    });
  });

  it("says how to go on when the rollback fails, and loses nothing", async () => {
    await withScene(async ({ repo, project }) => {
      const lock = await repo.gitPath("index.lock");
      const act = async () => {
        await repo.write("b.txt", "left\n");
        await repo.write(".git/index.lock", "");
        return false;
      };
      const failure = await failureOf(guard(project, { act }));
      expect(failure.code).toBe("guard_not_rolled_back");
      expect(failure.details).toMatchObject({ code: "index_locked" });
      expect((await repo.read("b.txt")).toString()).toBe("left\n");
      const id = String(failure.details["checkpoint_id"]);
      expect(failure.hint).toContain(`waymark rollback ${id}`);
      await rm(lock);
      const result = await guard(project, { act: async () => repo.write("b.txt", "x") });
      expect(result.passed).toBe(true);
    });
  });
});

/** Hands on what a test sends. */
class SentWishes implements Interruption {
  readonly isAsked = false;
  #onWish: ((signal: string) => void) | undefined;

  send(signal: string): void {
    this.#onWish?.(signal);
  }

  holdOff<Result>(work: () => Promise<Result>): Promise<Result> {
    return work();
  }

  async handOver<Result>(
    onWish: (signal: string) => void,
    work: () => Promise<Result>,
  ): Promise<Result> {
    this.#onWish = onWish;
    try {
      return await work();
    } finally {
      this.#onWish = undefined;
    }
  }
}

describe("a guard that is interrupted", () => {
  const untilAborted = (signal: AbortSignal): Promise<unknown> =>
    new Promise((resolve) => {
      if (signal.aborted) resolve(undefined);
      signal.addEventListener("abort", resolve);
    });

  it.each(["SIGINT", "SIGTERM"])("[R63] rolls back after %s, and tries no more", async (name) => {
    const interruption = new SentWishes();
    await withScene(
      async ({ repo, project }) => {
        const result = await guard(project, {
          retries: 5,
          verify: async () => true,
          act: async ({ signal }) => {
            await repo.write("b.txt", "half done\n");
            interruption.send(name);
            await untilAborted(signal);
          },
        });
        expect(result).toMatchObject({ passed: false, rolledBack: true, interruptedBy: name });
        expect(result.attempts).toMatchObject([{ verify: [{ skipped: true }] }]);
        expect((await repo.read("b.txt")).toString()).toBe("beta, edited\n");
      },
      { interruption },
    );
  });

  it("leaves a program in the terminal to its own ways until it is asked again", async () => {
    const interruption = new SentWishes();
    await withScene(
      async ({ project }) => {
        const seen: boolean[] = [];
        await guard(project, {
          sharesTerminal: true,
          act: async ({ signal }) => {
            interruption.send("SIGINT");
            seen.push(signal.aborted);
            interruption.send("SIGINT");
            seen.push(signal.aborted);
          },
        });
        expect(seen).toEqual([false, true]);
      },
      { interruption },
    );
  });

  it.each([
    ["SIGINT", "keep", false],
    ["SIGINT", "roll_back", true],
    ["SIGTERM", "keep", true],
  ] as const)("after %s and the answer %s", async (name, answer, rolledBack) => {
    const interruption = new SentWishes();
    await withScene(
      async ({ repo, project }) => {
        const result = await guard(project, {
          act: async () => {
            await repo.write("b.txt", "half done\n");
            interruption.send(name);
          },
          onInterrupted: async () => answer,
        });
        expect(result).toMatchObject({ passed: false, rolledBack, interruptedBy: name });
        const kept = (await repo.read("b.txt")).toString() === "half done\n";
        expect(kept).toBe(!rolledBack);
      },
      { interruption },
    );
  });

  it("[R63] finishes its rollback when it is asked to stop meanwhile, and tries no more", async () => {
    const interruption = new SentWishes();
    await withScene(
      async ({ repo, project }) => {
        let wishes = 0;
        // A rollback begins with it.
        const sweep = (): void => {
          if (wishes === 1) interruption.send("SIGINT");
          wishes -= 1;
          project.sweep();
        };
        const act = async (): Promise<boolean> => {
          await repo.write("b.txt", "half done\n");
          wishes = 1;
          return false;
        };
        const result = await guard({ ...project, sweep }, { act, retries: 3 });
        expect(result).toMatchObject({ rolledBack: true, interruptedBy: "SIGINT" });
        expect(result.attempts).toHaveLength(1);
        expect((await repo.read("b.txt")).toString()).toBe("beta, edited\n");
      },
      { interruption },
    );
  });
});
