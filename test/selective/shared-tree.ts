/** A work tree that several sessions share, each of which says through its hooks when a step begins. */
import { openGitProject } from "../../src/app.ts";
import type { AgentStep } from "../../src/domain/agents/agent-step.ts";
import { stepMark } from "../../src/domain/agents/step-mark.ts";
import { createCheckpoint } from "../../src/operations/create-checkpoint.ts";
import type { Project } from "../../src/operations/project.ts";
import { RuleProject } from "../spec/project.ts";
import { items, text } from "../support/json.ts";
import { withTempRepository } from "../support/temp-repository.ts";

export const ALICE = "a11ce000-0000-4000-8000-000000000001";
export const BOB = "b0b00000-0000-4000-8000-000000000002";

export class SharedTree extends RuleProject {
  /** What a hook does before a tool of this session; null: the tool may change anything. Answers with the checkpoint. */
  async before(
    session: string,
    paths: readonly string[] | null,
    toolUseId: string | null = null,
  ): Promise<string> {
    return this.hears(session, "pre_tool", paths, toolUseId);
  }

  async hears(
    session: string,
    moment: AgentStep["moment"],
    paths: readonly string[] | null = null,
    toolUseId: string | null = null,
  ): Promise<string> {
    return this.within(session, toolUseId, async (opened) => {
      const isTool = moment === "pre_tool";
      const tool = isTool ? { tool: "Tool" } : {};
      const step = {
        moment,
        tool_kind: isTool ? (paths === null ? "shell" : "write") : null,
        paths,
      } as const;
      const project = { ...opened, actor: { ...opened.actor, ...tool, turn: 1 } };
      const { checkpoint } = await createCheckpoint(project, {
        trigger: "tool_use",
        agentStep: stepMark(step),
      });
      project.agentMemory.recordStep({
        at: new Date().toISOString(),
        checkpoint_id: checkpoint.id,
        agent: "claude",
        agent_session_id: session,
        turn: 1,
        tool: null,
        ...tool,
        tool_use_id: toolUseId,
        ...step,
      });
      return checkpoint.id;
    });
  }

  /** A step of a tool that names a file, and what it writes. */
  async writes(session: string, name: string, content: string | Buffer): Promise<void> {
    await this.before(session, [name]);
    await this.repo.write(name, content);
  }

  async read(name: string): Promise<string> {
    return (await this.repo.read(name)).toString("utf8");
  }

  /** What `rollback --only-session` kept, as path and reason. */
  async takeBack(session: string, ...args: readonly string[]): Promise<Report> {
    const { json } = await this.ok("rollback", ...args, "--only-session", session, "--yes");
    return reportOf(json);
  }

  private async within<Result>(
    session: string,
    toolUseId: string | null,
    work: (project: Project) => Promise<Result>,
  ): Promise<Result> {
    const agent = { agent: "claude", agent_session_id: session, tool_use_id: toolUseId };
    const project = await openGitProject({ directory: this.repo.root, agent });
    try {
      return await work(project);
    } finally {
      project.close();
    }
  }
}

export interface Report {
  readonly kind: string;
  readonly takenBack: readonly unknown[];
  readonly merged: readonly unknown[];
  readonly kept: readonly (readonly [path: string, reason: string])[];
}

export function reportOf(json: unknown): Report {
  return {
    kind: text(json, "kind"),
    takenBack: items(json, "selective", "taken_back"),
    merged: items(json, "selective", "merged"),
    kept: items(json, "kept").map((entry) => [text(entry, "path"), text(entry, "reason")]),
  };
}

export const lines = (...all: readonly string[]): string => all.map((line) => `${line}\n`).join("");

/** Ten lines, so that edits can be apart from each other. */
export const TEN = Array.from({ length: 10 }, (_, number) => `line ${number}`);

export function ten(edits: Readonly<Record<number, string>>): string {
  return lines(...TEN.map((line, number) => edits[number] ?? line));
}

export async function withSharedTree(body: (tree: SharedTree) => Promise<void>): Promise<void> {
  await withTempRepository(async (repo) => {
    await repo.write(".gitignore", "*.log\nbuild/\n");
    await repo.write("shared.txt", ten({}));
    await repo.write("other.txt", ten({}));
    await repo.write("old.txt", "old\n");
    await repo.write("run.sh", "#!/bin/sh\n", 0o644);
    await repo.git("add", "-A");
    await repo.commit("first");
    await body(new SharedTree(repo));
  });
}
