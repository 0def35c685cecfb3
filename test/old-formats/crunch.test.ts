/** `waymark import --from crunch`: YAML records of issues. */
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { withSeed } from "../spec/project.ts";
import { items } from "../support/json.ts";
import { importFrom, sessionOf } from "./imported.ts";
import { writeCrunch, writeSource } from "./sources.ts";

describe("import --from crunch", () => {
  it("makes a session of each issue, with everything that its latest record says", async () => {
    await withSeed(async (project) => {
      const { path } = await writeCrunch(project.repo);
      const { json, notCarried } = await importFrom(project, "crunch", path);
      expect(notCarried).toEqual(["no_commit: crunch-42"]);
      expect(items(json, "sessions")).toMatchObject([
        { id: "crunch-42", issue_number: 42, records: 2, checkpoints: [] },
      ]);
      expect(await sessionOf(project, "crunch-42")).toMatchObject({
        status: "interrupted",
        issue_number: 42,
        branch: "refs/heads/feature/issue-42-jwt-refresh",
        issue_snapshot: {
          number: 42,
          title: "Refresh tokens",
          body: "They expire too soon.",
          labels: ["state:implementing", "type:feature"],
          assignees: ["ann"],
          branch: "feature/issue-42-jwt-refresh",
          taken_at: "2025-01-14T10:30:00.000Z",
        },
        workflow: {
          current_phase: "implementing",
          state_label: "state:implementing",
          phases: [
            { name: "enrich", status: "completed" },
            {
              name: "implementing",
              status: "running",
              attempts: 2,
              started_at: "2025-01-14T09:50:00.000Z",
            },
          ],
          execution_graph: {
            graph_id: "GRAPH-20250114-a3f2",
            current_batch: 3,
            completed_batches: [1, 2],
            nodes: {
              "implementing/api": { status: "completed", result: { lines: 12 } },
              "implementing/ui": { status: "unknown", old_status: "running" },
            },
          },
          team_state: {
            team_id: "TEAM-20250114-a3f2",
            members: [{ agent: "orchestrator", role: "coordinator", tasks_completed: 2 }],
          },
          agent_outputs: {
            "system-architect": { create_spec: { output_summary: "Spec for refresh tokens" } },
          },
          message_state: { pending: ["MSG-1"], awaiting: ["MSG-2"], conflicts: ["CONF-1"] },
          knowledge_context: { injected: ["KE-1"], captured: ["KE-2"], pending: ["KE-3"] },
          files_modified: [{ path: "src/auth/tokens.py", status: "modified", staged: true }],
          recovery_info: { can_resume: true, resume_from: "batch_3_task_1" },
        },
        imported: {
          rest: { total_checkpoints: 2 },
          records: [
            { id: "CP-enrich-20250114-a3f2", trigger: "post_phase", checkpoint_id: null },
            {
              id: "CP-implementing-20250114-b4c5",
              trigger: "batch_complete",
              rest: { session_id: "0b6f7a52-7d0e-4f53-8f9a-2a1f6f0f9d11" },
            },
          ],
        },
      });
    });
  });

  it("reads the folder of one issue and that of its checkpoints alike", async () => {
    await withSeed(async (project) => {
      const { path, folder } = await writeCrunch(project.repo);
      for (const place of [path, join(path, "42"), folder]) {
        const { json } = await importFrom(project, "crunch", place, "--dry-run");
        expect(items(json, "sessions")).toMatchObject([{ id: "crunch-42" }]);
      }
    });
  });

  it("goes by the link `latest` where there is no index", async () => {
    await withSeed(async (project) => {
      const { path, folder, latest } = await writeCrunch(project.repo);
      await rm(join(folder, "index.yaml"));
      const newer = { ...latest, checkpoint_id: "CP-docs-20250115-ffff", created_at: "2025-01-15" };
      await writeSource(join(folder, "CP-docs-20250115-ffff.yaml"), JSON.stringify(newer));
      await importFrom(project, "crunch", path);
      expect(await sessionOf(project, "crunch-42")).toMatchObject({
        imported: { current_record: "CP-implementing-20250114-b4c5" },
      });
    });
  });

  it("says so where a record has another id than its file", async () => {
    await withSeed(async (project) => {
      const { path, folder, latest } = await writeCrunch(project.repo);
      const id = String(latest["checkpoint_id"]);
      const other = { ...latest, checkpoint_id: "CP-other" };
      await writeSource(join(folder, `${id}.yaml`), JSON.stringify(other));
      const { json } = await importFrom(project, "crunch", path);
      expect(items(json, "not_carried")).toContainEqual(
        expect.objectContaining({
          code: "missing_file",
          record: id,
          message: "index.yaml lists it, but its file has the id CP-other",
        }),
      );
    });
  });

  it("makes a failed session of one that its record says cannot be resumed", async () => {
    await withSeed(async (project) => {
      const { path, folder, latest } = await writeCrunch(project.repo);
      const broken = { ...latest, recovery_info: { can_resume: false, warnings: ["branch gone"] } };
      const name = `${String(latest["checkpoint_id"])}.yaml`;
      await writeSource(join(folder, name), JSON.stringify(broken));
      await importFrom(project, "crunch", path);
      expect(await sessionOf(project, "crunch-42")).toMatchObject({
        status: "failed",
        last_error: { message: "it cannot be resumed: branch gone" },
      });
    });
  });
});
