/** What `init` does about hooks of agents: asks in a terminal, and says elsewhere how they are installed. */
import { agentTitle, type AgentName } from "../../domain/agents/agents.ts";
import type { AgentSetup } from "../../operations/agent-hooks/agent-setup.ts";
import { foundAgents } from "../../operations/agent-hooks/choose-agents.ts";
import { installHooks } from "../../operations/agent-hooks/install-hooks.ts";
import { coveredBy, ownWays } from "../../operations/agent-hooks/installed-ways.ts";
import { audited } from "../../operations/audited.ts";
import type { Context } from "./command-spec.ts";
import { installationOutcome, openHooks, shownPath } from "./hooks-command.ts";
import { askYes, canAsk } from "./prompt.ts";

export interface OfferedHooks {
  readonly document: Readonly<Record<string, unknown>>;
  readonly lines: readonly string[];
}

export async function offerHooks(
  context: Context,
  { wish, dryRun }: { readonly wish: boolean | undefined; readonly dryRun: boolean },
): Promise<OfferedHooks> {
  const { setup, project } = await openHooks(context, !dryRun);
  const missing = withoutHooks(setup);
  const command = `waymark hooks install ${missing.join(" ")}`;
  const nothing = { missing, installed: [], command: missing.length === 0 ? null : command };
  if (missing.length === 0 || wish === false) return { document: nothing, lines: [] };
  const titles = missing.map(agentTitle).join(", ");
  const isWanted = !dryRun && (wish === true || (await asked(context, titles)));
  if (!isWanted || project === undefined) {
    return { document: nothing, lines: [`no hooks yet for ${titles}: \`${command}\``] };
  }
  const request = {
    agents: missing,
    scope: "project",
    via: "file",
    absolute: false,
    force: false,
    dryRun,
  } as const;
  const installed = await audited(
    project,
    { operation: "hooks_install", outcome: installationOutcome },
    () => installHooks(setup, request),
  );
  const lines = installed.flatMap(({ changes }) =>
    changes.map(({ path }) => `installed hooks in ${shownPath(setup, path)}`),
  );
  return { document: { missing: [], installed: missing, command: null }, lines };
}

/** Only for agents that the project has files of: what is on the machine may be for other projects. */
function withoutHooks(setup: AgentSetup): AgentName[] {
  return foundAgents(setup, "project")
    .filter(({ hasSigns }) => hasSigns)
    .map(({ agent }) => agent)
    .filter((agent) => ownWays(setup, agent).length === 0)
    .filter((agent) => coveredBy(setup, agent, "project", []) === undefined);
}

async function asked({ output }: Context, titles: string): Promise<boolean> {
  if (!canAsk() || output.options.json) return false;
  return askYes(`Install hooks for ${titles}, so that each change by an agent can be undone?`);
}
