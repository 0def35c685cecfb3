/** What the commands of the family `hooks` have in common. */
import { AGENTS, isAgentName, type AgentName } from "../../domain/agents/agents.ts";
import { Failure } from "../../domain/failure.ts";
import { nearestName } from "../../domain/nearest-name.ts";
import { redact } from "../../domain/secrets/redact.ts";
import { unifiedDiff } from "../../domain/unified-diff.ts";
import { openAgentSetup } from "../../app.ts";
import type { AgentSetup } from "../../operations/agent-hooks/agent-setup.ts";
import {
  textOf,
  type FileChange,
  type HookTarget,
} from "../../operations/agent-hooks/file-change.ts";
import type { AuditOutcome } from "../../operations/audited.ts";
import type { Project } from "../../operations/project.ts";
import type { Context } from "./command-spec.ts";
import { packagePath } from "./package-files.ts";

/** Each once, in the order in which they were named. */
export function namedAgents(words: readonly string[]): AgentName[] {
  return [...new Set(words)].map((word) => {
    if (isAgentName(word)) return word;
    const near = nearestName(word, AGENTS);
    throw new Failure("usage", `there is no agent ${word}`, {
      hint: `${near === undefined ? "" : `Did you mean ${near}? `}Known are ${AGENTS.join(", ")}.`,
    });
  });
}

export interface OpenedSetup {
  readonly setup: AgentSetup;
  /** Undefined outside of a project, where hooks of the user can be installed all the same. */
  readonly project: Project | undefined;
}

export async function openHooks(context: Context, needsProject: boolean): Promise<OpenedSetup> {
  const project = await context.openProject().catch((error: unknown) => {
    if (needsProject || !(error instanceof Failure)) throw error;
    return undefined;
  });
  const setup = await openAgentSetup(context.directory, packagePath(), needsProject);
  return { setup, project };
}

/** As people write it: from the project's root, or from home. */
export function shownPath({ around }: AgentSetup, path: string): string {
  const { root, home } = around;
  if (root !== null && path.startsWith(`${root}/`)) return path.slice(root.length + 1);
  return path.startsWith(`${home}/`) ? `~/${path.slice(home.length + 1)}` : path;
}

/** Settings may hold tokens, and what is printed may be read by an agent. */
export function diffOf(setup: AgentSetup, { path, before, after }: FileChange): string[] {
  const text = (image: FileChange["before"]): string | null =>
    image === undefined ? null : textOf(path, image);
  return unifiedDiff(shownPath(setup, path), text(before), text(after)).map(redact);
}

export function changeDocument(setup: AgentSetup, change: FileChange, dryRun: boolean) {
  const { path, before, after } = change;
  const action = before === undefined ? "created" : after === undefined ? "removed" : "changed";
  return { path, action, diff: dryRun ? diffOf(setup, change).join("\n") : null };
}

/** For the audit log. */
export function installationOutcome(
  installed: readonly (Pick<HookTarget, "agent" | "scope"> & {
    readonly via: string;
    readonly changes: readonly FileChange[];
    readonly state: string;
  })[],
): AuditOutcome | undefined {
  const changed = installed.filter(
    ({ state, changes }) =>
      changes.length > 0 || ["installed", "updated", "removed"].includes(state),
  );
  if (changed.length === 0) return undefined;
  const details = {
    agents: changed.map(({ agent, scope, via }) => `${agent} (${scope}, ${via})`),
    files: changed.flatMap(({ changes }) => changes.map(({ path }) => path)),
  };
  return { checkpointIds: [], details };
}
