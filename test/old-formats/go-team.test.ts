/** `waymark import --from go-team`: sessions with steps, state, outputs and rollbacks. */
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { withSeed } from "../spec/project.ts";
import { errorMessage } from "../support/cli.ts";
import { field, items, text } from "../support/json.ts";
import { checkpointsOf, expectAllValid, importFrom, sessionOf } from "./imported.ts";
import { GO_TEAM_SESSION, writeGoTeam, writeSource } from "./sources.ts";

describe("import --from go-team", () => {
  it("makes a session and a checkpoint of each step whose commit is here", async () => {
    await withSeed(async (project) => {
      const source = await writeGoTeam(project.repo);
      const { json, notCarried } = await importFrom(project, "go-team", source.path);
      expect(notCarried).toEqual([]);
      expect(items(json, "sessions")).toMatchObject([
        { id: GO_TEAM_SESSION, result: "imported", status: "interrupted", records: 3 },
      ]);
      const session = await sessionOf(project, GO_TEAM_SESSION);
      const checkpoints = await checkpointsOf(project, GO_TEAM_SESSION);
      const ids = checkpoints.map((checkpoint) => text(checkpoint, "id"));
      expect(session).toMatchObject({
        implicit: false,
        topic: "Login with tokens",
        workflow_type: "go-team",
        branch: "refs/heads/main",
        state: { checkpoint_id: ids[1] },
        workflow: {
          current_phase: "requirements",
          current_step: 2,
          iteration_count: 4,
          metrics: { build_pass: true, test_coverage: 82 },
          outputs: { spec: "spec of requirements" },
          state: source.records[1]?.["state"],
        },
        history: [{ id: "5f0c2a9e-0001", to_id: ids[1], reason: "observer_requested" }],
        imported: { rest: { observer: { name: "somebody" } } },
      });
      expect(checkpoints).toMatchObject([
        { step: 1, phase: "init", trigger: "post_phase", valid: true },
        { step: 2, phase: "requirements", created_at: "2025-12-28T21:15:00.000Z", valid: true },
        { step: 3, valid: false, invalidated_by: "5f0c2a9e-0001" },
      ]);
      expect(field(checkpoints[0], "git", "commit")).toBe(source.commits[0]);
      expect(field(checkpoints[0], "files", "created")).toEqual(["init.md"]);
      await expectAllValid(project);
    });
  });

  it("goes back to a step by its number, with files, state and outputs, and undoes that", async () => {
    await withSeed(async (project) => {
      const { path, commits } = await writeGoTeam(project.repo);
      await importFrom(project, "go-team", path);
      const go = ["--session", GO_TEAM_SESSION, "--yes", "--discard-commits"];
      await project.ok("rollback", "1", ...go);
      expect((await project.repo.git("rev-parse", "HEAD")).trim()).toBe(commits[0]);
      expect(await project.repo.exists("init.md")).toBe(true);
      expect(await project.repo.exists("requirements.md")).toBe(false);
      expect(await project.repo.git("status", "--porcelain")).toBe("");
      const [first] = await checkpointsOf(project, GO_TEAM_SESSION);
      const ref = `refs/waymark/cp/${text(first, "id")}`;
      const state: unknown = JSON.parse(await project.repo.store("show", `${ref}:state.json`));
      expect(state).toMatchObject({ phase: "phase-of-init", iteration_count: 2 });
      const outputs: unknown = JSON.parse(await project.repo.store("show", `${ref}:outputs.json`));
      expect(outputs).toMatchObject({ spec: "spec of init" });
      expect(await sessionOf(project, GO_TEAM_SESSION)).toMatchObject({
        state: { checkpoint_id: text(first, "id") },
      });
      const shown = (await project.ok("session", "show", GO_TEAM_SESSION)).json;
      expect(field(shown, "session")).toMatchObject({
        current_phase: "init",
        current_step: 1,
        state: { phase: "phase-of-init" },
        outputs: { spec: "spec of init" },
        phases: [
          { step: 1, status: "completed", checkpoint_after: text(first, "id") },
          { step: 2, status: "pending", checkpoint_after: null },
          { step: 3, status: "pending" },
        ],
      });
      expect(field(shown, "session", "rollback_history")).toMatchObject([
        {},
        { to_id: text(first, "id"), from_step: 2, to_step: 1 },
      ]);
      await project.ok("undo", "--session", GO_TEAM_SESSION, "--yes");
      expect((await project.repo.git("rev-parse", "HEAD")).trim()).toBe(commits[2]);
      const undone = (await project.ok("session", "show", GO_TEAM_SESSION)).json;
      expect(field(undone, "session", "current_step")).toBe(2);
    });
  });

  it("refuses to roll forward to a step that the old tool left, and takes its full id", async () => {
    await withSeed(async (project) => {
      const { path, commits } = await writeGoTeam(project.repo);
      await importFrom(project, "go-team", path);
      const refused = await project.run("rollback", "3", "--session", GO_TEAM_SESSION, "--yes");
      expect(refused.code).toBe(4);
      expect(errorMessage(refused)).toContain("step 3 was rolled past");
      await project.repo.git("reset", "-q", "--hard", commits[0]);
      const third = text((await checkpointsOf(project, GO_TEAM_SESSION))[2], "id");
      await project.ok("rollback", third, "--session", GO_TEAM_SESSION, "--yes");
      expect((await project.repo.git("rev-parse", "HEAD")).trim()).toBe(commits[2]);
    });
  });

  it("[R88] importing it again makes nothing twice and says so", async () => {
    await withSeed(async (project) => {
      const { path } = await writeGoTeam(project.repo);
      await importFrom(project, "go-team", path);
      const refs = await project.repo.allRefs();
      const { json } = await importFrom(project, "go-team", path);
      expect(items(json, "sessions")).toMatchObject([{ result: "already_there", checkpoints: [] }]);
      expect(await project.repo.allRefs()).toBe(refs);
    });
  });

  it("leaves a session with other content as it is", async () => {
    await withSeed(async (project) => {
      const { path, manifest } = await writeGoTeam(project.repo);
      await importFrom(project, "go-team", path);
      const refs = await project.repo.allRefs();
      const changed = JSON.stringify({ ...manifest, topic: "Something else" });
      await writeSource(join(path, GO_TEAM_SESSION, "manifest.json"), changed);
      const { json, notCarried } = await importFrom(project, "go-team", path);
      expect(items(json, "sessions")).toMatchObject([{ result: "kept" }]);
      expect(notCarried).toEqual([`session_exists: ${GO_TEAM_SESSION}`]);
      expect(await project.repo.allRefs()).toBe(refs);
    });
  });

  it("keeps a record whose commit is missing in the session, and makes its checkpoint when the commit has come", async () => {
    await withSeed(async (project) => {
      const { path, ids, commits } = await writeGoTeam(project.repo);
      const other = project.at("other");
      await project.repo.git("clone", "-q", project.repo.root, other.repo.root);
      await other.repo.git("reset", "-q", "--hard", commits[0]);
      await other.repo.git("remote", "remove", "origin");
      await other.repo.git("reflog", "expire", "--expire=now", "--all");
      await other.repo.git("gc", "-q", "--prune=now");
      const { notCarried } = await importFrom(other, "go-team", path);
      expect(notCarried).toEqual([`commit_missing: ${ids[1]}`, `commit_missing: ${ids[2]}`]);
      expect(await checkpointsOf(other, GO_TEAM_SESSION)).toHaveLength(1);
      const records = items(await sessionOf(other, GO_TEAM_SESSION), "imported", "records");
      expect(records).toMatchObject([
        { id: ids[0], valid: true },
        { id: ids[1], checkpoint_id: null, state: { iteration_count: 4 }, outputs: {} },
        { id: ids[2], checkpoint_id: null, invalidated_by: "5f0c2a9e-0001" },
      ]);
      expect(records[0]).not.toHaveProperty("state");
      await other.repo.git("fetch", "-q", project.repo.root, "main:theirs");
      const { json } = await importFrom(other, "go-team", path);
      expect(items(json, "sessions")).toMatchObject([{ result: "extended" }]);
      expect(await checkpointsOf(other, GO_TEAM_SESSION)).toMatchObject([
        { step: 1, seq: 1 },
        { step: 2, seq: 2 },
        { step: 3, seq: 3, valid: false },
      ]);
      const session = await sessionOf(other, GO_TEAM_SESSION);
      const after = items(session, "workflow", "phases").map((phase) =>
        field(phase, "checkpoint_after"),
      );
      expect(after).toEqual([expect.any(String), expect.any(String), null]);
      await expectAllValid(other);
    });
  });

  it("makes no checkpoint of a record whose checksum is wrong", async () => {
    await withSeed(async (project) => {
      const { path, ids, records } = await writeGoTeam(project.repo);
      const changed = { ...records[0], outputs: { spec: "tampered" } };
      const file = join(path, GO_TEAM_SESSION, `${ids[0]}.json`);
      await writeSource(file, JSON.stringify(changed));
      const { notCarried } = await importFrom(project, "go-team", path);
      expect(notCarried).toEqual([`checksum: ${ids[0]}`]);
      expect(await checkpointsOf(project, GO_TEAM_SESSION)).toHaveLength(2);
    });
  });

  it("reads a session folder alone, without a manifest, and names files that are missing", async () => {
    await withSeed(async (project) => {
      const { path, ids } = await writeGoTeam(project.repo);
      const folder = join(path, GO_TEAM_SESSION);
      await rm(join(folder, `${ids[0]}.json`));
      const listed = await importFrom(project, "go-team", folder, "--dry-run");
      expect(listed.notCarried).toEqual([`missing_file: ${ids[0]}`]);
      await rm(join(folder, "manifest.json"));
      const { json, notCarried } = await importFrom(project, "go-team", folder);
      expect(notCarried).toEqual(["missing_file: manifest.json"]);
      expect(items(json, "sessions")).toMatchObject([{ id: GO_TEAM_SESSION, records: 2 }]);
    });
  });

  it("[R88] a dry run says the same and changes nothing", async () => {
    await withSeed(async (project) => {
      const { path } = await writeGoTeam(project.repo);
      const refs = await project.repo.allRefs();
      const dry = await importFrom(project, "go-team", path, "--dry-run");
      expect(await project.repo.allRefs()).toBe(refs);
      const { json } = await importFrom(project, "go-team", path);
      expect(field(dry.json, "sessions")).toEqual(field(json, "sessions"));
    });
  });

  it("is in the journal and in the audit log", async () => {
    await withSeed(async (project) => {
      const { path } = await writeGoTeam(project.repo);
      await importFrom(project, "go-team", path);
      const entries = items((await project.ok("log")).json, "entries");
      expect(entries).toContainEqual(
        expect.objectContaining({
          kind: "import",
          details: expect.objectContaining({ from: "go-team", sessions: [GO_TEAM_SESSION] }),
        }),
      );
      const log = (await project.repo.read(".git/waymark/audit.log")).toString("utf8");
      expect(log).toContain('"from":"go-team"');
    });
  });
});
