/** Takes hooks of agents away: everything is planned first, then all of it is done. */
import { AGENTS, type AgentName } from "../../domain/agents/agents.ts";
import { hookPlace } from "../../domain/agents/hook-places.ts";
import type { HookScope } from "../../domain/agents/hook-scope.ts";
import type { PluginRecord } from "../../domain/agents/install-record.ts";
import type { AgentSetup } from "./agent-setup.ts";
import { applyChanges } from "./apply-changes.ts";
import { targetOf } from "./choose-agents.ts";
import type { FileChange } from "./file-change.ts";
import { planUninstall, type UninstallPlan } from "./plan-uninstall.ts";
import { pluginRecord, removePlugin } from "./plugin-route.ts";

export interface UninstallRequest {
  /** None: all that have hooks. */
  readonly agents: readonly AgentName[];
  readonly scopes: readonly HookScope[];
  /** Also what somebody changed or wrote. */
  readonly force: boolean;
  readonly dryRun: boolean;
}

export interface UninstalledAgent {
  readonly agent: AgentName;
  readonly scope: HookScope;
  readonly via: "plugin" | "file";
  /** `kept`: what somebody changed or wrote is still there. */
  readonly state: "removed" | "kept" | "not_installed";
  readonly changes: readonly FileChange[];
  readonly kept: readonly string[];
}

interface Planned {
  readonly result: UninstalledAgent;
  readonly plan: UninstallPlan;
  readonly plugin: PluginRecord | undefined;
}

export async function uninstallHooks(
  setup: AgentSetup,
  request: UninstallRequest,
): Promise<UninstalledAgent[]> {
  const { dryRun, agents } = request;
  const planned = request.scopes.flatMap((scope) => plan(setup, scope, request));
  if (!dryRun) {
    for (const scope of request.scopes) await carryOut(setup, scope, request);
  }
  const results = planned.map(({ result }) => result);
  const found = results.filter(({ state }) => state !== "not_installed");
  // Of an agent that was named and has none, one line says so.
  return results.filter((result) => {
    if (result.state !== "not_installed") return true;
    const isOf = ({ agent }: UninstalledAgent): boolean => agent === result.agent;
    return agents.length > 0 && !found.some(isOf) && results.find(isOf) === result;
  });
}

/** Planned again where nobody else is at work. */
async function carryOut(
  setup: AgentSetup,
  scope: HookScope,
  request: UninstallRequest,
): Promise<void> {
  const isIdle = plan(setup, scope, request).every(
    (each) => each.result.state === "not_installed" && each.plan.over.length === 0,
  );
  if (isIdle) return;
  const records = setup.records(scope);
  await records.exclusively(async () => {
    const planned = plan(setup, scope, request);
    for (const { plugin } of planned) if (plugin !== undefined) await removePlugin(setup, plugin);
    applyChanges(
      setup,
      planned.flatMap((each) => each.plan.changes),
    );
    // A kill came between a record and its file.
    for (const record of planned.flatMap((each) => each.plan.over)) {
      setup.files.removeFolders(record.folders);
      records.forget(record);
    }
  });
}

function plan(setup: AgentSetup, scope: HookScope, request: UninstallRequest): Planned[] {
  const named = request.agents.length > 0;
  const agents = named
    ? request.agents
    : AGENTS.filter((agent) => hookPlace(agent, scope, setup.around) !== undefined);
  return agents.flatMap((agent) => {
    const place = hookPlace(agent, scope, setup.around);
    if (place === undefined && request.scopes.length > 1) return [];
    const files = planUninstall(setup, targetOf(setup, agent, scope), request);
    const plugin = scope === "user" ? pluginRecord(setup, agent) : undefined;
    const { changes, kept } = files;
    const result = { agent, scope, via: "file", changes, kept, state: stateOf(files) } as const;
    if (plugin === undefined) return [{ result, plan: files, plugin }];
    return [
      {
        result: { ...result, via: "plugin", state: "removed", changes: [], kept: [] } as const,
        plan: NONE,
        plugin,
      },
      ...(result.state === "not_installed" ? [] : [{ result, plan: files, plugin: undefined }]),
    ];
  });
}

const NONE: UninstallPlan = { changes: [], over: [], kept: [] };

function stateOf({ changes, kept }: UninstallPlan): UninstalledAgent["state"] {
  if (kept.length > 0) return "kept";
  return changes.length > 0 ? "removed" : "not_installed";
}
