/** `waymark hooks install` */
import { agentTitle, type AgentName } from "../../../../domain/agents/agents.ts";
import type { HookScope } from "../../../../domain/agents/hook-scope.ts";
import { cancelled, Failure } from "../../../../domain/failure.ts";
import { commandLine } from "../../../../domain/shell-quote.ts";
import type { AgentSetup } from "../../../../operations/agent-hooks/agent-setup.ts";
import { foundAgents } from "../../../../operations/agent-hooks/choose-agents.ts";
import {
  installHooks,
  type InstalledAgent,
  type InstallRequest,
} from "../../../../operations/agent-hooks/install-hooks.ts";
import { pluginCommands } from "../../../../operations/agent-hooks/plugin-route.ts";
import { audited } from "../../../../operations/audited.ts";
import { confirm } from "../../ask.ts";
import type { Context } from "../../command-spec.ts";
import {
  installationOutcome,
  changeDocument,
  diffOf,
  namedAgents,
  openIfThere,
  openSetup,
  refuseWithoutHome,
  shownPath,
} from "../../hooks-command.ts";
import { installNotes } from "../../hooks-notes.ts";

type Options = Partial<Pick<InstallRequest, "scope" | "via" | "absolute" | "force" | "dryRun">> & {
  readonly yes?: boolean;
};

export async function run(context: Context): Promise<void> {
  const { output } = context;
  const options: Options = context.options;
  const named = namedAgents(context.args[0] as string[]);
  const scope = options.scope ?? "project";
  if (options.absolute === true && scope === "project") throw absoluteInProject();
  refuseWithoutHome([scope]);
  const needsProject = scope !== "user";
  const setup = await openSetup(context, needsProject);
  const wished = {
    scope,
    via: options.via ?? "auto",
    absolute: options.absolute === true,
    force: options.force === true,
    dryRun: options.dryRun === true,
  };
  const found = named.length > 0 ? named : agentsFound(setup, scope);
  const request: InstallRequest = { ...wished, agents: found };
  // Before the project is opened, so that a refusal leaves no trace in it.
  const planned = await installHooks(setup, { ...request, dryRun: true });
  const paths = planned.flatMap(({ changes }) => changes.map(({ path }) => path));
  const ignored = needsProject ? await setup.ignored(paths) : new Set<string>();
  const isAsked = named.length === 0 && options.yes !== true && !request.dryRun;
  if (isAsked) await ask(context, setup, request, planned);
  const project = await openIfThere(context, needsProject);
  const work = () => installHooks(setup, request);
  const installed =
    project === undefined || request.dryRun
      ? await work()
      : await audited(project, { operation: "hooks_install", outcome: installationOutcome }, work);
  const notes = installNotes(setup, request, installed, ignored);
  output.result(
    "hooks_install",
    {
      dry_run: request.dryRun,
      scope,
      agents: installed.map((each) => toJson(setup, each, request.dryRun)),
      waymark_on_path: setup.programs.isFound("waymark"),
      warnings: notes.warnings,
      notes: notes.tips,
    },
    request.dryRun ? dryRunLines(setup, installed) : installed.map((each) => line(setup, each)),
  );
  for (const warning of notes.warnings) output.warn(warning);
  for (const tip of notes.tips) output.say(tip);
}

function absoluteInProject(): Failure {
  return new Failure(
    "usage",
    "--absolute cannot be used with --scope project: the path is different on other machines",
    {
      hint: "Use --scope user or --scope local. Nothing was changed.",
    },
  );
}

/** None was named. */
function agentsFound(setup: AgentSetup, scope: HookScope): AgentName[] {
  const agents = foundAgents(setup, scope).map(({ agent }) => agent);
  if (agents.length > 0) return agents;
  throw new Failure(
    "usage",
    "no agent found: no files of an agent in the project, and no agent on the PATH",
    {
      hint: "Name one: `waymark hooks install claude`. Nothing was changed.",
    },
  );
}

async function ask(
  { output }: Context,
  setup: AgentSetup,
  { agents, scope }: InstallRequest,
  planned: readonly InstalledAgent[],
): Promise<void> {
  const words = ["waymark", "hooks", "install", ...agents];
  const command = commandLine(scope === "project" ? words : [...words, "--scope", scope]);
  const isConfirmed = await confirm(output, {
    lines: ["Hooks for the agents found:", ...planned.flatMap(plannedLines(setup))],
    question: "Install them?",
    hint: `Use \`${command}\`, or add --yes. Nothing was changed.`,
  });
  if (!isConfirmed) throw cancelled();
}

/** What would be written or run. */
function plannedLines(setup: AgentSetup): (planned: InstalledAgent) => string[] {
  return (planned) => {
    const { agent, changes } = planned;
    const todo = [
      ...commandsOf(setup, planned).map((command) => `run ${command}`),
      ...changes.map(({ path, before }) => {
        const what = before === undefined ? "create" : "change";
        return `${what} ${shownPath(setup, path)}`;
      }),
    ];
    if (todo.length === 0) return [`  ${line(setup, planned)}`];
    return [`  ${agentTitle(agent)}:`, ...todo.map((each) => `    ${each}`)];
  };
}

function toJson(setup: AgentSetup, installed: InstalledAgent, dryRun: boolean) {
  const { agent, via, state, coveredBy, changes } = installed;
  return {
    agent,
    via,
    state,
    covered_by: coveredBy,
    files: changes.map((change) => changeDocument(setup, change, dryRun)),
    commands: commandsOf(setup, installed),
  };
}

function commandsOf(setup: AgentSetup, { agent, via, state }: InstalledAgent): string[] {
  return via === "plugin" && state === "installed" ? pluginCommands(setup, agent, "add") : [];
}

function dryRunLines(setup: AgentSetup, installed: readonly InstalledAgent[]): string[] {
  return installed.flatMap((each) => {
    const commands = commandsOf(setup, each).map((command) => `would run ${command}`);
    const diffs = each.changes.flatMap((change) => diffOf(setup, change));
    return commands.length + diffs.length > 0 ? [...commands, ...diffs] : [line(setup, each)];
  });
}

function line(
  setup: AgentSetup,
  { agent, via, state, coveredBy, changes }: InstalledAgent,
): string {
  const title = agentTitle(agent);
  const paths = changes.map(({ path }) => shownPath(setup, path));
  const where =
    via === "plugin"
      ? "as a plugin"
      : `in ${paths.slice(0, 1).join()}${paths.length > 1 ? ` and ${paths.length - 1} more` : ""}`;
  if (state === "covered") {
    return `${title}: covered by ${shownPath(setup, coveredBy ?? "")}, which it runs as well (--force installs its own)`;
  }
  if (state === "unchanged") return `${title}: nothing to do, the hooks are already installed`;
  return `${title}: ${state} ${where}`;
}
