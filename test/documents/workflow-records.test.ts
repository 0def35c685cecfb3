/** Records of workflows about issues: what a checkpoint holds, when one is taken, what is kept, and the settings file as it is written. */
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { importFrom } from "../old-formats/imported.ts";
import { writeSource } from "../old-formats/sources.ts";
import { type RuleProject, withSeed } from "../spec/project.ts";
import { expectExit } from "../support/cli.ts";
import { field, items, text } from "../support/json.ts";
import { talk } from "./scene.ts";

const SETTINGS = `checkpoint:
  enabled: true
  auto_checkpoint: true
  checkpoint_triggers:
    phase_transition: true
    batch_complete: true
    agent_complete: false
    conflict_events: true
  retention:
    phase_transition: -1
    batch_complete: 3
    agent_complete: 1
    conflict_resolved: -1
    user_interrupt: 1
    manual: -1
  storage:
    location: ".claude/crunch/{issue}/checkpoints"
    compress: false
    max_size_mb: 50
`;

/** The full record, with what stands for a value as it is in the document. */
const RECORD = `checkpoint_id: "CP-{phase}-{timestamp}-{hash}"
version: "1.0"
created_at: "ISO-8601"
issue_number: 42
session_id: "{session_uuid}"

workflow_state:
  current_phase: enrich|ready|implementing|validation|docs
  current_state_label: state:enrich
  phase_started_at: "ISO-8601"
  phase_attempt: 1

issue_snapshot:
  title: Issue title
  body: Full issue body at checkpoint
  labels:
    - state:enrich
    - type:feature
    - domain:security
  assignees: []
  branch: feature/issue-42-jwt-refresh

team_state:
  team_id: TEAM-20250114-a3f2
  members:
    - agent: orchestrator
      role: coordinator
      status: active
      tasks_completed: 2
      tasks_pending: 1

execution_graph:
  graph_id: GRAPH-20250114-a3f2
  completed_batches:
    - 1
    - 2
  current_batch: 3
  node_states: {}

agent_outputs:
  system-architect:
    create_spec:
      completed_at: "ISO-8601"
      output_summary: Spec created for JWT refresh token feature
      output_location: .claude/crunch/42/spec.md

acp_state:
  pending_messages:
    - MSG-ids
  awaiting_response:
    - MSG-ids
  conflicts_in_progress:
    - CONF-ids

knowledge_context:
  injected_entries:
    - KE-ids
  captured_entries:
    - KE-ids
  pending_captures: []

files_modified:
  - path: src/auth/tokens.py
    status: modified
    staged: true

recovery_info:
  can_resume: true
  resume_from: batch_3_task_1
  prerequisites_met: true
  warnings: []
`;

const INDEX = `issue_number: 42
checkpoints:
  - checkpoint_id: CP-enrich-20250114-a3f2
    created_at: "2025-01-14T10:00:00Z"
    trigger: phase_transition
    phase: enrich
    can_resume: true
  - checkpoint_id: CP-enrich-20250114-b4c5
    created_at: "2025-01-14T10:30:00Z"
    trigger: batch_complete
    phase: enrich
    can_resume: true
latest: CP-enrich-20250114-b4c5
total_checkpoints: 2
`;

async function settingsOf(project: RuleProject): Promise<Map<string, unknown>> {
  const { json } = await project.ok("config");
  return new Map(items(json, "values").map((each) => [text(each, "key"), field(each, "value")]));
}

/** A session about an issue with everything that an orchestrator saves. */
async function withRecord(body: (project: RuleProject, checkpoint: string) => Promise<void>) {
  await withSeed(async (project) => {
    const { repo } = project;
    await project.ok("session", "start", "--type", "crunch", "--id", "crunch-42", "--issue", "42");
    const documents = {
      team: {
        team_id: "TEAM-20250114-a3f2",
        members: [
          {
            agent: "orchestrator",
            role: "coordinator",
            status: "active",
            tasks_completed: 2,
            tasks_pending: 1,
          },
        ],
      },
      messages: { pending: ["MSG-1"], awaiting: ["MSG-2"], conflicts: ["CONF-1"] },
      knowledge: { injected: ["KE-1"], captured: ["KE-2"], pending: ["KE-3"] },
    };
    const flags: string[] = [];
    for (const [name, value] of Object.entries(documents)) {
      await repo.write(`../${name}.json`, JSON.stringify(value));
      flags.push(`--${name}`, `${repo.base}/${name}.json`);
    }
    await repo.write(
      "../spec.json",
      JSON.stringify({
        completed_at: "2025-01-14T10:05:00Z",
        output_summary: "Spec created for JWT refresh token feature",
        output_location: ".claude/crunch/42/spec.md",
      }),
    );
    flags.push("--agent-output", "system-architect:create_spec", `${repo.base}/spec.json`);
    await project.ok(
      "session",
      "save",
      "--phase",
      "enrich",
      "--state-label",
      "state:enrich",
      ...flags,
    );
    await repo.write("tokens.py", "new\n");
    const id = await project.create();
    await body(project, id);
  });
}

describe("a record", () => {
  it("has issue, phase, label, team, agent outputs, messages, knowledge and files, and a rollback brings it back", async () => {
    await withRecord(async (project, id) => {
      const held = {
        issue_number: 42,
        current_phase: "enrich",
        state_label: "state:enrich",
        team_state: { team_id: "TEAM-20250114-a3f2", members: [{ agent: "orchestrator" }] },
        agent_outputs: {
          "system-architect": {
            create_spec: { output_location: ".claude/crunch/42/spec.md" },
          },
        },
        message_state: { pending: ["MSG-1"], awaiting: ["MSG-2"], conflicts: ["CONF-1"] },
        knowledge_context: { injected: ["KE-1"], captured: ["KE-2"], pending: ["KE-3"] },
      };
      const { json } = await project.ok("show", id);
      expect(field(json, "checkpoint")).toMatchObject({
        issue_number: 42,
        phase: "enrich",
        workflow_state: "state:enrich",
        session_id: "crunch-42",
        files: { created: [] },
        schema_version: 1,
      });
      const session = async (): Promise<unknown> =>
        field((await project.ok("session", "show", "crunch-42")).json, "session");
      expect(await session()).toMatchObject({ ...held, phases: [{ name: "enrich", attempts: 1 }] });
      await project.repo.write(
        "../messages.json",
        '{"pending": [], "awaiting": [], "conflicts": []}',
      );
      await project.ok(
        "session",
        "save",
        "--phase",
        "ready",
        "--messages",
        `${project.repo.base}/messages.json`,
      );
      await project.repo.write("tokens.py", "other\n");
      await project.rollBack(id);
      expect(await session()).toMatchObject(held);
    });
  });

  it("keeps knowledge that was captured once, and never captures it again", async () => {
    await withRecord(async (project) => {
      await project.repo.write("../k.json", '{"captured": ["KE-3"], "pending": ["KE-2", "KE-4"]}');
      await project.ok("session", "save", "--knowledge", `${project.repo.base}/k.json`);
      const { json } = await project.ok("session", "show");
      expect(field(json, "session", "knowledge_context")).toMatchObject({
        captured: ["KE-2", "KE-3"],
        pending: ["KE-4"],
      });
    });
  });
});

describe("the record and the index of the document", () => {
  it("are named by a resume of their issue, also beside other sessions", async () => {
    await withSeed(async (project) => {
      const hint = async (): Promise<string> =>
        text((await project.run("resume", "--issue", "42")).json, "error", "hint");
      await writeSource(join(project.repo.root, ".claude/crunch/42/checkpoints/index.yaml"), INDEX);
      expect(await hint()).toContain("waymark import --from crunch");
      await project.ok("session", "start", "--type", "t");
      expect(await hint()).toMatch(/^Latest: .*waymark import --from crunch/);
      await project.ok("session", "start", "--type", "t", "--issue", "42");
      await project.ok("session", "complete");
      expect(await hint()).not.toContain("import");
    });
  });

  it("are taken over as they are written", async () => {
    await withSeed(async (project) => {
      const folder = join(project.repo.base, "crunch/42/checkpoints");
      for (const [id, time] of [
        ["CP-enrich-20250114-a3f2", "2025-01-14T10:00:00Z"],
        ["CP-enrich-20250114-b4c5", "2025-01-14T10:30:00Z"],
      ] as const) {
        const record = RECORD.replace("CP-{phase}-{timestamp}-{hash}", id)
          .replaceAll("ISO-8601", time)
          .replace("enrich|ready|implementing|validation|docs", "enrich");
        await writeSource(join(folder, `${id}.yaml`), record);
      }
      await writeSource(join(folder, "index.yaml"), INDEX);
      const { json, notCarried } = await importFrom(project, "crunch", join(folder, "../.."));
      // The document has no commit in its records.
      expect(notCarried).toEqual(["no_commit: crunch-42"]);
      expect(items(json, "sessions")).toMatchObject([
        { id: "crunch-42", issue_number: 42, records: 2 },
      ]);
      const resume = await project.run("resume", "--issue", "42", "--dry-run");
      expect(resume.json).toMatchObject({
        resume_from: "batch_3_task_1",
        resume_point: { phase: "enrich", batch: 3, task: 1, node: null },
      });
      // There is no checkpoint that files could come back from.
      const refused = await project.run("resume", "--issue", "42");
      expect(text(refused.json, "error", "hint")).not.toContain("--restore-files");
      const page = await talk(project, "session", "show", "crunch-42");
      expect(page.stdout).toMatch(/iteration +0\n +resume from +batch_3_task_1\n/);
      const plan = await talk(project, "resume", "--issue", "42", "--dry-run");
      expect(plan.stdout).toContain("continues with phase enrich (batch 3, task 1)\n");
      const session = field((await project.ok("session", "show", "crunch-42")).json, "session");
      expect(session).toMatchObject({
        status: "interrupted",
        updated_at: "2025-01-14T10:30:00.000Z",
        branch: "refs/heads/feature/issue-42-jwt-refresh",
        issue_snapshot: {
          title: "Issue title",
          body: "Full issue body at checkpoint",
          labels: ["state:enrich", "type:feature", "domain:security"],
          assignees: [],
          branch: "feature/issue-42-jwt-refresh",
        },
        current_phase: "enrich",
        state_label: "state:enrich",
        phases: [{ name: "enrich", attempts: 1, started_at: "2025-01-14T10:30:00.000Z" }],
        team_state: {
          team_id: "TEAM-20250114-a3f2",
          members: [
            {
              agent: "orchestrator",
              role: "coordinator",
              status: "active",
              tasks_completed: 2,
              tasks_pending: 1,
            },
          ],
        },
        execution_graph: {
          graph_id: "GRAPH-20250114-a3f2",
          completed_batches: [1, 2],
          current_batch: 3,
          nodes: {},
        },
        agent_outputs: {
          "system-architect": {
            create_spec: {
              completed_at: "2025-01-14T10:30:00.000Z",
              output_summary: "Spec created for JWT refresh token feature",
              output_location: ".claude/crunch/42/spec.md",
            },
          },
        },
        message_state: { pending: ["MSG-ids"], awaiting: ["MSG-ids"], conflicts: ["CONF-ids"] },
        knowledge_context: { injected: ["KE-ids"], captured: ["KE-ids"], pending: [] },
        files_modified: [{ path: "src/auth/tokens.py", status: "modified", staged: true }],
        imported: {
          current_record: "CP-enrich-20250114-b4c5",
          records: [
            {
              id: "CP-enrich-20250114-a3f2",
              created_at: "2025-01-14T10:00:00.000Z",
              trigger: "post_phase",
              phase: "enrich",
              rest: {
                can_resume: true,
                version: "1.0",
                session_id: "{session_uuid}",
                recovery_info: { resume_from: "batch_3_task_1", prerequisites_met: true },
              },
            },
            { id: "CP-enrich-20250114-b4c5", trigger: "batch_complete" },
          ],
        },
      });
    });
  });
});

const FLOW =
  "name: flow\ntype: crunch\nphases:\n  - {name: implementing, modifies: true, nodes: [{name: api, run: echo a >> api.txt}, {name: ui, run: echo u >> ui.txt, needs: [api]}], breakpoint: true}\n  - {name: docs, run: 'true'}\n";

describe("triggers", () => {
  it.each([
    ["phase_transition", ["pre_phase", "post_phase"]],
    ["batch_complete", ["batch_complete"]],
    ["agent_complete", ["agent_complete"]],
  ])("take what belongs to %s where the settings say so, and only then", async (name, triggers) => {
    await withSeed(async (project) => {
      await project.repo.write("flow.yml", FLOW);
      const taken = async (isOn: boolean): Promise<string[]> => {
        await project.writeOwnSettings(`triggers: {${name}: ${isOn}}\n`);
        expectExit(await project.run("run", "flow.yml", "--fresh"), 5);
        const { json } = await project.ok("list");
        const all = items(json, "checkpoints").map((each) => text(each, "trigger"));
        return triggers.filter((trigger) => all.includes(trigger));
      };
      expect(await taken(false)).toEqual([]);
      expect(await taken(true)).toEqual(triggers);
    });
  });

  it("take a checkpoint before and after phases and after each batch, and of the interrupted and the manual", async () => {
    await withSeed(async (project) => {
      await project.repo.write("flow.yml", FLOW);
      expectExit(await project.run("run", "flow.yml"), 5);
      const { json } = await project.ok("list");
      const triggers = items(json, "checkpoints").map((each) => text(each, "trigger"));
      expect(triggers.filter((trigger) => trigger === "batch_complete")).toHaveLength(2);
      expect(triggers).toEqual(expect.arrayContaining(["pre_phase", "post_phase"]));
      const [latest] = items(json, "checkpoints");
      expect(latest).toMatchObject({
        id: expect.stringMatching(/^cp-01-implementing-\d{8}-\d{6}-[0-9a-f]{4}$/),
        created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
        trigger: "post_phase",
        phase: "implementing",
        current: true,
      });
      const session = await project.ok("session", "show");
      expect(field(session.json, "session", "checkpoint_count")).toBe(triggers.length);
      const resume = await project.ok("resume", "--dry-run");
      expect(resume.json).toMatchObject({ can_resume: true, checkpoint_id: field(latest, "id") });
      const id = await project.create();
      const shown = await project.ok("show", id);
      expect(field(shown.json, "checkpoint", "trigger")).toBe("manual");
    });
  });
});

describe("settings", () => {
  it("are read from .claude/checkpoint-config.yaml as they are written", async () => {
    await withSeed(async (project) => {
      await project.repo.write(".claude/checkpoint-config.yaml", SETTINGS);
      const settings = await settingsOf(project);
      expect(Object.fromEntries(settings)).toMatchObject({
        "triggers.phase_transition": true,
        "triggers.batch_complete": true,
        "triggers.agent_complete": false,
        "triggers.conflict_events": true,
        "retention.pre_phase": -1,
        "retention.post_phase": -1,
        "retention.batch_complete": 3,
        "retention.agent_complete": 1,
        "retention.conflict_resolved": -1,
        "retention.user_interrupt": 1,
        "retention.manual": -1,
        "retention.max_size_mb": 50,
      });
    });
  });

  it("have the counts of the document by default", async () => {
    await withSeed(async (project) => {
      expect(Object.fromEntries(await settingsOf(project))).toMatchObject({
        "retention.pre_phase": -1,
        "retention.post_phase": -1,
        "retention.batch_complete": 3,
        "retention.agent_complete": 1,
        "retention.conflict_resolved": -1,
        "retention.user_interrupt": 1,
        "retention.manual": -1,
      });
    });
  });
});

describe("retention", () => {
  it("keeps the last three of batches for each phase, the last one of agents and of interrupts, and all others", async () => {
    await withSeed(async (project) => {
      for (const phase of ["enrich", "ready"]) {
        for (let at = 0; at < 4; at++) await project.take({ trigger: "batch_complete", phase });
        for (let at = 0; at < 2; at++) await project.take({ trigger: "agent_complete", phase });
      }
      for (let at = 0; at < 2; at++) {
        await project.take({ trigger: "user_interrupt" });
        await project.take({ trigger: "conflict_resolved" });
      }
      for (let at = 0; at < 4; at++) await project.take({ trigger: "pre_phase", phase: "ready" });
      await project.take({});
      await project.ok("cleanup");
      const { json } = await project.ok("list", "--all");
      const counts: Record<string, number> = {};
      for (const each of items(json, "checkpoints")) {
        const key = `${text(each, "trigger")} ${String(field(each, "phase"))}`;
        counts[key] = (counts[key] ?? 0) + 1;
      }
      expect(counts).toEqual({
        "batch_complete enrich": 3,
        "batch_complete ready": 3,
        "agent_complete enrich": 1,
        "agent_complete ready": 1,
        "user_interrupt null": 1,
        "conflict_resolved null": 2,
        "pre_phase ready": 4,
        "manual null": 1,
      });
    });
  });
});

describe("a resume", () => {
  it("cannot go on when the branch is gone, says so, and the checkpoint makes the branch again", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      await repo.git("checkout", "-q", "-b", "feature/issue-42-jwt-refresh");
      await repo.write(
        "flow.yml",
        "name: flow\ntype: crunch\nissue: 42\nphases:\n  - {name: enrich, run: 'true', breakpoint: true}\n  - {name: docs, run: 'true'}\n",
      );
      expectExit(await project.run("run", "flow.yml"), 5);
      await repo.git("checkout", "-q", "-f", "main");
      await repo.git("branch", "-q", "-D", "feature/issue-42-jwt-refresh");
      const refused = await project.run("resume", "--issue", "42", "--dry-run");
      expectExit(refused, 4, 5);
      expect(JSON.stringify(refused.json)).toContain("branch");
      await project.ok("rollback", "latest", "--yes", "--discard-commits");
      expect((await repo.git("branch", "--show-current")).trim()).toBe(
        "feature/issue-42-jwt-refresh",
      );
      expectExit(await project.run("resume", "--issue", "42", "--accept-changes"), 0);
    });
  });
});
