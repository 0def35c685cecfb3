/** What the commands of the family `hooks` have in common. */
import { AGENTS, isAgentName, type AgentName } from "../../domain/agents/agents.ts";
import type { HookScope } from "../../domain/agents/hook-scope.ts";
import { Failure } from "../../domain/failure.ts";
import { nearestName } from "../../domain/nearest-name.ts";
import { redact } from "../../domain/secrets/redact.ts";
import { commandLine } from "../../domain/shell-quote.ts";
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
    throw new Failure("usage", `unknown agent ${word}`, {
      hint: `${near === undefined ? "" : `Did you mean ${near}? `}Known agents: ${AGENTS.join(", ")}.`,
    });
  });
}

export interface OpenedSetup {
  readonly setup: AgentSetup;
  /** Undefined outside of a project, where hooks of the user can be installed all the same. */
  readonly project: Project | undefined;
}

export async function openHooks(context: Context, needsProject: boolean): Promise<OpenedSetup> {
  const project = await openIfThere(context, needsProject);
  return { setup: await openSetup(context, needsProject), project };
}

/** Says which commands of agents it runs: they take many seconds. */
export async function openSetup(context: Context, needsProject: boolean): Promise<AgentSetup> {
  const setup = await openAgentSetup(context.directory, packagePath(), needsProject);
  const { programs } = setup;
  return {
    ...setup,
    programs: {
      isFound: (program) => programs.isFound(program),
      run: (words, folder) => {
        context.output.say(`running \`${commandLine(words)}\` …`);
        return programs.run(words, folder);
      },
    },
  };
}

export function openIfThere(context: Context, needsProject: boolean): Promise<Project | undefined> {
  return context.openProject().catch((error: unknown) => {
    if (needsProject || !(error instanceof Failure)) throw error;
    return undefined;
  });
}

/** Without it nobody knows whose settings are meant: what the system has for this user may be another's. */
export function refuseWithoutHome(scopes: readonly HookScope[]): void {
  const isKnown = process.platform === "win32" || (process.env["HOME"] ?? "") !== "";
  if (isKnown || !scopes.includes("user")) return;
  throw new Failure("usage", "HOME is not set, and --scope user needs it", {
    hint: "Set HOME, or use --scope project. Nothing was changed.",
  });
}

/** The command that takes away what is installed there, to be pasted. */
export function uninstallCommand(scope: HookScope, agents: readonly AgentName[] = []): string {
  const words = ["waymark", "hooks", "uninstall", ...agents];
  return commandLine(scope === "project" ? words : [...words, "--scope", scope]);
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
