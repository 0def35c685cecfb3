/** What is found before a session is resumed, on real repositories. */
import { describe, expect, it } from "vitest";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { openGitProject } from "../../src/app.ts";
import { GhIssues } from "../../src/adapters/issues/gh-issues.ts";
import { newSession, type SessionDocument } from "../../src/domain/session.ts";
import { NO_LEASE, takenLease, type HolderLife } from "../../src/domain/workflow/lease.ts";
import { graphOf, phasesOf } from "../../src/domain/workflow/progress.fixture.ts";
import { NO_PROGRESS, type WorkflowProgress } from "../../src/domain/workflow/progress.ts";
import { FINDING_KINDS, STALENESS_RULES } from "../../src/domain/workflow/staleness/rules.ts";
import {
  checkStaleness,
  type StalenessCheck,
  type StalenessRequest,
} from "../../src/operations/check-staleness.ts";
import { createCheckpoint, type CreateRequest } from "../../src/operations/create-checkpoint.ts";
import type { Project } from "../../src/operations/project.ts";
import { snapshotIssue } from "../../src/operations/snapshot-issue.ts";
import { problemsWith } from "../cli/schema-check.ts";
import { read } from "../architecture/project-files.ts";
import { RuleProject, withDirty } from "../spec/project.ts";
import { deleteObject } from "../support/damage.ts";
import { FakeGithub, whyNoGh } from "../support/fake-github.ts";
import { hasProgram } from "../support/find-program.ts";
import { strictDifferences } from "../support/fingerprint-diff.ts";
import { takeFingerprint } from "../support/fingerprint.ts";
import { runCommand } from "../support/run-command.ts";
import { withTempProject, type TempRepository } from "../support/temp-repository.ts";

const ID = "implement_shop";
const AT = "2026-11-16T10:00:00.000Z";
const PROGRESS: WorkflowProgress = {
  ...NO_PROGRESS,
  phases: phasesOf({ plan: "completed", implement: "running" }),
  execution_graph: graphOf("implement", {
    nodes: { model: "completed", api: "unknown" },
    batches: [["model"], ["api"]],
  }),
  state_label: "state:enrich",
};

class Scene {
  readonly repo: TempRepository;
  readonly project: Project;
  session: SessionDocument;

  constructor(repo: TempRepository, project: Project) {
    this.repo = repo;
    this.project = project;
    this.session = {
      ...newSession(ID, AT),
      implicit: false,
      status: "interrupted",
      branch: "refs/heads/main",
      worktree_id: "main",
      workflow: PROGRESS,
    };
  }

  async checkpoint(request: CreateRequest = {}): Promise<string> {
    const made = await createCheckpoint(this.project, { sessionId: ID, force: true, ...request });
    return made.checkpoint.id;
  }

  async check(request: Partial<StalenessRequest> = {}): Promise<StalenessCheck> {
    const result = await checkStaleness(this.project, {
      session: this.session,
      lifeOf: () => "dead",
      currentText: () => Promise.resolve(undefined),
      ...request,
    });
    const document = { schema_version: 1, kind: "staleness", ...result.report };
    expect(problemsWith(document, "staleness")).toEqual([]);
    return result;
  }

  async kinds(request: Partial<StalenessRequest> = {}): Promise<string[]> {
    return (await this.check(request)).report.findings.map(({ kind }) => kind);
  }

  /** The same, and nothing at all is another than before. */
  async checkUntouched(): Promise<StalenessCheck> {
    const before = await this.#everything();
    const result = await this.check();
    const after = await this.#everything();
    expect(strictDifferences(after.fingerprint, before.fingerprint)).toEqual([]);
    expect(after.own).toEqual(before.own);
    return result;
  }

  async #everything() {
    const fingerprint = await takeFingerprint(this.repo);
    return { fingerprint, own: await this.repo.storeRefs("refs/waymark") };
  }
}

async function withScene(body: (scene: Scene) => Promise<void>): Promise<void> {
  await withDirty(({ repo }) => opened(repo, body));
}

/** A git that is running already still has what is deleted. */
async function opened(repo: TempRepository, body: (scene: Scene) => Promise<void>): Promise<void> {
  const project = await openGitProject({ directory: repo.root });
  try {
    await body(new Scene(repo, project));
  } finally {
    project.close();
  }
}

describe("staleness of a session", () => {
  it("[R84] is none when nothing happened, and the look changes nothing", async () => {
    await withScene(async (scene) => {
      const id = await scene.checkpoint();
      const { report, checkpoint, changes } = await scene.checkUntouched();
      expect(report).toEqual({
        session_id: ID,
        checkpoint_id: id,
        can_resume: true,
        resume_from: "batch_2_task_1",
        resume_point: expect.objectContaining({ words: "phase implement (node api)" }),
        prerequisites_met: true,
        warnings: [],
        action: "resume",
        state_label: "state:enrich",
        findings: [],
      });
      expect(checkpoint?.id).toBe(id);
      expect(changes).toMatchObject({ kind: "known", changes: { files: [], parts: [] } });
    });
  });

  it("[R84] finds files and commits that came from outside, odd names too, and nothing of its own folder", async () => {
    await withScene(async (scene) => {
      const { repo } = scene;
      await scene.checkpoint();
      await repo.write("b.txt", "by hand\n");
      await repo.write("odd\nname é.txt", "x");
      await repo.write(".git/waymark/exports/x.bundle", "x");
      await repo.git("add", "b.txt");
      await repo.commit("by hand");
      const { report, changes } = await scene.checkUntouched();
      expect(report).toMatchObject({ action: "prompt_user", can_resume: true });
      expect(report.findings.map(({ kind }) => kind)).toEqual(["head_moved", "files_changed"]);
      expect(report.findings[0]?.details).toMatchObject({
        commits_gained: [{ subject: "by hand" }],
        commits_lost: [],
      });
      expect(report.findings[1]?.details).toMatchObject({ files_total: 2 });
      expect(changes).toMatchObject({
        changes: { files: [{ path: "b.txt", change: "modified" }, { change: "added" }] },
      });
    });
  });

  it("tells staged changes and an operation in progress apart", async () => {
    await withScene(async (scene) => {
      const { repo } = scene;
      await repo.write("staged.txt", "x");
      await scene.checkpoint();
      await repo.git("add", "staged.txt");
      expect(await scene.kinds()).toEqual(["index_changed"]);
      await repo.git("bisect", "start");
      expect(await scene.kinds()).toContain("operation_changed");
    });
  });

  it("finds the branch gone, switched, or not yet born", async () => {
    await withScene(async (scene) => {
      const { repo } = scene;
      await repo.git("switch", "-q", "-c", "feature");
      await scene.checkpoint();
      expect(await scene.kinds()).toEqual([]);
      await repo.git("switch", "-q", "main");
      expect(await scene.kinds()).toEqual(["branch_switched"]);
      await repo.git("branch", "-q", "-D", "feature");
      expect((await scene.check()).report).toMatchObject({
        can_resume: false,
        action: "start_fresh",
        findings: [{ kind: "branch_gone", message: expect.stringContaining("feature") as unknown }],
      });
      await repo.git("checkout", "-q", "--orphan", "unborn");
      await scene.checkpoint();
      expect(await scene.kinds()).toEqual([]);
    });
  });

  it("knows the branch of a session without a checkpoint by its document or its issue", async () => {
    await withScene(async (scene) => {
      expect(await scene.kinds()).toEqual(["no_checkpoint"]);
      scene.session = { ...scene.session, branch: "refs/heads/gone" };
      expect(await scene.kinds()).toEqual(["no_checkpoint", "branch_gone"]);
      const { branch: _, ...rest } = scene.session;
      const snapshot = { number: 1, title: "", body: "", labels: [], assignees: [] };
      scene.session = { ...rest, issue_snapshot: { ...snapshot, branch: "gone", taken_at: AT } };
      const project = { ...scene.project, config: withoutIssues(scene.project) };
      const result = await checkStaleness(project, {
        session: scene.session,
        lifeOf: () => "dead",
        currentText: () => Promise.resolve(undefined),
      });
      expect(result.report.findings.map(({ kind }) => kind)).toEqual([
        "no_checkpoint",
        "branch_gone",
      ]);
    });
  });

  it("compares with the checkpoint that the session is at, also after a rollback", async () => {
    await withScene(async (scene) => {
      const first = await scene.checkpoint();
      await scene.repo.write("later.txt", "later\n");
      await scene.checkpoint();
      await new RuleProject(scene.repo).ok("rollback", first, "--session", ID, "--yes");
      const { report } = await scene.check();
      expect(report).toMatchObject({ checkpoint_id: first, findings: [] });
    });
  });

  it("[R84] finds damage of the checkpoint, and names the newest whole one", async () => {
    await withScene(async (scene) => {
      await scene.repo.write("only-first.txt", "first\n");
      const whole = await scene.checkpoint();
      await scene.repo.write("only-later.txt", "damaged later\n");
      const damaged = await scene.checkpoint();
      const oid = (await scene.repo.git("hash-object", "only-later.txt")).trim();
      await deleteObject(scene.repo, oid);
      await opened(scene.repo, async (later) => {
        const { report } = await later.checkUntouched();
        expect(report).toMatchObject({ can_resume: false, prerequisites_met: false });
        expect(report.findings).toMatchObject([
          { kind: "checkpoint_damaged", details: { id: damaged, last_valid: whole } },
        ]);
        expect(await later.kinds({ from: whole })).toEqual([]);
        expect(await later.kinds({ from: damaged })).toEqual(["checkpoint_damaged"]);
        expect(await later.kinds({ from: "cp-00-gone-20260101-000000-aaaa" })).toEqual([
          "checkpoint_damaged",
        ]);
      });
    });
  });

  it("[R84] finds damage of what the next batch would go back to", async () => {
    await withScene(async (scene) => {
      await scene.repo.write("then.txt", "only then\n");
      const before = await scene.checkpoint();
      const oid = (await scene.repo.git("hash-object", "then.txt")).trim();
      await scene.repo.remove("then.txt");
      await scene.checkpoint();
      const graph = PROGRESS.execution_graph;
      const batches =
        graph?.batches.map((batch) => ({ ...batch, checkpoint_before: before })) ?? [];
      const progress = { ...PROGRESS, execution_graph: graph && { ...graph, batches } };
      expect(await scene.kinds({ progress })).toEqual([]);
      await deleteObject(scene.repo, oid);
      await opened(scene.repo, async (later) => {
        expect(await later.kinds({ progress })).toEqual(["checkpoint_damaged"]);
      });
    });
  });

  it("[R84] finds a checkpoint, and a session, of a newer Waymark", async () => {
    await withScene(async (scene) => {
      const { repo } = scene;
      const id = await scene.checkpoint();
      const ref = `refs/waymark/cp/${id}`;
      const message = (await repo.store("log", "-1", "--format=%B", ref)).replace(
        /"schema_version": ?1/,
        '"schema_version":7',
      );
      const newer = await repo.storeWithInput(message, "commit-tree", `${ref}^{tree}`);
      await repo.store("update-ref", ref, newer.trim());
      scene.session = { ...scene.session, state: { checkpoint_id: id } };
      const { report } = await scene.check();
      expect(report.findings).toMatchObject([
        { kind: "checkpoint_newer", details: { id, version: 7 } },
      ]);
      expect(report.can_resume).toBe(false);
      scene.session = { ...scene.session, schema_version: 2 };
      expect(await scene.kinds()).toEqual(["session_newer", "checkpoint_newer"]);
    });
  });

  it.each<[HolderLife, readonly string[]]>([
    ["alive", ["session_held"]],
    ["unknown", ["session_held"]],
    ["dead", []],
  ])("[R84] a holder that is %s: %j", async (life, found) => {
    await withScene(async (scene) => {
      await scene.checkpoint();
      const holder = { host: "box", boot: "b", pid: 1, started: "1", user: "ann" };
      const lease = takenLease(NO_LEASE, holder, "run", AT);
      scene.session = { ...scene.session, lease };
      expect(await scene.kinds({ lifeOf: () => life })).toEqual(found);
      expect(await scene.kinds({ lifeOf: () => life, ownToken: lease.token })).toEqual([]);
    });
  });

  it("names each file that the session refers to and that is not there", async () => {
    await withScene(async (scene) => {
      const { repo } = scene;
      await repo.write("docs/spec.md", "x");
      await repo.link("dangling", "nowhere");
      const done = { completed_at: AT, output_summary: null };
      const at = (output_location: string | null) => ({ ...done, output_location });
      const progress: WorkflowProgress = {
        ...PROGRESS,
        outputs: {
          spec: { file: "docs/spec.md" },
          plan: { file: "docs/plan.md" },
          link: { file: "dangling" },
          odd: { file: "a\0b" },
          long: { file: "x".repeat(5000) },
          number: 7,
          text: "docs/none.md",
        },
        agent_outputs: {
          reviewer: {
            api: at("review/api.md"),
            page: at("https://example.com/review"),
            inside: at(join(repo.root, "docs/spec.md")),
            below: at("docs/spec.md/below"),
            none: at(null),
          },
        },
      };
      await scene.checkpoint();
      const { report } = await scene.check({ progress });
      expect(report).toMatchObject({ prerequisites_met: false, can_resume: true });
      expect(report.findings.map(({ details }) => details["of"])).toEqual([
        "output plan",
        "output link",
        "output odd",
        "output long",
        "output text",
        "agent reviewer, task api",
        "agent reviewer, task below",
      ]);
    });
  });

  it("takes a text for a file where it looks like one, or where the checkpoint has one", async () => {
    await withScene(async (scene) => {
      const { repo } = scene;
      await repo.write("notes.md", "n");
      await repo.write("docs/api/a.txt", "a");
      await scene.checkpoint();
      await rm(join(repo.root, "notes.md"));
      await rm(join(repo.root, "docs"), { recursive: true });
      const outputs = {
        spec: "docs/spec.md",
        plan_path: "./specs/plans/022.md",
        notes: "notes.md",
        api: "docs/api",
        text: "see docs/spec.md, or ask",
        either: "and/or",
        type: "application/json",
        version: "v1.2.rc1",
        link: "https://example.org/a.html",
        host: "example.org/docs/a.html",
        outside: "../a/b.md",
        glob: "src/**/*.ts",
        image: "registry/app:1.2",
      };
      const { report } = await scene.check({ progress: { ...PROGRESS, outputs } });
      const missing = report.findings.filter(({ kind }) => kind === "output_missing");
      expect(missing.map(({ details }) => details["path"])).toEqual([
        "docs/spec.md",
        "specs/plans/022.md",
        "notes.md",
        "docs/api",
      ]);
    });
  });

  it("finds that the saved state is gone", async () => {
    await withScene(async (scene) => {
      const id = await scene.checkpoint();
      const gone = "cp-00-gone-20260101-000000-aaaa";
      const state = { checkpoint_id: id, over: { checkpoint_id: gone } };
      scene.session = { ...scene.session, state };
      const { report } = await scene.check();
      expect(report.findings).toMatchObject([{ kind: "state_missing", details: { id: gone } }]);
    });
  });

  it("finds a workflow file that changed or is gone", async () => {
    await withScene(async (scene) => {
      await scene.checkpoint();
      const digest = `sha256:${scene.project.sha256("name: a\n")}`;
      scene.session = {
        ...scene.session,
        definition: { path: "flow.yml", digest, text: "name: a\n" },
      };
      const now = (text: string | undefined): Promise<string[]> =>
        scene.kinds({ currentText: () => Promise.resolve(text) });
      expect(await now("name: a\n")).toEqual([]);
      expect(await now("name: b\n")).toEqual(["workflow_changed"]);
      expect(await now("")).toEqual(["workflow_changed"]);
      expect(await now(undefined)).toEqual(["workflow_missing"]);
    });
  });

  it.skipIf(!hasProgram("sqlite3"))(
    "finds a changed database, says when it cannot be compared, and goes on with the rest",
    async () => {
      await withScene(async (scene) => {
        const { repo } = scene;
        const sql = async (line: string): Promise<void> => {
          const words = [join(repo.root, "app.db"), line];
          expect((await runCommand("sqlite3", words, { env: repo.env })).code).toBe(0);
        };
        await sql("CREATE TABLE t (x); INSERT INTO t VALUES (1)");
        await scene.checkpoint({ parts: [{ type: "database_savepoint", url: "sqlite:app.db" }] });
        expect(await scene.kinds()).toEqual([]);
        await sql("INSERT INTO t VALUES (2)");
        expect(await scene.kinds()).toEqual(["parts_changed"]);
        await repo.write("app.db", "no database at all, and long enough to be looked at as one");
        const { report, changes } = await scene.check({
          progress: { ...PROGRESS, outputs: { spec: { file: "gone.md" } } },
        });
        expect(changes).toMatchObject({
          kind: "unknown",
          why: expect.stringMatching(/\w/) as unknown,
        });
        expect(report.findings.map(({ kind }) => kind)).toEqual(["not_compared", "output_missing"]);
      });
    },
  );

  it("works in a plain folder", async () => {
    await withTempProject(async (repo) => {
      await mkdir(repo.root, { recursive: true });
      await repo.write("a.txt", "a\n");
      const project = await openGitProject({ directory: repo.root, makeProject: true });
      try {
        await createCheckpoint(project, { sessionId: ID });
        const session = { ...newSession(ID, AT), status: "paused" };
        const ask: StalenessRequest = {
          session,
          lifeOf: () => "dead",
          currentText: () => Promise.resolve(undefined),
        };
        expect((await checkStaleness(project, ask)).report.findings).toEqual([]);
        await repo.write("a.txt", "b\n");
        expect((await checkStaleness(project, ask)).report.findings).toMatchObject([
          { kind: "files_changed" },
        ]);
      } finally {
        project.close();
      }
    });
  });
});

function withoutIssues({ config }: Project): Project["config"] {
  return { ...config, issues: { ...config.issues, enabled: false } };
}

describe.skipIf(whyNoGh() !== undefined)("the issue of a session, through the real gh", () => {
  const issue = {
    title: "Login fails",
    body: "text\n",
    labels: ["state:enrich"],
    assignees: [],
    state: "OPEN",
  };

  it("is compared with the snapshot; labels are followed, an edited text asks, silence is a warning", async () => {
    await withScene(async (scene) => {
      const { repo } = scene;
      await repo.git("remote", "add", "origin", "https://github.com/acme/shop.git");
      const github = await new FakeGithub(repo.base).listen();
      const issues = new GhIssues({ folder: repo.root, env: github.env });
      const seen = new Scene(repo, { ...scene.project, issues });
      try {
        github.issue = issue;
        await seen.checkpoint();
        const taken = await snapshotIssue(seen.project, 42);
        if (taken.kind !== "taken") throw new Error(JSON.stringify(taken));
        expect(taken.snapshot).toMatchObject({ number: 42, branch: "main" });
        seen.session = { ...seen.session, issue_number: 42, issue_snapshot: taken.snapshot };
        expect((await seen.check()).report.action).toBe("resume");

        github.issue = { ...issue, labels: ["state:plan"] };
        const labels = await seen.check();
        expect(labels.report).toMatchObject({
          action: "proceed_with_warning",
          state_label: "state:plan",
        });
        expect(labels.issue).toMatchObject({ kind: "taken", snapshot: { labels: ["state:plan"] } });

        github.issue = { ...issue, body: "other text" };
        expect((await seen.check()).report.action).toBe("prompt_user");

        github.issue = undefined;
        expect((await seen.check()).report).toMatchObject({
          can_resume: true,
          action: "proceed_with_warning",
          warnings: ["issue #42 could not be read: there is no issue #42"],
        });
      } finally {
        await github.close();
      }
    });
  });
});

describe("the settings of issues", () => {
  it("decide whether somebody looks, and what is said when nobody can", async () => {
    await withScene(async ({ project, repo }) => {
      const issues = new GhIssues({ folder: repo.root, env: { PATH: repo.home } });
      const look = (enabled: "auto" | boolean) =>
        snapshotIssue(
          { ...project, issues, config: { ...project.config, issues: { enabled, timeout: 5000 } } },
          42,
        );
      const why = "gh is not installed";
      expect(await look(false)).toEqual({ kind: "not_asked", why: null });
      expect(await look("auto")).toEqual({ kind: "not_asked", why });
      expect(await look(true)).toMatchObject({ kind: "unavailable", why });
    });
  });

  it("without gh, a session with a snapshot is told that its issue was not looked at", async () => {
    await withScene(async (scene) => {
      const issues = new GhIssues({ folder: scene.repo.root, env: { PATH: scene.repo.home } });
      const seen = new Scene(scene.repo, { ...scene.project, issues });
      await seen.checkpoint();
      seen.session = { ...seen.session, issue_number: 42 };
      expect(await seen.kinds()).toEqual([]);
      const snapshot = { number: 42, title: "", body: "", labels: [], assignees: [], branch: null };
      seen.session = { ...seen.session, issue_snapshot: { ...snapshot, taken_at: AT } };
      expect(await seen.kinds()).toEqual(["issue_unavailable"]);
    });
  });
});

describe("docs/resume.md", () => {
  it("has the table of findings as it is", () => {
    const rows = [
      ...read("docs/resume.md").matchAll(/^\| `(\w+)` \| .+ \| (\w+) \| `(\w+)` \| (yes|no) \|$/gm),
    ];
    const shown = rows.map(([, kind, severity, action, needed]) => [
      kind,
      severity,
      action,
      needed,
    ]);
    const rules = FINDING_KINDS.map((kind) => {
      const { severity, action, isPrerequisite } = STALENESS_RULES[kind];
      return [kind, severity, action, isPrerequisite ? "yes" : "no"];
    });
    expect(shown).toEqual(rules);
  });
});
