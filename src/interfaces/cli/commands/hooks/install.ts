/** `waymark hooks install` */
import { agentTitle, type AgentName } from "../../../../domain/agents/agents.ts";
import { Failure } from "../../../../domain/failure.ts";
import { commandLine } from "../../../../domain/shell-quote.ts";
import type { AgentSetup } from "../../../../operations/agent-hooks/agent-setup.ts";
import { foundAgents, type FoundAgent } from "../../../../operations/agent-hooks/choose-agents.ts";
import {
  installHooks,
  type InstalledAgent,
  type InstallRequest,
} from "../../../../operations/agent-hooks/install-hooks.ts";
import { pluginCommands } from "../../../../operations/agent-hooks/plugin-route.ts";
import { audited } from "../../../../operations/audited.ts";
import { askToGoOn, notConfirmed } from "../../ask.ts";
import type { Context } from "../../command-spec.ts";
import { changeDocument, diffOf, namedAgents, openHooks, shownPath } from "../../hooks-command.ts";
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
  const { setup, project } = await openHooks(context, scope !== "user");
  const agents = named.length > 0 ? named : await chosen(context, setup, options);
  const request: InstallRequest = {
    agents,
    scope,
    via: options.via ?? "auto",
    absolute: options.absolute === true,
    force: options.force === true,
    dryRun: options.dryRun === true,
  };
  const work = () => installHooks(setup, request);
  const installed =
    project === undefined || request.dryRun
      ? await work()
      : await audited(project, { operation: "hooks_install", outcome }, work);
  const notes = await installNotes(setup, request, installed);
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
    "--absolute is not for the scope project: others have Waymark elsewhere",
    {
      hint: "Use --scope user or --scope local. Nothing was changed.",
    },
  );
}

function outcome(installed: readonly InstalledAgent[]) {
  const changed = installed.filter(({ state }) => state === "installed" || state === "updated");
  if (changed.length === 0) return undefined;
  const details = {
    agents: changed.map(({ agent, scope, via }) => `${agent} (${scope}, ${via})`),
    files: changed.flatMap(({ changes }) => changes.map(({ path }) => path)),
  };
  return { checkpointIds: [], details };
}

/** None was named. */
async function chosen(context: Context, setup: AgentSetup, options: Options): Promise<AgentName[]> {
  const scope = options.scope ?? "project";
  const found = foundAgents(setup, scope);
  const agents = found.map(({ agent }) => agent);
  if (agents.length === 0) {
    throw new Failure(
      "usage",
      "no agent was found, neither files of one here nor its command on the PATH",
      {
        hint: "Name one: `waymark hooks install claude`. Nothing was changed.",
      },
    );
  }
  if (options.yes === true || options.dryRun === true) return agents;
  const words = ["waymark", "hooks", "install", ...agents];
  const command = commandLine(scope === "project" ? words : [...words, "--scope", scope]);
  const goesOn = await askToGoOn(context.output, {
    lines: ["Hooks will be installed for:", ...found.map(foundLine)],
    what: `hooks would be installed for ${agents.join(", ")},`,
    hint: `Use \`${command}\`, or add --yes. Nothing was changed.`,
  });
  if (!goesOn) throw notConfirmed();
  return agents;
}

function foundLine({ agent, hasSigns, hasProgram }: FoundAgent): string {
  const why = [
    ...(hasSigns ? ["files in this project"] : []),
    ...(hasProgram ? ["its command"] : []),
  ];
  return `  ${agentTitle(agent)} (${why.join(", ")})`;
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
  if (state === "unchanged") return `${title}: nothing to do, the hooks are there`;
  return `${title}: ${state} ${where}`;
}
