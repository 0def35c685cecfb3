/**
 * The commands that agents are given to run. Their text never changes with a version or a machine: an agent that asks its user whether a hook may run
 * remembers a hash of it. They end well whatever happens, also where Waymark is gone: some agents deny every tool call after a hook that failed.
 */
import { AGENTS, isAgentName, type AgentName } from "./agents.ts";

/** `event`: for an agent whose payload does not say which event it is. */
export function hookCommand(agent: AgentName, event?: string): string {
  return `command -v waymark >/dev/null 2>&1 || exit 0; waymark hook ${words(agent, event)} || true`;
}

/** Where Waymark is, for agents that are started without a PATH. */
export interface WaymarkProgram {
  readonly node: string;
  readonly script: string;
}

export function absoluteHookCommand(
  { node, script }: WaymarkProgram,
  agent: AgentName,
  event?: string,
): string {
  const [program, file] = [quoted(node), quoted(script)];
  return `[ -x ${program} ] && [ -f ${file} ] || exit 0; ${program} ${file} hook ${words(agent, event)} || true`;
}

export interface OwnCommand {
  readonly agent: AgentName;
  readonly form: "usual" | "absolute" | "older";
}

/** Undefined: somebody else's. A command that does anything beside ours is theirs, too. */
export function ownCommand(command: string): OwnCommand | undefined {
  for (const [form, pattern] of FORMS) {
    const agent = pattern.exec(command)?.groups?.["agent"];
    if (agent !== undefined && isAgentName(agent)) return { agent, form };
  }
  return undefined;
}

/** A command that somebody wrote, or changed, which runs our hook among other things: it does our work, and it is theirs. */
export function callsHook(command: string): boolean {
  return ownCommand(command) === undefined && WRITTEN_CALL.test(command);
}

const CALL = String.raw`hook (?<agent>${AGENTS.join("|")})(?: [A-Za-z]+)?`;
const QUOTED = String.raw`'(?:[^']|'\\'')*'`;

const FORMS: readonly (readonly [OwnCommand["form"], RegExp])[] = [
  [
    "usual",
    new RegExp(
      String.raw`^command -v waymark >/dev/null 2>&1 \|\| exit 0; waymark ${CALL} \|\| true$`,
    ),
  ],
  [
    "absolute",
    new RegExp(
      String.raw`^\[ -x (?<node>${QUOTED}) \] && \[ -f (?<script>${QUOTED}) \] \|\| exit 0; \k<node> \k<script> ${CALL} \|\| true$`,
    ),
  ],
  // What people wrote by hand, and what is not guarded.
  [
    "older",
    new RegExp(String.raw`^(?:npx (?:-\S+ )*|git )?(?:git-)?waymark ${CALL}(?: \|\| true)?$`),
  ],
];

/** Where a shell expects the name of a program: at the beginning, after an operator, or after a word that runs another. */
const WRITTEN_CALL = new RegExp(
  [
    String.raw`(?:^|[;&|({\n]|\s-c\s+["']|\b(?:then|do|else|exec|command|node|git|npx(?:\s+-\S+)*|pnpm dlx|bunx)\s)`,
    String.raw`\s*(?:\w+=\S*\s+)*`,
    String.raw`(?:["'](?:[^"']*/)?|(?:[^\s"';&|]*/)?)(?:(?:git-)?waymark(?:\.cmd|@[^\s"']+)?|bin\.cjs)["']?`,
    String.raw`(?:\s+-C\s+\S+)?\s+hook\s+["']?(?:${AGENTS.join("|")})\b`,
  ].join(""),
);

function words(agent: AgentName, event: string | undefined): string {
  return event === undefined ? agent : `${agent} ${event}`;
}

/** Always in quotes: what is recognised again has one form. */
function quoted(path: string): string {
  return `'${path.replaceAll("'", String.raw`'\''`)}'`;
}
