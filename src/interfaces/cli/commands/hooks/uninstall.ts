/** `waymark hooks uninstall` */
import { AGENTS, agentTitle, type AgentName } from "../../../../domain/agents/agents.ts";
import { HOOK_SCOPES, type HookScope } from "../../../../domain/agents/hook-scope.ts";
import { HOOK_LAYOUTS } from "../../../../domain/agents/hook-table.ts";
import { Failure } from "../../../../domain/failure.ts";
import type { AgentSetup } from "../../../../operations/agent-hooks/agent-setup.ts";
import { isRead, ownWays } from "../../../../operations/agent-hooks/installed-ways.ts";
import { pluginCommands } from "../../../../operations/agent-hooks/plugin-route.ts";
import {
  uninstallHooks,
  type UninstalledAgent,
} from "../../../../operations/agent-hooks/uninstall-hooks.ts";
import { audited } from "../../../../operations/audited.ts";
import type { Context } from "../../command-spec.ts";
import {
  installationOutcome,
  changeDocument,
  diffOf,
  namedAgents,
  openHooks,
  refuseWithoutHome,
  shownPath,
  uninstallCommand,
} from "../../hooks-command.ts";

interface Options {
  readonly scope?: HookScope;
  readonly all?: boolean;
  readonly dryRun?: boolean;
  readonly force?: boolean;
}

export async function run(context: Context): Promise<number> {
  const { output } = context;
  const options: Options = context.options;
  const agents = namedAgents(context.args[0] as string[]);
  if (options.all === true && options.scope !== undefined) {
    throw new Failure("usage", "--all and --scope cannot be used together", {
      hint: "--all covers every scope. Nothing was changed.",
    });
  }
  const isAll = options.all === true;
  refuseWithoutHome(isAll ? HOOK_SCOPES : [options.scope ?? "project"]);
  const { setup, project } = await openHooks(context, !isAll && options.scope !== "user");
  const scopes: readonly HookScope[] = isAll
    ? HOOK_SCOPES.filter((scope) => project !== undefined || scope === "user")
    : options.scope === undefined
      ? ["project", "local"]
      : [options.scope];
  const dryRun = options.dryRun === true;
  const work = () =>
    uninstallHooks(setup, { agents, scopes, force: options.force === true, dryRun });
  const removed =
    project === undefined || dryRun
      ? await work()
      : await audited(
          project,
          { operation: "hooks_uninstall", outcome: installationOutcome },
          work,
        );
  const warnings = removed.flatMap((each) => keptLines(setup, each));
  const notes = [
    ...(removed.length === 0 ? [`no hooks are installed in the scope ${scopes.join(", ")}`] : []),
    ...(scopes.includes("user") ? [] : ofUser(setup, agents)),
  ];
  output.result(
    "hooks_uninstall",
    {
      dry_run: dryRun,
      scopes,
      agents: removed.map((each) => toJson(setup, each, dryRun)),
      warnings,
      notes,
    },
    dryRun
      ? removed.flatMap((each) => dryRunLines(setup, each))
      : removed.map((each) => line(setup, each)),
  );
  for (const note of notes) output.say(note);
  for (const warning of warnings) output.warn(warning);
  return warnings.length > 0 ? 1 : 0;
}

function keptLines(setup: AgentSetup, { agent, scope, kept }: UninstalledAgent): string[] {
  const command = `${uninstallCommand(scope, [agent])} --force`;
  const why =
    HOOK_LAYOUTS[agent].kind === "settings"
      ? "has hooks that were edited or added manually; they were not removed"
      : "was changed since it was installed and was not removed";
  return kept.map((path) => `${shownPath(setup, path)} ${why}; \`${command}\` removes it`);
}

/** They are run in this project as well. */
function ofUser(setup: AgentSetup, named: readonly AgentName[]): string[] {
  const agents = (named.length > 0 ? named : AGENTS).filter((agent) =>
    ownWays(setup, agent, ["user"]).some(isRead),
  );
  if (agents.length === 0) return [];
  const titles = agents.map(agentTitle).join(", ");
  return [
    `your own settings still have hooks for ${titles}: \`${uninstallCommand("user", agents)}\` removes them`,
  ];
}

function toJson(
  setup: AgentSetup,
  { agent, scope, via, state, changes, kept }: UninstalledAgent,
  dryRun: boolean,
) {
  const files = changes.map((change) => changeDocument(setup, change, dryRun));
  return { agent, scope, via, state, files, kept };
}

function dryRunLines(setup: AgentSetup, removed: UninstalledAgent): string[] {
  const commands = removed.via === "plugin" ? pluginCommands(setup, removed.agent, "remove") : [];
  const lines = [
    ...commands.map((command) => `would run ${command}`),
    ...removed.changes.flatMap((change) => diffOf(setup, change)),
  ];
  return lines.length > 0 ? lines : [line(setup, removed)];
}

function line(setup: AgentSetup, { agent, scope, via, state, changes }: UninstalledAgent): string {
  const title = agentTitle(agent);
  if (state === "not_installed") return `${title}: no hooks in the scope ${scope}`;
  if (state === "kept") return `${title}: not completely removed from the scope ${scope}`;
  if (via === "plugin") return `${title}: plugin removed`;
  const paths = changes.map(({ path }) => shownPath(setup, path));
  return `${title}: removed from ${paths.slice(0, 1).join()}${paths.length > 1 ? ` and ${paths.length - 1} more` : ""}`;
}
