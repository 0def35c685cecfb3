// A rollback over several parts restores all of them or none, also when it is killed in between.
import {
  closeSync,
  existsSync,
  openSync,
  readFileSync,
  readdirSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openProject } from "../../src/index.ts";
import { Failure } from "../../src/domain/failure.ts";
import { createCheckpoint } from "../../src/operations/create-checkpoint.ts";
import type { Project } from "../../src/operations/project.ts";
import { rollBack, type RollbackOrder } from "../../src/operations/roll-back.ts";
import { recover } from "../../src/operations/recover.ts";
import { sessionState } from "../../src/operations/session-state.ts";
import { undo } from "../../src/operations/undo.ts";
import type { PartKeeper, PreparedPart } from "../../src/ports/part-keeper.ts";
import type { PartKeepers } from "../../src/ports/part-keepers.ts";
import { type TempRepository, withTempRepository } from "../support/temp-repository.ts";

const SESSION = "worktree-main";

let repo: TempRepository;
let project: Project;

/** A project whose state file git ignores. */
function inProject(body: () => Promise<void>): () => Promise<void> {
  return () =>
    withTempRepository(async (made) => {
      repo = made;
      await repo.write(".gitignore", "state.yml\n");
      await repo.write("a", "one\n");
      await repo.stage([".gitignore", "a"]);
      await repo.commit("one");
      project = await openProject({ directory: repo.root });
      try {
        await body();
      } finally {
        project.close();
      }
    });
}

const at = (name: string): string => join(repo.root, name);
const now = () => ({
  a: readFileSync(at("a"), "utf8"),
  state: existsSync(at("state.yml")) ? readFileSync(at("state.yml"), "utf8") : null,
});

function put(a: string, state: string): void {
  writeFileSync(at("a"), a);
  writeFileSync(at("state.yml"), state);
}

const STATE = [{ name: "state" as const, kind: "file" as const, path: "state.yml" }];

async function saved(target = project) {
  const documents = STATE.map((document) => ({ ...document, path: at(document.path) }));
  const result = await createCheckpoint(target, {
    parts: [{ type: "state_snapshot", documents, keys: null }],
  });
  return result.checkpoint;
}

function order(target: RollbackOrder["target"], id = "rb-test-1"): RollbackOrder {
  return {
    kind: "rollback",
    target,
    sessionId: SESSION,
    scope: { filesOnly: false, keepHead: false, paths: null },
    discardCommits: false,
    reason: null,
    confirm: () => Promise.resolve(true),
    confirmed: true,
    id,
  };
}

type Disturbance = (prepared: PreparedPart) => Partial<PreparedPart>;

/** The same project, with something going wrong while its state is restored, the first times that it is. */
function disturbed(change: Disturbance, times: number): Project {
  let left = times;
  const keeper: PartKeepers["keeper"] = async (type, sessionId) => {
    const real = await project.parts.keeper(type, sessionId);
    const plain: PartKeeper = real;
    const prepare = plain.prepare.bind(real);
    const disturb: PartKeeper["prepare"] = async (restore) => {
      const prepared = await prepare(restore);
      if (left-- <= 0) return prepared;
      return {
        apply: () => prepared.apply(),
        mismatches: () => prepared.mismatches(),
        close: () => prepared.close(),
        ...change(prepared),
      };
    };
    return {
      type: plain.type,
      capture: plain.capture.bind(real),
      captureLike: plain.captureLike.bind(real),
      verify: plain.verify.bind(real),
      preview: plain.preview.bind(real),
      prepare: disturb,
      describe: plain.describe.bind(real),
    } as typeof real;
  };
  return { ...project, parts: { keeper } };
}

const failure = (): Failure => new Failure("restore_failed", "no more", { hint: "Try again." });

describe("a rollback over several parts", () => {
  it(
    "[R72] restores all of them, and undo brings all of them back",
    inProject(async () => {
      put("one\n", "n: 1\n");
      const target = await saved();
      put("two\n", "n: 2 # two\n");
      const done = await rollBack(project, order(target));
      expect(now()).toEqual({ a: "one\n", state: "n: 1\n" });
      expect(done.verification).toMatchObject({
        match: true,
        post_state_hash: target.content_hash,
        checkpoint_hash: target.content_hash,
      });
      expect(await sessionState(project, SESSION, "state")).toEqual({ n: 1 });
      await undo(project, {
        discardCommits: false,
        reason: null,
        confirm: () => Promise.resolve(true),
        confirmed: true,
      });
      expect(now()).toEqual({ a: "two\n", state: "n: 2 # two\n" });
      expect(await sessionState(project, SESSION, "state")).toEqual({ n: 2 });
    }),
  );

  it.each([
    ["before it changed anything", () => ({ apply: () => Promise.reject(failure()) })],
    [
      "after it changed everything",
      (prepared: PreparedPart) => ({
        apply: async () => {
          await prepared.apply();
          throw failure();
        },
      }),
    ],
    ["when it is checked", () => ({ mismatches: () => Promise.resolve(["n differs"]) })],
  ])("[R72] puts the files back when the last part fails %s", (_when, change) =>
    inProject(async () => {
      put("one\n", "n: 1\n");
      const target = await saved();
      put("two\n", "n: 2\n");
      // The way back does not fail as well.
      const failing = disturbed(change, 1);
      await expect(rollBack(failing, order(target))).rejects.toMatchObject({
        code: "restore_failed",
      });
      expect(now()).toEqual({ a: "two\n", state: "n: 2\n" });
      expect(project.restorer.unfinished()).toBeUndefined();
      expect((await project.sessions.read(SESSION))?.document.history).toEqual([]);
    })(),
  );

  it(
    "[R7] says in its failure what somebody saved meanwhile",
    inProject(async () => {
      put("one\n", "n: 1\n");
      const target = await saved();
      put("two\n", "n: 2\n");
      const busy = new Failure("repository_busy", "another git is at work", { hint: "Wait." });
      const failing = disturbed(
        () => ({
          apply: () => {
            writeFileSync(at("a"), "saved meanwhile\n");
            return Promise.reject(busy);
          },
        }),
        1,
      );
      await expect(rollBack(failing, order(target))).rejects.toMatchObject({
        code: "repository_busy",
        hint: "Wait. Saved by other programs meanwhile and kept: a (its path).",
        details: { kept: ["a"] },
      });
      expect(now()).toEqual({ a: "saved meanwhile\n", state: "n: 2\n" });
    }),
  );

  it(
    "[R7] keeps what a program writes, long after the way back, to a file that it had open meanwhile",
    inProject(async () => {
      put("one\n", "n: 1\n");
      const target = await saved();
      put("two\n", "n: 2\n");
      let log = -1;
      const failing = disturbed(
        () => ({
          apply: () => {
            log = openSync(at("a"), "a");
            return Promise.reject(failure());
          },
        }),
        1,
      );
      await expect(rollBack(failing, order(target))).rejects.toThrow("no more");
      writeSync(log, "a line of a log\n");
      closeSync(log);
      const restore = await repo.gitPath("waymark/restore");
      const [name = ""] = readdirSync(restore);
      const manifest = join(restore, name, "manifest.json");
      const old = readFileSync(manifest, "utf8").replace(/(?<="kept_since":")\d+/, "2020");
      writeFileSync(manifest, old);
      await project.sweepKept();
      expect(readFileSync(join(restore, name, "later", "0"), "utf8")).toBe(
        "one\na line of a log\n",
      );
      expect(now()).toEqual({ a: "two\n", state: "n: 2\n" });
    }),
  );

  it(
    "[R72] keeps the record when the way back fails, and recovery goes it later",
    inProject(async () => {
      put("one\n", "n: 1\n");
      const target = await saved();
      put("two\n", "n: 2\n");
      const failing = disturbed(
        (prepared) => ({
          apply: async () => {
            await prepared.apply();
            throw failure();
          },
        }),
        2,
      );
      await expect(rollBack(failing, order(target))).rejects.toMatchObject({
        code: "recovery_failed",
      });
      expect(project.restorer.unfinished()).toMatchObject({ parts: [0], targetId: target.id });
      expect((await recover(project))?.outcome).toBe("taken_back");
      expect(now()).toEqual({ a: "two\n", state: "n: 2\n" });
    }),
  );

  it(
    "changes nothing when a part cannot be prepared",
    inProject(async () => {
      put("one\n", "n: 1\n");
      const target = await saved();
      put("two\n", "n: 2\n");
      const digest = `sha256:${"0".repeat(64)}`;
      const parts = target.parts.map((part) =>
        part.type === "state_snapshot" ? { ...part, digest } : part,
      );
      await expect(rollBack(project, order({ ...target, parts }))).rejects.toMatchObject({
        code: "checkpoint_damaged",
      });
      expect(now()).toEqual({ a: "two\n", state: "n: 2\n" });
      expect(project.restorer.unfinished()).toBeUndefined();
    }),
  );

  it(
    "restores only the state with --state-only, and that can be undone",
    inProject(async () => {
      put("one\n", "n: 1\n");
      const target = await saved();
      put("two\n", "n: 2\n");
      const scope = { filesOnly: true, keepHead: true, paths: [], stateOnly: true };
      await rollBack(project, { ...order(target), scope });
      expect(now()).toEqual({ a: "two\n", state: "n: 1\n" });
      writeFileSync(at("a"), "three\n");
      await undo(project, {
        discardCommits: false,
        reason: null,
        confirm: () => Promise.resolve(true),
        confirmed: true,
      });
      expect(now()).toEqual({ a: "three\n", state: "n: 2\n" });
    }),
  );

  it(
    "asks before undo when the state was changed since",
    inProject(async () => {
      put("one\n", "n: 1\n");
      const target = await saved();
      put("two\n", "n: 2\n");
      await rollBack(project, order(target));
      const asked: boolean[] = [];
      const request = {
        discardCommits: false,
        reason: null,
        confirmed: false,
        confirm: (_plan: unknown, expected: boolean) => {
          asked.push(expected);
          return Promise.resolve(false);
        },
      };
      await expect(undo(project, request)).rejects.toMatchObject({ code: "cancelled" });
      writeFileSync(at("state.yml"), "n: 3\n");
      await expect(undo(project, request)).rejects.toMatchObject({ code: "cancelled" });
      expect(asked).toEqual([true, false]);
      expect(now().state).toBe("n: 3\n");
    }),
  );
});
