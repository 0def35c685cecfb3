/** A workflow that a test runs in a real repository, through the library. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { openGitProject } from "../../src/app.ts";
import type { CheckpointDocument } from "../../src/domain/checkpoint.ts";
import type { SessionDocument } from "../../src/domain/session.ts";
import type { RunEvent, RunEventName } from "../../src/domain/workflow/run-event.ts";
import type { Project } from "../../src/operations/project.ts";
import type { RunResult } from "../../src/operations/run/run-workflow.ts";
import { startWorkflow, type WorkflowRun } from "../../src/operations/run/start-workflow.ts";
import { viewSessions } from "../../src/operations/session-view.ts";
import { withSeed, type RuleProject } from "../spec/project.ts";

export class Running {
  readonly project: Project;
  readonly rules: RuleProject;
  readonly events: RunEvent[] = [];

  constructor(project: Project, rules: RuleProject) {
    this.project = project;
    this.rules = rules;
  }

  get root(): string {
    return this.rules.repo.root;
  }

  async write(path: string, content: string): Promise<void> {
    await mkdir(join(this.root, path, ".."), { recursive: true });
    await writeFile(join(this.root, path), content);
  }

  async read(path: string): Promise<string> {
    return (await this.rules.repo.read(path)).toString("utf8");
  }

  /** The file is outside of the project, so that it is no part of what is compared. */
  async workflowFile(phases: readonly unknown[], more: object = {}): Promise<string> {
    const path = join(this.rules.repo.base, "workflow.yml");
    // JSON is YAML.
    await writeFile(path, JSON.stringify({ name: "test", ...more, phases }));
    return path;
  }

  async run(
    phases: readonly unknown[],
    options: Partial<WorkflowRun> = {},
    more: object = {},
  ): Promise<RunResult> {
    return startWorkflow(this.project, {
      file: await this.workflowFile(phases, more),
      onEvent: (event) => this.events.push(event),
      ...options,
    });
  }

  of<Name extends RunEventName>(name: Name): Extract<RunEvent, { event: Name }>[] {
    return this.events.filter((event): event is Extract<RunEvent, { event: Name }> => {
      return event.event === name;
    });
  }

  /** Of the session, oldest first, without safety checkpoints. */
  async checkpoints(sessionId: string): Promise<readonly CheckpointDocument[]> {
    const { documents } = await viewSessions(this.project, sessionId);
    return documents.filter(
      (document) => document.session_id === sessionId && document.trigger !== "pre_rollback",
    );
  }

  async session(id: string): Promise<SessionDocument> {
    const stored = await this.project.sessions.read(id);
    if (stored === undefined) throw new Error(`there is no session ${id}`);
    return stored.document;
  }
}

export async function withRunning(
  work: (running: Running) => Promise<void>,
  options: Partial<Parameters<typeof openGitProject>[0]> = {},
): Promise<void> {
  await withSeed(async (rules) => {
    const project = await openGitProject({ directory: rules.repo.root, ...options });
    try {
      await work(new Running(project, rules));
    } finally {
      project.close();
    }
  });
}
