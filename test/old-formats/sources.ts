/** What older tools leave behind, in their own layouts and with real commits, tags and stash entries, made the way they make them. */
import { createHash } from "node:crypto";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { stringify } from "yaml";
import type { TempRepository } from "../support/temp-repository.ts";

type Json = Record<string, unknown>;

export async function writeSource(path: string, content: string | Buffer): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, content);
}

const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

export interface GoTeamSource {
  /** The storage folder. */
  readonly path: string;
  readonly session: string;
  readonly commits: readonly [init: string, requirements: string, architecture: string];
  readonly ids: readonly [init: string, requirements: string, architecture: string];
  readonly manifest: Json;
  readonly records: readonly Json[];
}

export const GO_TEAM_SESSION = "session-20251228";

const STEPS = [
  { name: "init", time: "210000", file: "init.md" },
  { name: "requirements", time: "211500", file: "requirements.md" },
  { name: "architecture", time: "213000", file: "architecture.md" },
] as const;

/** Three steps, and a rollback from the third to the second. */
export async function writeGoTeam(repo: TempRepository): Promise<GoTeamSource> {
  const path = join(repo.base, "go-team");
  const folder = join(path, GO_TEAM_SESSION);
  const commits: string[] = [];
  const records: Json[] = [];
  for (const [at, { name, time, file }] of STEPS.entries()) {
    const id = `cp-0${at + 1}-${name}-20251228-${time}`;
    await repo.write(file, `${name}\n`);
    await repo.git("add", "-A");
    const message = `checkpoint: step-${at + 1} - ${name}\n\nSession: ${GO_TEAM_SESSION}\nCheckpoint: ${id}\n`;
    await repo.git("commit", "-q", "-m", message);
    const commit = (await repo.git("rev-parse", "HEAD")).trim();
    commits.push(commit);
    const record = goTeamRecord(id, at + 1, name, time, commit, file);
    records.push(record);
    await writeSource(join(folder, `${id}.json`), json(record));
  }
  const ids = records.map((record) => String(record["id"]));
  const rollback = {
    id: "5f0c2a9e-0001",
    timestamp: "2025-12-28T21:40:00Z",
    from_checkpoint: ids[2],
    from_step: 3,
    to_checkpoint: ids[1],
    to_step: 2,
    reason: "observer_requested",
  };
  const manifest = {
    session_id: GO_TEAM_SESSION,
    topic: "Login with tokens",
    created_at: "2025-12-28T20:59:00Z",
    checkpoints: ids.map((id, at) => ({
      id,
      step: at + 1,
      timestamp: `2025-12-28T21:${["00", "15", "30"][at]}:00Z`,
      valid: at < 2,
      ...(at < 2 ? {} : { invalidated_by: rollback.id, corrupted_at: "2025-12-28T21:41:00Z" }),
    })),
    current_checkpoint: ids[1],
    rollback_history: [rollback],
    observer: { name: "somebody" },
  };
  await writeSource(join(folder, "manifest.json"), json(manifest));
  await writeSource(join(folder, "rollback-history.json"), json([rollback]));
  return {
    path,
    session: GO_TEAM_SESSION,
    commits: [commits[0] ?? "", commits[1] ?? "", commits[2] ?? ""],
    ids: [ids[0] ?? "", ids[1] ?? "", ids[2] ?? ""],
    manifest,
    records,
  };
}

function goTeamRecord(
  id: string,
  step: number,
  name: string,
  time: string,
  commit: string,
  file: string,
): Json {
  const [hour, minute] = [time.slice(0, 2), time.slice(2, 4)];
  const content = {
    id,
    session_id: GO_TEAM_SESSION,
    step_number: step,
    step_name: name,
    created_at: `2025-12-28T${hour}:${minute}:00Z`,
    state: {
      phase: `phase-of-${name}`,
      current_step: step,
      iteration_count: step * 2,
      metrics: { build_pass: true, test_coverage: 80 + step, lint_clean: true, race_free: true },
    },
    outputs: { spec: `spec of ${name}`, code_files: [file], test_files: [] },
    files: { created: [file], modified: [] },
    git: { enabled: true, commit_hash: commit, branch: "main" },
  };
  const checksum = createHash("sha256").update(JSON.stringify(content)).digest("hex");
  return { ...content, checksum };
}

export interface ClaudeSource {
  readonly path: string;
  readonly active: Json;
  readonly failed: Json;
}

export async function writeClaudeCheckpoints(repo: TempRepository): Promise<ClaudeSource> {
  const path = join(repo.base, "claude-checkpoints");
  const active = {
    checkpoint_id: "orchestrate_auth_system_20251003_184530",
    workflow_type: "orchestrate",
    workflow_description: "Implement authentication system",
    created_at: "2025-10-03T18:45:30Z",
    updated_at: "2025-10-03T18:52:15Z",
    status: "in_progress",
    current_phase: 2,
    total_phases: 5,
    completed_phases: [1],
    workflow_state: {
      project_name: "auth_system",
      artifact_registry: { plan: "specs/plans/022_auth_implementation.md" },
      research_results: ["tokens"],
      plan_path: "specs/plans/022_auth_implementation.md",
    },
    last_error: null,
    written_by: "save-checkpoint.sh",
  };
  const failed = {
    ...active,
    schema_version: "1.1",
    checkpoint_id: "implement_dark_mode_20251003_192230",
    workflow_type: "implement",
    workflow_description: "Dark mode",
    created_at: "2025-10-03T19:22:30Z",
    updated_at: "2025-10-03T19:30:00Z",
    current_phase: 3,
    completed_phases: [1, 2],
    workflow_state: { project_name: "dark_mode" },
    last_error: "tests failed in phase 3",
  };
  await writeSource(join(path, `${active.checkpoint_id}.json`), json(active));
  await writeSource(join(path, "failed", `${failed.checkpoint_id}.json`), json(failed));
  await writeSource(join(path, "README.md"), "# Checkpoints\n");
  return { path, active, failed };
}

export interface CrunchSource {
  /** The folder of all issues. */
  readonly path: string;
  readonly folder: string;
  readonly index: Json;
  readonly latest: Json;
}

export async function writeCrunch(repo: TempRepository): Promise<CrunchSource> {
  const path = join(repo.base, "crunch");
  const folder = join(path, "42", "checkpoints");
  const latest = crunchRecord("CP-implementing-20250114-b4c5", "implementing", "10:30");
  const first = crunchRecord("CP-enrich-20250114-a3f2", "enrich", "10:00");
  const index = {
    issue_number: 42,
    checkpoints: [
      entry(first, "phase_transition", "enrich"),
      entry(latest, "batch_complete", "implementing"),
    ],
    latest: latest["checkpoint_id"],
    total_checkpoints: 2,
  };
  for (const record of [first, latest]) {
    await writeSource(join(folder, `${String(record["checkpoint_id"])}.yaml`), stringify(record));
  }
  await writeSource(join(folder, "index.yaml"), stringify(index));
  await symlink(`${String(latest["checkpoint_id"])}.yaml`, join(folder, "latest"));
  return { path, folder, index, latest };
}

function entry(record: Json, trigger: string, phase: string): Json {
  const { checkpoint_id, created_at } = record;
  return { checkpoint_id, created_at, trigger, phase, can_resume: true };
}

function crunchRecord(id: string, phase: string, time: string): Json {
  return {
    checkpoint_id: id,
    version: "1.0",
    created_at: `2025-01-14T${time}:00Z`,
    issue_number: 42,
    session_id: "0b6f7a52-7d0e-4f53-8f9a-2a1f6f0f9d11",
    workflow_state: {
      current_phase: phase,
      current_state_label: `state:${phase}`,
      phase_started_at: "2025-01-14T09:50:00Z",
      phase_attempt: 2,
    },
    issue_snapshot: {
      title: "Refresh tokens",
      body: "They expire too soon.",
      labels: [`state:${phase}`, "type:feature"],
      assignees: ["ann"],
      branch: "feature/issue-42-jwt-refresh",
    },
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
      node_states: {
        api: {
          status: "completed",
          result: { lines: 12 },
          started_at: "2025-01-14T10:01:00Z",
          completed_at: "2025-01-14T10:09:00Z",
        },
        ui: { status: "running", started_at: "2025-01-14T10:10:00Z" },
      },
    },
    agent_outputs: {
      "system-architect": {
        create_spec: {
          completed_at: "2025-01-14T10:05:00Z",
          output_summary: "Spec for refresh tokens",
          output_location: ".claude/crunch/42/spec.md",
        },
      },
    },
    acp_state: {
      pending_messages: ["MSG-1"],
      awaiting_response: ["MSG-2"],
      conflicts_in_progress: ["CONF-1"],
    },
    knowledge_context: {
      injected_entries: ["KE-1"],
      captured_entries: ["KE-2"],
      pending_captures: ["KE-2", "KE-3"],
    },
    files_modified: [{ path: "src/auth/tokens.py", status: "modified", staged: true }],
    recovery_info: {
      can_resume: true,
      resume_from: "batch_3_task_1",
      prerequisites_met: true,
      warnings: [],
    },
  };
}

export interface FlowspecSource {
  readonly path: string;
  readonly registry: { checkpoints: Json[]; current_checkpoint_id: string };
  /** The commit of each record. */
  readonly commits: readonly [first: string, second: string];
}

/** One record with uncommitted changes in a stash entry, one that was clean. Positions in the stash list have shifted since. */
export async function writeFlowspec(repo: TempRepository): Promise<FlowspecSource> {
  const path = join(repo.base, "flowspec", "checkpoints.json");
  await repo.git("stash", "clear");
  await repo.git("reset", "-q", "--hard");
  await repo.git("clean", "-qfd");
  await repo.write("tracked.txt", "committed\n");
  await repo.git("add", "-A");
  const first = await repo.commit("before implement");
  await repo.write("tracked.txt", "staged\n");
  await repo.git("add", "tracked.txt");
  await repo.write("tracked.txt", "staged\nand changed\n");
  await repo.write("untracked.txt", "nobody tracks this\n");
  const before = await flowspecRecord(repo, "a1b2c3d4", "implement", "pre_phase", "task-12", true);
  await repo.git("add", "-A");
  const second = await repo.commit("implemented");
  const after = await flowspecRecord(repo, "e5f6a7b8", "implement", "post_phase", "task-12", false);
  await repo.write("tracked.txt", "somebody else's stash\n");
  await repo.git("stash", "push", "-q", "-m", "mine");
  const registry = { checkpoints: [before, after], current_checkpoint_id: "a1b2c3d4" };
  await writeSource(path, json(registry));
  return { path, registry, commits: [first, second] };
}

async function flowspecRecord(
  repo: TempRepository,
  id: string,
  phase: string,
  type: string,
  task: string | null,
  isDirty: boolean,
): Promise<Json> {
  if (isDirty) {
    const message = `flowspec checkpoint ${id} - ${phase} ${type}`;
    await repo.git("stash", "push", "-q", "-m", message, "--include-untracked");
  }
  const record = {
    id,
    task_id: task,
    phase,
    checkpoint_type: type,
    branch: (await repo.git("rev-parse", "--abbrev-ref", "HEAD")).trim(),
    commit_hash: (await repo.git("rev-parse", "HEAD")).trim(),
    stash_ref: isDirty ? "stash@{0}" : null,
    has_uncommitted: isDirty,
    workflow_state: type === "pre_phase" ? "Planned" : "In Progress",
    previous_phase: "plan",
    timestamp: `2025-11-0${isDirty ? 1 : 2}T10:00:00.123456`,
    description: `${type} of ${phase}`,
    user: "Ann",
    metrics_snapshot: { coverage: 81 },
  };
  await repo.git("tag", "-a", `flowspec/${phase}/${type}/${id}`, "-m", JSON.stringify(record));
  if (isDirty) await repo.git("stash", "apply", "-q", "--index", "stash@{0}");
  return record;
}
