/** `waymark hooks uninstall` */
import { agentTitle } from "../../../../domain/agents/agents.ts";
import { HOOK_SCOPES, type HookScope } from "../../../../domain/agents/hook-scope.ts";
import { Failure } from "../../../../domain/failure.ts";
import type { AgentSetup } from "../../../../operations/agent-hooks/agent-setup.ts";
import { pluginCommands } from "../../../../operations/agent-hooks/plugin-route.ts";
import {
  uninstallHooks,
  type UninstalledAgent,
} from "../../../../operations/agent-hooks/uninstall-hooks.ts";
import { audited } from "../../../../operations/audited.ts";
import type { Context } from "../../command-spec.ts";
import { changeDocument, diffOf, namedAgents, openHooks, shownPath } from "../../hooks-command.ts";

interface Options {
  readonly scope?: HookScope;
  readonly all?: boolean;
  readonly dryRun?: boolean;
  readonly force?: boolean;
}

export async function run(context: Context): Promise<void> {
  const { output } = context;
  const options: Options = context.options;
  const agents = namedAgents(context.args[0] as string[]);
  if (options.all === true && options.scope !== undefined) {
    throw new Failure("usage", "--all and --scope exclude each other", {
      hint: "--all is for every scope. Nothing was changed.",
    });
  }
  const isAll = options.all === true;
  const { setup, project } = await openHooks(context, !isAll && options.scope !== "user");
  const scopes = isAll
    ? HOOK_SCOPES.filter((scope) => project !== undefined || scope === "user")
    : [options.scope ?? "project"];
  const dryRun = options.dryRun === true;
  const work = () =>
    uninstallHooks(setup, { agents, scopes, force: options.force === true, dryRun });
  const removed =
    project === undefined || dryRun
      ? await work()
      : await audited(project, { operation: "hooks_uninstall", outcome }, work);
  output.result(
    "hooks_uninstall",
    { dry_run: dryRun, scopes, agents: removed.map((each) => toJson(setup, each, dryRun)) },
    dryRun
      ? removed.flatMap((each) => dryRunLines(setup, each))
      : removed.map((each) => line(setup, each)),
  );
  if (removed.length === 0) output.say(`no hooks are installed in the scope ${scopes.join(", ")}`);
  for (const path of removed.flatMap(({ kept }) => kept)) {
    output.warn(
      `${shownPath(setup, path)} was changed since it was installed and stays; --force removes it`,
    );
  }
}

function outcome(removed: readonly UninstalledAgent[]) {
  const changed = removed.filter(({ state }) => state === "removed");
  if (changed.length === 0) return undefined;
  const details = {
    agents: changed.map(({ agent, scope, via }) => `${agent} (${scope}, ${via})`),
    files: changed.flatMap(({ changes }) => changes.map(({ path }) => path)),
  };
  return { checkpointIds: [], details };
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
  if (state === "kept") return `${title}: not all of it is gone`;
  if (via === "plugin") return `${title}: the plugin is gone`;
  const paths = changes.map(({ path }) => shownPath(setup, path));
  return `${title}: gone from ${paths.slice(0, 1).join()}${paths.length > 1 ? ` and ${paths.length - 1} more` : ""}`;
}
