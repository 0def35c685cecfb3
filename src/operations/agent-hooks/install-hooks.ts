/** Installs hooks for agents: everything is planned first, then all of it is done, or nothing. */
import type { AgentName } from "../../domain/agents/agents.ts";
import type { HookScope } from "../../domain/agents/hook-scope.ts";
import { Failure } from "../../domain/failure.ts";
import type { AgentSetup } from "./agent-setup.ts";
import { applyChanges } from "./apply-changes.ts";
import { targetOf } from "./choose-agents.ts";
import { coveredBy, ownWays } from "./installed-ways.ts";
import type { FileChange } from "./file-change.ts";
import { planInstall, type InstallWish } from "./plan-install.ts";
import { addPlugin, noPluginBecause, pluginRecord } from "./plugin-route.ts";

export interface InstallRequest extends InstallWish {
  readonly agents: readonly AgentName[];
  readonly scope: HookScope;
  readonly via: "auto" | "plugin" | "file";
  readonly dryRun: boolean;
}

export interface InstalledAgent {
  readonly agent: AgentName;
  readonly scope: HookScope;
  readonly via: "plugin" | "file";
  /** `covered`: it runs the hooks that another agent's file has. */
  readonly state: "installed" | "updated" | "unchanged" | "covered";
  readonly coveredBy: string | null;
  readonly changes: readonly FileChange[];
}

/** With `dryRun` what would be done. */
export async function installHooks(
  setup: AgentSetup,
  request: InstallRequest,
): Promise<InstalledAgent[]> {
  const { scope, dryRun } = request;
  if (dryRun) return request.agents.map((agent) => plan(setup, agent, request));
  return setup.records(scope).exclusively(async () => {
    const planned = request.agents.map((agent) => plan(setup, agent, request));
    const takeBack = applyChanges(
      setup,
      planned.flatMap(({ changes }) => changes),
    );
    try {
      for (const { agent, via, state } of planned) {
        if (via === "plugin" && state === "installed") await addPlugin(setup, agent);
      }
    } catch (error) {
      takeBack();
      throw error;
    }
    return planned;
  });
}

function plan(setup: AgentSetup, agent: AgentName, request: InstallRequest): InstalledAgent {
  const { scope } = request;
  const target = targetOf(setup, agent, scope);
  const none = { agent, scope, coveredBy: null, changes: [] };
  if (usesPlugin(setup, agent, request)) {
    const isThere = pluginRecord(setup, agent) !== undefined;
    return { ...none, via: "plugin", state: isThere ? "unchanged" : "installed" };
  }
  const cover = request.force ? undefined : coveredBy(setup, agent, scope, request.agents);
  if (cover !== undefined) return { ...none, via: "file", state: "covered", coveredBy: cover };
  const changes = planInstall(setup, target, request);
  if (changes.length === 0) return { ...none, via: "file", state: "unchanged" };
  const state = changes.some(({ isOurs }) => isOurs) ? "updated" : "installed";
  return { ...none, via: "file", state, changes };
}

function usesPlugin(setup: AgentSetup, agent: AgentName, request: InstallRequest): boolean {
  const { via, scope, absolute } = request;
  if (via === "file") return false;
  if (via === "auto") {
    const isFile = ownWays(setup, agent, ["user"]).length > 0;
    return scope === "user" && !absolute && !isFile && noPluginBecause(setup, agent) === undefined;
  }
  refusePlugin(setup, agent, request);
  return true;
}

function refusePlugin(setup: AgentSetup, agent: AgentName, request: InstallRequest): void {
  const isOf = request.scope === "user" && !request.absolute;
  const why = isOf
    ? noPluginBecause(setup, agent)
    : "plugins need --scope user and do not support --absolute";
  if (why === undefined) return;
  const hint = isOf ? "Use --via file." : "Use --scope user without --absolute, or --via file.";
  throw new Failure("usage", why, { hint: `${hint} Nothing was changed.` });
}
