/** `waymark import --from claude-checkpoints`: workflows without code. */
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { withSeed } from "../spec/project.ts";
import { talk } from "../documents/scene.ts";
import { expectExit } from "../support/cli.ts";
import { items, text } from "../support/json.ts";
import { importFrom, sessionOf } from "./imported.ts";
import { writeClaudeCheckpoints, writeSource } from "./sources.ts";

describe("import --from claude-checkpoints", () => {
  it("makes a session of each workflow; what is in progress is interrupted, what is in failed/ is put away", async () => {
    await withSeed(async (project) => {
      const { path, active, failed } = await writeClaudeCheckpoints(project.repo);
      const { json, notCarried } = await importFrom(project, "claude-checkpoints", path);
      expect(notCarried).toEqual([]);
      expect(items(json, "sessions")).toMatchObject([
        { id: active["checkpoint_id"], status: "interrupted", project_name: "auth_system" },
        { id: failed["checkpoint_id"], status: "failed", project_name: "dark_mode" },
      ]);
      const session = await sessionOf(project, String(active["checkpoint_id"]));
      expect(session).toMatchObject({
        workflow_type: "orchestrate",
        project_name: "auth_system",
        description: "Implement authentication system",
        status: "interrupted",
        created_at: "2025-10-03T18:45:30.000Z",
        updated_at: "2025-10-03T18:52:15.000Z",
        workflow: {
          current_phase: "phase-2",
          current_step: 2,
          state: active["workflow_state"],
          outputs: { plan_path: "specs/plans/022_auth_implementation.md" },
        },
        imported: { rest: { written_by: "save-checkpoint.sh" } },
      });
      expect(session).not.toHaveProperty("last_error");
      expect(session).not.toHaveProperty("archived_at");
      const statuses = items(session, "workflow", "phases").map(
        (phase) => (phase as { status: string }).status,
      );
      expect(statuses).toEqual(["completed", "running", "pending", "pending", "pending"]);
      expect(await sessionOf(project, String(failed["checkpoint_id"]))).toMatchObject({
        status: "failed",
        last_error: { message: "tests failed in phase 3", phase: "phase-3" },
        ended_at: "2025-10-03T19:30:00.000Z",
        archived_at: expect.not.stringContaining("2025-10-03"),
        imported: { rest: { status: "in_progress" } },
      });
    });
  });

  it("is named by resume and session list where nothing else is there to resume", async () => {
    await withSeed(async (project) => {
      const none = await project.run("resume");
      expect(text(none.json, "error", "hint")).not.toContain("import");
      const path = join(project.repo.root, ".claude/checkpoints");
      await writeSource(join(path, "flow.json"), "{}");
      const hint = `\`waymark import --from claude-checkpoints ${path}\``;
      const refused = await project.run("resume");
      expectExit(refused, 3);
      expect(text(refused.json, "error", "hint")).toContain(hint);
      expect((await talk(project, "session", "list")).stderr).toContain(hint);
    });
  });

  it("refuses a newer version, a broken file and one that is none, and takes the others", async () => {
    await withSeed(async (project) => {
      const { path, active } = await writeClaudeCheckpoints(project.repo);
      await writeSource(
        join(path, "a_newer_20250101_000000.json"),
        '{"version":"2.0","checkpoint_id":"x"}',
      );
      await writeSource(join(path, "b_broken_20250101_000000.json"), '{"checkpoint_id":');
      await writeSource(join(path, "c.json"), '{"some": "thing"}');
      await writeSource(join(path, "d.json"), '"text"');
      const { json, notCarried } = await importFrom(project, "claude-checkpoints", path);
      expect(notCarried).toEqual([
        "newer_version: a_newer_20250101_000000.json",
        "broken: b_broken_20250101_000000.json",
        "broken: c.json",
        "broken: d.json",
      ]);
      expect(items(json, "sessions")).toHaveLength(2);
      expect(items(json, "sessions")[0]).toMatchObject({ id: active["checkpoint_id"] });
    });
  });

  it("takes times, type and project from the name where the file does not say them", async () => {
    await withSeed(async (project) => {
      const path = join(project.repo.base, "bare");
      const name = "test-all_my_web_app_20251003_184530";
      await writeSource(join(path, `${name}.json`), '{"workflow_state":{}}');
      await importFrom(project, "claude-checkpoints", path);
      expect(await sessionOf(project, name)).toMatchObject({
        workflow_type: "test-all",
        project_name: "my_web_app",
        created_at: "2025-10-03T18:45:30.000Z",
        status: "interrupted",
      });
    });
  });
});
