/** What `doctor` says about the hooks of agents. */
import { agentTitle } from "../../domain/agents/agents.ts";
import { fine, warning, type Finding } from "../../domain/health.ts";
import type { AgentMemory } from "../../ports/agent-memory.ts";
import type { HealthCheck } from "../../ports/health-check.ts";
import type { AgentSetup } from "./agent-setup.ts";
import {
  hooksStatus,
  isProtected,
  isUsedHere,
  type AgentStatus,
  type HooksStatus,
} from "./hooks-status.ts";
import type { InstalledWay } from "./installed-ways.ts";

/** An agent waits this long for each tool; more is felt. */
const SLOW_MS = 1000;
/** Failures that are older are history. */
const RECENT_MS = 86_400_000;

export function agentHooksCheck(
  setup: AgentSetup,
  memory: Pick<AgentMemory, "durations" | "failures"> | undefined,
): HealthCheck {
  return {
    name: "agent_hooks",
    look: () => {
      const status = hooksStatus(setup, [], memory);
      const installed = status.agents.filter(
        (agent) => agent.ways.length > 0 || (isProtected(agent) && isUsedHere(agent)),
      );
      if (installed.length === 0) return [noneInstalled(status)];
      return [
        ...installed.flatMap(agentFindings),
        ...pathFinding(status),
        ...slowFinding(status),
        ...failureFinding(setup, memory),
      ];
    },
  };
}

function noneInstalled({ agents }: HooksStatus): Finding {
  const found = agents.filter(({ hasSigns }) => hasSigns).map(({ agent }) => agent);
  if (found.length === 0) return fine("no agent hooks are installed");
  return fine(
    `no hooks are installed for ${found.map(agentTitle).join(", ")}`,
    `\`waymark hooks install ${found.join(" ")}\` installs them: a checkpoint before each change that an agent makes.`,
  );
}

function agentFindings({ agent, ways, coveredBy, doubled, trust }: AgentStatus): Finding[] {
  const title = agentTitle(agent);
  const again = `\`waymark hooks install ${agent}\` fixes it.`;
  const found: Finding[] = ways.flatMap((way) => wayFinding(title, way, again));
  if (doubled !== null) {
    const scopes = [...new Set(ways.map(({ scope }) => scope))];
    const commands = scopes.map((scope) => `\`waymark hooks uninstall ${agent} --scope ${scope}\``);
    const hint = `${commands.join(" or ")} removes one. Each call still creates only one checkpoint.`;
    found.push(warning(`${title} runs the hooks more than once: ${doubled}`, hint));
  }
  if (trust.state === "off") {
    found.push(
      warning(`${title} runs no hooks: ${trust.why ?? ""}`, "Remove that setting to be protected."),
    );
  }
  if (trust.state === "not_trusted") {
    const hint = `To be protected: ${trust.why ?? "trust it in the agent"}.`;
    found.push(warning(`${title} does not run the hooks: they are not trusted yet`, hint));
  }
  if (found.length > 0) return found;
  return [
    fine(
      `${title}: ${coveredBy === null ? ways.map(wayText).join(", ") : `covered by ${coveredBy}`}`,
    ),
  ];
}

function wayText({ via, path, state }: InstalledWay): string {
  if (via === "plugin") return "the plugin";
  return state === "written" ? `${path} (added manually)` : path;
}

function wayFinding(
  title: string,
  { state, path, problem }: InstalledWay,
  again: string,
): Finding[] {
  if (state === "older") return [warning(`${title}: the hooks in ${path} are outdated`, again)];
  if (state === "partly")
    return [warning(`${title}: ${path} has hooks for only some events`, again)];
  if (state === "changed") {
    const hint = "If that was you, ignore this; `waymark hooks install --force` rewrites it.";
    return [warning(`${title}: ${path} was changed since it was installed`, hint)];
  }
  if (state !== "unreadable") return [];
  return [
    warning(
      `${title}: ${problem ?? path}`,
      "Fix the file: otherwise the agent ignores it, replaces it, or does not start.",
    ),
  ];
}

function pathFinding({ isOnPath }: HooksStatus): Finding[] {
  if (isOnPath) return [];
  return [
    warning(
      "`waymark` is not on the PATH: hooks that do not use its full path do nothing",
      "Run `npm install -g waymark`, or `waymark hooks install --scope user --absolute`, which needs no PATH.",
    ),
  ];
}

function slowFinding({ p50Ms, calls }: HooksStatus): Finding[] {
  if (p50Ms === null || p50Ms <= SLOW_MS) return [];
  const hint =
    "`waymark hooks status` shows how long they take; usual causes are large untracked files (`capture.exclude`) and slow disks.";
  return [warning(`hooks are slow: half of the last ${calls} took more than ${p50Ms} ms`, hint)];
}

function failureFinding(
  setup: AgentSetup,
  memory: Pick<AgentMemory, "failures"> | undefined,
): Finding[] {
  const since = setup.clock.now().getTime() - RECENT_MS;
  const recent = (memory?.failures() ?? []).filter(({ at }) => Date.parse(at) > since);
  const last = recent.at(-1);
  if (last === undefined) return [];
  const count = recent.length === 1 ? "a hook" : `${recent.length} hooks`;
  return [
    warning(
      `${count} failed within the last day, most recently at ${last.at}: ${last.message}`,
      "What the agents changed then is only covered by earlier checkpoints. The other checks here may show the cause.",
    ),
  ];
}
