/** What is installed for each agent, and whether it works. */
import { AGENTS, type AgentName } from "../../domain/agents/agents.ts";
import type { AgentMemory } from "../../ports/agent-memory.ts";
import type { AgentSetup } from "./agent-setup.ts";
import { trustOf, type Trust } from "./agent-trust.ts";
import { lookForAgent, type FoundAgent } from "./choose-agents.ts";
import { coveringWays, isRead, ownWays, type InstalledWay } from "./installed-ways.ts";

export interface AgentStatus extends FoundAgent {
  readonly ways: readonly InstalledWay[];
  /** The file of another agent whose hooks it runs; null: none. */
  readonly coveredBy: string | null;
  /** Why each call comes more than once; null: it does not. That costs time and nothing else. */
  readonly doubled: string | null;
  readonly trust: Trust;
}

export interface HooksStatus {
  readonly agents: readonly AgentStatus[];
  /** Hooks that do not name it by its path would find Waymark. */
  readonly isOnPath: boolean;
  readonly calls: number;
  /** How long the one in the middle took; null: none was made. */
  readonly p50Ms: number | null;
}

export function hooksStatus(
  setup: AgentSetup,
  agents: readonly AgentName[],
  memory: Pick<AgentMemory, "durations"> | undefined,
): HooksStatus {
  const durations = memory?.durations() ?? [];
  return {
    agents: (agents.length === 0 ? AGENTS : agents).map((agent) => statusOf(setup, agent)),
    isOnPath: setup.programs.isFound("waymark"),
    calls: durations.length,
    p50Ms: durations.toSorted((a, b) => a - b)[Math.floor((durations.length - 1) / 2)] ?? null,
  };
}

function statusOf(setup: AgentSetup, agent: AgentName): AgentStatus {
  const ways = ownWays(setup, agent);
  const covering = coveringWays(setup, agent);
  const own = ways.filter(isRead);
  return {
    ...lookForAgent(setup, agent),
    ways,
    coveredBy: own.length > 0 ? null : (covering[0]?.path ?? null),
    doubled: doubledBy(own, covering),
    trust: trustOf(setup, agent, own.length > 0 ? own : covering),
  };
}

export const isProtected = ({ ways, coveredBy }: AgentStatus): boolean =>
  ways.some(isRead) || coveredBy !== null;

/** An agent that only another one's file covers may never be run here. */
export const isUsedHere = ({ ways, hasSigns, hasProgram }: AgentStatus): boolean =>
  ways.length > 0 || hasSigns || hasProgram;

function doubledBy(ways: readonly InstalledWay[], [other]: readonly InstalledWay[]): string | null {
  const twice = ways.find(({ isTwice }) => isTwice);
  if (twice !== undefined) return `twice in ${twice.path}`;
  if (ways.length > 1)
    return ways.map(({ via, path }) => (via === "plugin" ? "the plugin" : path)).join(" and ");
  const [own] = ways;
  return own === undefined || other === undefined
    ? null
    : `${own.path} and ${other.path}, which it runs as well`;
}
