import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { MemoryAuditLog } from "../adapters/memory/memory-audit-log.ts";
import { MemoryCapture } from "../adapters/memory/memory-capture.ts";
import {
  MemoryCheckpointStore,
  type MemoryCheckpoints,
} from "../adapters/memory/memory-checkpoint-store.ts";
import { MemorySessionStore } from "../adapters/memory/memory-session-store.ts";
import { DEFAULT_CONFIG } from "../domain/config.ts";
import { NEVER_INTERRUPTED } from "../ports/interruption.ts";
import { SILENT } from "../ports/progress.ts";
import { DEFAULT_POLICY } from "../domain/capture-policy.ts";
import { schemaProblems } from "../domain/checkpoint-schema.ts";
import { TRIGGERS, type CheckpointDocument } from "../domain/checkpoint.ts";
import { newSession, recordRollback, type SessionDocument } from "../domain/session.ts";
import type { AgentMemory } from "../ports/agent-memory.ts";
import type { FileHistories } from "../ports/file-histories.ts";
import type { Differ } from "../ports/differ.ts";
import type { Branches } from "../ports/branches.ts";
import type { CleanupLog } from "../ports/cleanup-log.ts";
import type { HeldSecrets } from "../ports/held-secrets.ts";
import type { WorkflowFiles } from "../ports/workflow-files.ts";
import type { Commands } from "../ports/commands.ts";
import type { GuardMark, Guards } from "../ports/guards.ts";
import type { IsolatedWorkTrees } from "../ports/isolated-work-trees.ts";
import type { Holdings } from "../ports/holdings.ts";
import type { CheckpointStore, PublishResult } from "../ports/checkpoint-store.ts";
import type { Latest } from "../ports/latest-hint.ts";
import type { Issues } from "../ports/issues.ts";
import type { NamedFiles } from "../ports/named-files.ts";
import type { Notes } from "../ports/notes.ts";
import type { Liveness } from "../ports/liveness.ts";
import type { RunFiles } from "../ports/run-files.ts";
import type { Restorer, Unfinished } from "../ports/restorer.ts";
import type { Stashes } from "../ports/stashes.ts";
import type { TaskLook, Tasks } from "../ports/tasks.ts";
import type { WorkTree } from "../ports/work-tree.ts";
import { createCheckpoint, type CreateRequest } from "./create-checkpoint.ts";
import type { Project } from "./project.ts";

const SESSION = "worktree-main";

/** As much of a port as creating a checkpoint needs; a call of anything else is a TypeError. */
const only = <Port>(part: Partial<Port>): Port => part as Port;

/** A project whose whole content is one text. */
class Scene {
  content = "first";
  now = new Date("2026-11-15T18:45:30.000Z");
  worktreeId = "main";
  readonly captures: MemoryCapture[] = [];
  readonly stored: MemoryCheckpoints = new Map();
  readonly sessions = new MemorySessionStore();
  readonly audit = new MemoryAuditLog();
  readonly hints = new Map<string, Latest>();
  /** Four digits for the next ids; counted up when there are none. */
  readonly digits: string[] = [];
  /** What the store answers before it does what it is asked. */
  readonly answers: (PublishResult | Error)[] = [];
  unfinished: Unfinished | undefined;
  killedGuards: GuardMark[] = [];
  /** What Backlog.md says about every task. */
  task: TaskLook = { kind: "none" };
  /** What is said about rollbacks, one answer after the other. */
  rollbacks: string[] = [];
  lists = 0;
  readonly remembered: MemoryCapture[] = [];
  sweeps = 0;
  #given = 0;

  async create(request: CreateRequest = {}): Promise<CheckpointDocument> {
    const result = await createCheckpoint(this.project(), request);
    expect(result.kind).toBe("created");
    return result.checkpoint;
  }

  async kindOf(request: CreateRequest = {}): Promise<string> {
    return (await createCheckpoint(this.project(), request)).kind;
  }

  /** As if a rollback to this checkpoint had just been done. */
  async rollBack(to: CheckpointDocument, id: string): Promise<void> {
    const stored = await this.sessions.read(SESSION);
    const document = stored?.document ?? newSession(SESSION, to.created_at);
    const epochs = {
      epoch_before: document.worktrees[this.worktreeId]?.epoch ?? null,
      epoch_after: id,
    };
    const next = recordRollback(document, {
      sessionId: SESSION,
      base: {
        base_id: to.id,
        seq: to.seq,
        epoch: to.epoch,
        created_at: to.created_at,
        is_own: true,
      },
      record: {
        id,
        kind: "rollback",
        worktree_id: this.worktreeId,
        at: to.created_at,
        by: null,
        reason: null,
        from_id: null,
        to_id: to.id,
        safety_id: "safety",
        files: 1,
        ...epochs,
      },
      entry: {
        rollback_id: id,
        return_id: "safety",
        to_id: to.id,
        result: "",
        files_only: false,
        paths: null,
        keep_head: false,
        ...epochs,
      },
    });
    await this.write(next);
  }

  async write(document: SessionDocument): Promise<void> {
    const stored = await this.sessions.read(document.id);
    expect(await this.sessions.write(document, stored?.version, "test")).toBe(true);
  }

  project(): Project {
    const memory = new MemoryCheckpointStore(this.stored);
    return {
      parts: only({}),
      workTree: only<WorkTree>({
        id: this.worktreeId,
        root: "/project",
        capture: () => {
          const capture = new MemoryCapture(this.content);
          this.captures.push(capture);
          return Promise.resolve(capture);
        },
        remember: (capture) => {
          if (capture instanceof MemoryCapture) this.remembered.push(capture);
        },
        changesSince: (previous, capture) =>
          Promise.resolve({
            created: previous === undefined ? ["file"] : [],
            modified: previous?.sameness === capture.sameness ? [] : ["file"],
            deleted: [],
            total: 1,
          }),
      }),
      checkpoints: only<CheckpointStore>({
        ids: () => [],
        publish: (draft) => {
          const answer = this.answers.shift();
          if (answer instanceof Error) return Promise.reject(answer);
          return answer === undefined ? memory.publish(draft) : Promise.resolve(answer);
        },
        glance: () => memory.list(),
        list: () => {
          this.lists += 1;
          return memory.list();
        },
        listTrash: () => memory.listTrash(),
        read: (id) => memory.read(id),
      }),
      sessions: this.sessions,
      warn: () => undefined,
      commandTrust: { has: () => true, add: () => undefined },
      currentSession: { get: () => undefined, set: () => undefined, everywhere: () => [] },
      liveness: only<Liveness>({}),
      within: undefined,
      archives: () => Promise.reject(new Error("create needs no archives")),
      oldFormats: () => Promise.reject(new Error("create needs no old formats")),
      codeStates: () => Promise.reject(new Error("create needs no states of git")),
      storage: () => Promise.reject(new Error("create asks nothing about the store")),
      rebuilder: () => Promise.reject(new Error("create rebuilds nothing")),
      restorer: only<Restorer>({
        unfinished: () => this.unfinished,
        whenIdle: () => Promise.resolve(),
        activity: () => this.rollbacks.shift() ?? "idle",
      }),
      differ: only<Differ>({}),
      fileHistories: only<FileHistories>({}),
      tasks: only<Tasks>({ snapshot: () => Promise.resolve(this.task) }),
      branches: only<Branches>({}),
      holdings: only<Holdings>({}),
      cleanupLog: only<CleanupLog>({}),
      audit: this.audit,
      stashes: only<Stashes>({}),
      heldSecrets: only<HeldSecrets>({}),
      notes: only<Notes>({}),
      agentMemory: only<AgentMemory>({}),
      agentMemoryElsewhere: only<AgentMemory>({}),
      guards: only<Guards>({
        killed: () => this.killedGuards,
        forget: (id) =>
          void (this.killedGuards = this.killedGuards.filter((mark) => mark.checkpointId !== id)),
      }),
      commands: only<Commands>({}),
      workflowFiles: only<WorkflowFiles>({}),
      issues: only<Issues>({}),
      namedFiles: only<NamedFiles>({}),
      git: "git",
      exports: ".git/waymark/exports",
      isolated: only<IsolatedWorkTrees>({}),
      openAt: () => Promise.reject(new Error("create opens no other work tree")),
      runFiles: only<RunFiles>({}),
      latestHint: {
        get: (sessionId) => this.hints.get(sessionId),
        set: (sessionId, latest) => void this.hints.set(sessionId, latest),
        here: () => undefined,
        setHere: () => undefined,
      },
      clock: {
        now: () => this.now,
        fourDigits: () => this.digits.shift() ?? String(++this.#given).padStart(4, "0"),
      },
      sha256: (text) => createHash("sha256").update(text).digest("hex"),
      policy: DEFAULT_POLICY,
      config: DEFAULT_CONFIG,
      consentAsks: [],
      progress: SILENT,
      interruption: NEVER_INTERRUPTED,
      actor: {
        user: "test",
        host: "host",
        pid: 7,
        agent: null,
        agent_session_id: null,
        tool_use_id: null,
      },
      sweep: () => {
        this.sweeps += 1;
      },
      sweepKept: () => Promise.reject(new Error("no checkpoint waits for it")),
      close: () => undefined,
    };
  }
}

describe("a new checkpoint", () => {
  it("is stored as it was returned, by the rules of its schema", async () => {
    const scene = new Scene();
    const document = await scene.create({
      trigger: "pre_phase",
      phase: "implement",
      step: 4,
      name: "n",
      reason: "why",
      description: "what",
      taskId: "task-12",
      issueNumber: 42,
      workflowState: "In Progress",
      metrics: { tests: 7 },
      expiresAt: "2030-01-01T00:00:00.000Z",
      durability: "fast",
    });
    expect(document).toMatchObject({
      id: "cp-04-implement-20261115-184530-0001",
      session_id: SESSION,
      worktree_id: "main",
      seq: 1,
      previous_id: null,
      epoch: null,
      name: "n",
      task_id: "task-12",
      issue_number: 42,
      phase: "implement",
      step: 4,
      previous_phase: "plan",
      workflow_state: "In Progress",
      trigger: "pre_phase",
      reason: "why",
      description: "what",
      created_at: "2026-11-15T18:45:30.000Z",
      metrics: { tests: 7 },
      durability: "fast",
      expires_at: "2030-01-01T00:00:00.000Z",
      restore_command:
        "waymark rollback cp-04-implement-20261115-184530-0001 --yes --discard-commits",
      files: { created: ["file"] },
    });
    expect(schemaProblems(document)).toEqual([]);
    expect(await scene.project().checkpoints.read(document.id)).toEqual({
      kind: "ok",
      id: document.id,
      document,
    });
  });

  it("is labelled by its phase, else by its name, else by its trigger", async () => {
    const scene = new Scene();
    expect((await scene.create({ phase: "plan", name: "n" })).id).toContain("-plan-");
    expect((await scene.create({ name: "Before the Move" })).id).toContain("-before-the-move-");
    expect((await scene.create({ force: true, trigger: "auto" })).id).toContain("-auto-");
  });

  it("follows the one before it", async () => {
    const scene = new Scene();
    const first = await scene.create({ phase: "plan" });
    scene.content = "second";
    const second = await scene.create();
    expect(second).toMatchObject({ seq: 2, previous_id: first.id, previous_phase: "plan" });
    expect(second.files.modified).toEqual(["file"]);
    scene.content = "third";
    expect(await scene.create()).toMatchObject({ seq: 3, previous_id: second.id });
  });

  it("begins its session, once, and leaves one that is there alone", async () => {
    const scene = new Scene();
    await scene.create();
    const begun = await scene.sessions.read(SESSION);
    expect(begun?.document).toMatchObject({ id: SESSION, status: "active" });
    await scene.create({ force: true });
    expect(await scene.sessions.read(SESSION)).toEqual(begun);
    await scene.write({ ...newSession("task", "2026-11-15T18:00:00.000Z"), status: "paused" });
    await scene.create({ sessionId: "task" });
    expect((await scene.sessions.read("task"))?.document.status).toBe("paused");
  });

  it("says nothing of a rollback that was interrupted but a warning", async () => {
    const scene = new Scene();
    expect((await createCheckpoint(scene.project(), {})).warnings).toEqual([]);
    scene.unfinished = {
      rollbackId: "rb",
      targetId: "cp-x",
      safetyId: null,
      since: "2026-11-15T18:00:00.000Z",
      phase: "applying",
      owner: { host: "box", pid: 7, mayBeAtWork: false },
      parts: [],
      partPaths: null,
    };
    for (const request of [{}, { force: true }]) {
      const { warnings } = await createCheckpoint(scene.project(), request);
      expect(warnings).toEqual([expect.stringContaining("cp-x")]);
    }
    scene.unfinished = { ...scene.unfinished, owner: { host: "box", pid: 7, mayBeAtWork: true } };
    const { warnings } = await createCheckpoint(scene.project(), {});
    expect(warnings).toEqual([expect.stringMatching(/process 7 on box.*recover --take-over rb`/)]);
  });

  it("tells of a guard that was killed, unless it makes a safety checkpoint, which nobody hears", async () => {
    const scene = new Scene();
    const mark = { worktreeId: "main", since: "2026-11-15T18:00:00.000Z" };
    scene.killedGuards = [
      { ...mark, checkpointId: "cp-x" },
      { ...mark, checkpointId: "cp-y", worktreeId: "other" },
    ];
    const safety = await createCheckpoint(scene.project(), { trigger: "pre_rollback" });
    expect(safety.warnings).toEqual([]);
    expect(scene.killedGuards).toHaveLength(2);
    const { warnings } = await createCheckpoint(scene.project(), {});
    expect(warnings).toEqual([expect.stringContaining("waymark rollback cp-x")]);
    expect(scene.killedGuards).toMatchObject([{ checkpointId: "cp-y" }]);
  });

  it("sweeps what killed processes left behind, before anything else", async () => {
    const scene = new Scene();
    scene.answers.push(new Error("stop"));
    await expect(scene.create()).rejects.toThrow("stop");
    expect(scene.sweeps).toBe(1);
  });
});

describe("nothing changed", () => {
  async function afterFirst(): Promise<Scene> {
    const scene = new Scene();
    await scene.create();
    return scene;
  }

  it.each<[string, CreateRequest]>([
    ["a bare create", {}],
    ["auto", { trigger: "auto" }],
    ["tool_use", { trigger: "tool_use" }],
    ["auto with a reason", { trigger: "auto", reason: "every ten minutes" }],
    ["tool_use of a phase", { trigger: "tool_use", phase: "plan", step: 2 }],
  ])("is enough of a reason to make none: %s", async (_what, request) => {
    const scene = await afterFirst();
    const [first] = scene.stored.keys();
    const result = await createCheckpoint(scene.project(), request);
    expect(result).toMatchObject({ kind: "unchanged", checkpoint: { id: first } });
    expect(scene.stored.size).toBe(1);
    expect(scene.remembered).toEqual([scene.captures.at(-1)]);
  });

  it.each<[string, CreateRequest]>([
    ["a name", { name: "n" }],
    ["a phase", { phase: "p" }],
    ["a step", { step: 0 }],
    ["a task", { taskId: "t" }],
    ["an issue", { issueNumber: 1 }],
    ["a workflow state", { workflowState: "w" }],
    ["metrics", { metrics: {} }],
    ["a date of expiry", { expiresAt: "2030-01-01T00:00:00.000Z" }],
    ["force", { force: true }],
    ["force and auto", { force: true, trigger: "auto" }],
    ["a description", { description: "d" }],
    ["force and tool_use", { force: true, trigger: "tool_use" }],
    ...TRIGGERS.filter((trigger) => !["manual", "auto", "tool_use"].includes(trigger)).map(
      (trigger): [string, CreateRequest] => [trigger, { trigger }],
    ),
  ])("is no reason to make none: %s", async (_what, request) => {
    const scene = await afterFirst();
    expect(await scene.kindOf(request)).toBe("created");
    expect(scene.stored.size).toBe(2);
  });

  it("[R9] makes none with a reason alone", async () => {
    const scene = await afterFirst();
    expect(await scene.kindOf({ reason: "r" })).toBe("unchanged");
    expect(scene.stored.size).toBe(1);
  });

  it("is found again after something did change", async () => {
    const scene = await afterFirst();
    scene.content = "second";
    expect(await scene.kindOf()).toBe("created");
    expect(await scene.kindOf()).toBe("unchanged");
    scene.content = "first";
    expect(await scene.kindOf()).toBe("created");
  });

  it("is about the same session and the same work tree only", async () => {
    const scene = await afterFirst();
    expect(await scene.create({ sessionId: "task" })).toMatchObject({ seq: 1, previous_id: null });
    scene.worktreeId = "linked";
    expect(await scene.create({ sessionId: SESSION })).toMatchObject({ seq: 1, previous_id: null });
  });

  it("leaves no capture open", async () => {
    const scene = await afterFirst();
    await scene.kindOf();
    expect(scene.captures.map((capture) => capture.isDiscarded)).toEqual([true, true]);
  });

  it("is not about safety checkpoints", async () => {
    const scene = await afterFirst();
    scene.content = "dirty";
    const safety = await scene.create({ trigger: "pre_rollback" });
    expect(await scene.create()).toMatchObject({ seq: 3, files: { modified: ["file"] } });
    expect(safety.seq).toBe(2);
  });

  // There is nothing after that time that a plain `waymark rollback` could go back to.
  it("is no reason to make none when the last one expires earlier", async () => {
    const scene = new Scene();
    await scene.create({ expiresAt: "2026-11-15T19:00:00.000Z" });
    const auto = { trigger: "auto" } as const;
    expect(await scene.kindOf({ ...auto, expiresAt: "2026-11-15T19:00:00Z" })).toBe("unchanged");
    expect(await scene.kindOf({ ...auto, expiresAt: "2026-11-15T20:00:00Z" })).toBe("created");
    expect(await scene.kindOf(auto)).toBe("created");
    expect(await scene.kindOf(auto)).toBe("unchanged");
  });

  it.each(["2020-01-01", "2026-11-15T18:45:30.000Z", "+012026-01-01T00:00:00.000Z", "soon", ""])(
    "[R59] cannot be taken to expire at %j",
    async (expiresAt) => {
      const scene = new Scene();
      await expect(scene.create({ expiresAt })).rejects.toMatchObject({ code: "usage" });
      expect(scene.stored.size).toBe(0);
      expect(scene.audit.read({})).toMatchObject([{ ok: false, error: { code: "usage" } }]);
    },
  );
});

describe("the audit log", () => {
  it("has each new checkpoint, and nothing when nothing changed", async () => {
    const scene = new Scene();
    const { id } = await scene.create({ reason: "why", sessionId: "mine", phase: "plan" });
    await scene.kindOf({ sessionId: "mine" });
    expect(scene.audit.read({})).toEqual([
      expect.objectContaining({
        operation: "create",
        ok: true,
        error: null,
        session_id: "mine",
        worktree_id: "main",
        checkpoint_ids: [id],
        reason: "why",
        by: expect.objectContaining({ user: "test", pid: 7 }),
        details: { trigger: "manual", phase: "plan", step: 4 },
      }),
    ]);
  });

  it("has what failed, but leaves a failed safety checkpoint to its rollback", async () => {
    const scene = new Scene();
    scene.answers.push(new Error("a bug"), new Error("another"));
    await expect(scene.create({ reason: "why" })).rejects.toThrow("a bug");
    await expect(scene.create({ trigger: "pre_rollback" })).rejects.toThrow("another");
    expect(scene.audit.read({})).toMatchObject([
      { operation: "create", ok: false, error: { code: "internal", message: "a bug" } },
    ]);
  });
});

describe("a rollback that goes on meanwhile", () => {
  it("[R12] makes create capture again", async () => {
    const scene = new Scene();
    scene.rollbacks = ["before", "after", "after", "after"];
    await scene.create();
    expect(scene.captures).toHaveLength(2);
  });
});

describe("after a rollback", () => {
  it("the one that it went to is the one before", async () => {
    const scene = new Scene();
    const first = await scene.create();
    scene.content = "second";
    await scene.create();
    await scene.create({ trigger: "pre_rollback" });
    await scene.rollBack(first, "rb-1");
    scene.content = "first";
    expect(await createCheckpoint(scene.project(), {})).toMatchObject({
      kind: "unchanged",
      checkpoint: { id: first.id },
    });
    scene.content = "third";
    expect(await scene.create()).toMatchObject({
      seq: 4,
      previous_id: first.id,
      epoch: "rb-1",
    });
    scene.content = "fourth";
    expect(await scene.create()).toMatchObject({ seq: 5, epoch: "rb-1" });
  });
});

describe("what is remembered about the last checkpoint", () => {
  it("spares the list of all", async () => {
    const scene = new Scene();
    await scene.create();
    const lists = scene.lists;
    scene.content = "second";
    await scene.create();
    expect(await scene.kindOf()).toBe("unchanged");
    expect(scene.lists).toBe(lists);
  });

  it("spares it after a rollback too, once it was gone through for that session as it is now", async () => {
    const scene = new Scene();
    const first = await scene.create();
    scene.content = "second";
    await scene.create();
    await scene.create({ trigger: "pre_rollback" });
    await scene.rollBack(first, "rb-1");
    scene.content = "first";
    expect(await scene.kindOf()).toBe("unchanged");
    const { lists } = scene;
    expect(await scene.kindOf()).toBe("unchanged");
    expect(scene.lists).toBe(lists);
    await scene.rollBack(first, "rb-2");
    expect(await scene.kindOf()).toBe("unchanged");
    expect(scene.lists).toBe(lists + 1);
  });

  it("gives the same answers as the list", async () => {
    const [with_, without] = [new Scene(), new Scene()];
    const facts = async (scene: Scene, isForgetful: boolean) => {
      const documents: CheckpointDocument[] = [];
      const contents = ["a", "a", "b", "b", "c", "a", "d"];
      const triggers = [
        "manual",
        "auto",
        "manual",
        "pre_rollback",
        "pre_phase",
        "pre_rollback",
        "auto",
      ] as const;
      for (const [at, content] of contents.entries()) {
        if (isForgetful) scene.hints.clear();
        scene.content = content;
        const request = { trigger: triggers[at] ?? "manual" };
        documents.push((await createCheckpoint(scene.project(), request)).checkpoint);
        if (at === 4) await scene.rollBack(documents[0] as CheckpointDocument, "rb-1");
      }
      return documents;
    };
    expect(await facts(with_, false)).toEqual(await facts(without, true));
  });

  it("does not count when that checkpoint is gone", async () => {
    const scene = new Scene();
    const first = await scene.create();
    const second = await scene.create({ force: true });
    scene.stored.delete(second.id);
    expect(await createCheckpoint(scene.project(), {})).toMatchObject({
      kind: "unchanged",
      checkpoint: { id: first.id },
    });
  });

  it("does not count when that checkpoint is damaged", async () => {
    const scene = new Scene();
    const first = await scene.create();
    const second = await scene.create({ force: true });
    scene.stored.set(second.id, { message: "garbage", content: "" });
    expect(await scene.create({ force: true })).toMatchObject({ previous_id: first.id });
  });

  it("does not count when it is about another session", async () => {
    const scene = new Scene();
    const other = await scene.create({ sessionId: "task" });
    scene.hints.set(SESSION, { id: other.id, seq: 9, epoch: null });
    expect(await scene.create()).toMatchObject({ seq: 1, previous_id: null });
  });
});

describe("an id that is taken", () => {
  it("is given up for another one, with a capture of that moment", async () => {
    const scene = new Scene();
    scene.digits.push("aaaa", "aaaa", "aaaa", "bbbb");
    const first = await scene.create();
    scene.content = "second";
    const second = await scene.create();
    expect([first.id, second.id].map((id) => id.slice(-4))).toEqual(["aaaa", "bbbb"]);
    expect(second).toMatchObject({ seq: 2, previous_id: first.id });
    expect(scene.captures).toHaveLength(4);
    expect(scene.captures.every((capture) => capture.isDiscarded)).toBe(true);
  });

  it("ends in a refusal when there is never a free one", async () => {
    const scene = new Scene();
    await scene.create({ force: true });
    const [taken = ""] = scene.stored.keys();
    for (let at = 0; at < 100; at++) scene.digits.push(taken.slice(-4));
    await expect(scene.create({ force: true })).rejects.toMatchObject({ code: "repository_busy" });
    expect(scene.stored.size).toBe(1);
    expect(scene.captures.every((capture) => capture.isDiscarded)).toBe(true);
  });
});

describe("a capture", () => {
  it("is taken again when what it relied on is gone", async () => {
    const scene = new Scene();
    scene.answers.push({ kind: "outdated" });
    await scene.create();
    expect(scene.captures.map((capture) => capture.isDiscarded)).toEqual([true, true]);
    expect(scene.stored.size).toBe(1);
  });

  it("of the caller is used, and one of its own only if that does not work", async () => {
    const scene = new Scene();
    const capture = new MemoryCapture("the caller's");
    expect(await scene.create({ capture })).toMatchObject({ sameness: capture.sameness });
    expect(scene.captures).toEqual([]);
    scene.answers.push({ kind: "outdated" });
    await scene.create({ force: true, capture: new MemoryCapture("the caller's") });
    expect(scene.captures).toHaveLength(1);
  });

  it("is discarded when it cannot be published", async () => {
    const scene = new Scene();
    scene.answers.push(new Error("the disk is full"));
    await expect(scene.create()).rejects.toThrow("the disk is full");
    expect(scene.captures.map((capture) => capture.isDiscarded)).toEqual([true]);
    expect(await scene.sessions.list()).toEqual([]);
    expect(scene.hints.size).toBe(0);
  });
});
