/** Session documents that are no such thing: nothing crashes, the others are as usable as before, and no other one stands in. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { openGitProject } from "../../src/app.ts";
import { Failure } from "../../src/domain/failure.ts";
import { newSession } from "../../src/domain/session.ts";
import { cleanUp } from "../../src/operations/clean-up.ts";
import { listCheckpoints } from "../../src/operations/list-checkpoints.ts";
import { listSessions } from "../../src/operations/list-sessions.ts";
import type { Project } from "../../src/operations/project.ts";
import { rollBack } from "../../src/operations/roll-back.ts";
import { rollbackId } from "../../src/operations/rollback-id.ts";
import { undo } from "../../src/operations/undo.ts";
import { checkedDocument } from "../../src/operations/find-checkpoint.ts";
import { viewSessions } from "../../src/operations/session-view.ts";
import { errorMessage, expectExit } from "../support/cli.ts";
import { field, items, text } from "../support/json.ts";
import { runs } from "../support/sample.ts";
import type { TempRepository } from "../support/temp-repository.ts";
import { withSeed, type RuleProject } from "../spec/project.ts";

const AT = "2026-11-15T18:00:00.000Z";

/** Puts any document where a session belongs, as somebody with git could. */
async function plant(repo: TempRepository, id: string, document: unknown): Promise<void> {
  const message = `planted\n\n${JSON.stringify(document)}\n`;
  const commit = await repo.git("commit-tree", "-m", message, "HEAD^{tree}");
  await repo.git("update-ref", `refs/waymark/session/${id}`, commit.trim());
}

async function startedWithCheckpoint(project: RuleProject): Promise<string> {
  const { json } = await project.ok("session", "start", "--type", "t", "--project", "p");
  return text(json, "session", "id");
}

const WRONG: readonly (readonly [string, unknown])[] = [
  ["nothing in it", {}],
  ["no history", { ...newSession("other", AT), history: undefined }],
  ["phases that are none", { ...newSession("other", AT), workflow: { phases: [null] } }],
  ["a lease that is none", { ...newSession("other", AT), implicit: false, lease: "y" }],
];

describe("a session of a wrong shape", () => {
  it.each(WRONG)("with %s leaves the others as usable as before", async (_, document) => {
    await withSeed(async (project) => {
      const { repo } = project;
      const id = await project.create();
      await repo.write("new.txt", "new\n");
      await plant(repo, "other", document);
      await project.ok("list");
      await project.rollBack(id);
      await project.ok("undo", "--yes");
      await project.ok("cleanup");
      await project.ok("create", "--force");
      const listed = await project.ok("session", "list");
      expect(text(items(listed.json, "unreadable")[0], "message")).toContain("session other");
      const doctor = await project.run("doctor");
      expect(JSON.stringify(doctor.json)).toContain("session other cannot be read");
      const validated = await project.run("validate");
      expectExit(validated, 4);
      expect(items(validated.json, "unreadable_sessions")).toHaveLength(1);
    });
  });

  it("is never stood in for by another one", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      await project.create();
      const session = await startedWithCheckpoint(project);
      await project.create("--name", "mine");
      await repo.write("precious.txt", "work\n");
      for (const document of [{}, { ...newSession(session, AT), schema_version: 99 }]) {
        await plant(repo, session, document);
        const code = Object.keys(document).length === 0 ? "session_damaged" : "checkpoint_newer";
        for (const args of [
          ["rollback", "latest", "--yes"],
          ["undo", "--yes"],
          ["create", "--force"],
          ["list"],
          ["resume"],
          ["session", "show"],
        ]) {
          const refused = await project.run(...args);
          expect({ args, code: field(refused.json, "error", "code") }).toEqual({ args, code });
          expect(errorMessage(refused)).toContain(session);
        }
        expect(String(await repo.read("precious.txt"))).toBe("work\n");
        expectExit(await project.run("doctor"), code === "session_damaged" ? 1 : 0);
      }
      const listed = await project.ok("session", "list");
      expect(text(items(listed.json, "unreadable")[0], "message")).toContain(session);
    });
  });

  it("that is the work tree's own does not hide the rollback that undo means", async () => {
    await withSeed(async (project) => {
      const id = await project.create();
      await project.repo.write("new.txt", "new\n");
      await project.rollBack(id);
      await plant(project.repo, "worktree-main", {});
      const refused = await project.run("undo", "--yes");
      expect(field(refused.json, "error", "code")).toBe("session_damaged");
    });
  });

  it("never breaks a command, whatever JSON it is", async () => {
    await withSeed(async (seed) => {
      const id = await seed.create();
      const project = await openGitProject({ directory: seed.repo.root });
      try {
        await fc.assert(
          fc.asyncProperty(
            fc.constantFrom(...Object.keys(SAMPLE)),
            fc.jsonValue(),
            async (name, value) => {
              await plant(seed.repo, "other", { ...SAMPLE, [name]: value });
              await everythingWorks(project, id);
            },
          ),
          { numRuns: runs(6) },
        );
      } finally {
        project.close();
      }
    });
  });
});

const SAMPLE = {
  ...newSession("other", AT),
  implicit: false,
  workflow: { phases: [] },
  lease: { token: 1, holder: null, purpose: null, acquired_at: null, renewed_at: null, ttl_ms: 1 },
  pinned: {},
  trash: {},
  events: [],
  requests: [],
  state: { checkpoint_id: "x" },
};

/** Each does its work or says what is wrong; a bug would throw something else. */
async function everythingWorks(project: Project, id: string): Promise<void> {
  const answers = { confirmed: true, confirm: () => Promise.resolve(true), discardCommits: false };
  const list = await listCheckpoints(project, {});
  expect(list.checkpoints.length).toBeGreaterThan(0);
  await listSessions(project, { all: true });
  const view = await viewSessions(project, undefined);
  const stored = view.stored.find((one) => one.id === id);
  if (stored === undefined) throw new Error("it is gone");
  await rollBack(project, {
    ...answers,
    kind: "rollback",
    target: await checkedDocument(project, view, stored),
    sessionId: view.sessionId,
    scope: { filesOnly: false, keepHead: false, paths: null, patterns: null },
    reason: null,
    id: rollbackId(project),
  });
  await undo(project, { ...answers, reason: null });
  try {
    await cleanUp(project, { limits: {}, now: false }, () => Promise.resolve(true));
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
  }
}
