/** `waymark hooks status` */
import { agentTitle } from "../../../../domain/agents/agents.ts";
import {
  hooksStatus,
  isUsedHere,
  type AgentStatus,
} from "../../../../operations/agent-hooks/hooks-status.ts";
import type { InstalledWay } from "../../../../operations/agent-hooks/installed-ways.ts";
import type { AgentSetup } from "../../../../operations/agent-hooks/agent-setup.ts";
import type { Context } from "../../command-spec.ts";
import { namedAgents, openHooks, shownPath } from "../../hooks-command.ts";
import { tableLines, type Column } from "../../table.ts";
import { counted } from "../../units.ts";

export async function run(context: Context): Promise<void> {
  const { output } = context;
  const { setup, project } = await openHooks(context, false);
  const memory = project?.agentMemory;
  const named = namedAgents(context.args[0] as string[]);
  const status = hooksStatus(setup, named, memory);
  const failures = memory?.failures() ?? [];
  output.result(
    "hooks_status",
    {
      agents: status.agents.map(toJson),
      waymark_on_path: status.isOnPath,
      calls: status.calls,
      p50_ms: status.p50Ms,
      failures,
    },
    [
      ...tableLines(columns(setup), status.agents.flatMap(rows), output.columns, output.paint),
      ...(status.p50Ms === null
        ? []
        : ["", `${counted(status.calls, "call")}, median ${status.p50Ms} ms`]),
    ],
  );
  if (!status.isOnPath)
    output.warn("`waymark` is not on the PATH: hooks that do not use its full path do nothing");
  for (const each of status.agents) {
    const { agent, ways, doubled, trust } = each;
    const title = agentTitle(agent);
    for (const { problem } of ways) if (problem !== null) output.warn(`${title}: ${problem}`);
    if (doubled !== null) output.warn(`${title} runs the hooks more than once: ${doubled}`);
    if (trust.why !== null && (isUsedHere(each) || named.length > 0))
      output.warn(`${title}: ${trust.why}`);
  }
  const last = failures.at(-1);
  if (last !== undefined)
    output.warn(`the last failure of a hook was at ${last.at}: ${last.message}`);
}

function toJson({ agent, hasSigns, hasProgram, ways, coveredBy, doubled, trust }: AgentStatus) {
  return {
    agent,
    found: { files: hasSigns, command: hasProgram },
    installed: ways.map(({ scope, via, path, state, problem }) => ({
      scope,
      via,
      path,
      state,
      problem,
    })),
    covered_by: coveredBy,
    doubled,
    trust: trust.state,
    trust_reason: trust.why,
  };
}

interface Row {
  readonly status: AgentStatus;
  readonly way: InstalledWay | undefined;
}

function rows(status: AgentStatus): Row[] {
  if (status.ways.length === 0) return [{ status, way: undefined }];
  return status.ways.map((way) => ({ status, way }));
}

const STATES: Readonly<Record<InstalledWay["state"], string>> = {
  current: "current",
  older: "older",
  partly: "partly",
  written: "added manually",
  changed: "changed",
  unreadable: "unreadable",
};

const TRUST = { trusted: "yes", not_trusted: "no", off: "off", unknown: "" } as const;

function columns(setup: AgentSetup): Column<Row>[] {
  return [
    { title: "AGENT", cell: ({ status }) => status.agent },
    {
      title: "HOOKS",
      cell: ({ way, status }) =>
        way === undefined ? (status.coveredBy === null ? "-" : "covered") : STATES[way.state],
      style: ({ way }) =>
        way === undefined ? "dim" : way.state === "current" ? "green" : "yellow",
    },
    {
      title: "SCOPE",
      cell: ({ way }) =>
        way === undefined ? "" : way.via === "plugin" ? `${way.scope}, plugin` : way.scope,
    },
    {
      title: "WHERE",
      cell: ({ way, status }) => shownPath(setup, way?.path ?? status.coveredBy ?? ""),
      cutTo: 12,
    },
    {
      title: "TRUSTED",
      cell: ({ status }) => TRUST[status.trust.state],
      style: ({ status }) => (status.trust.state === "trusted" ? "green" : "yellow"),
      giveWay: 1,
    },
    { title: "FOUND", cell: ({ status }) => foundText(status), giveWay: 2 },
  ];
}

function foundText({ hasSigns, hasProgram }: AgentStatus): string {
  return [...(hasSigns ? ["files"] : []), ...(hasProgram ? ["command"] : [])].join(", ");
}
