/** The agent behind the name that an MCP client gives itself. */
import { redact } from "../secrets/redact.ts";
import { AGENTS, type AgentName } from "./agents.ts";

/** Names that say something else than the agent's own word. */
const OTHER_WORDS: readonly (readonly [RegExp, AgentName])[] = [[/^github-copilot/, "copilot"]];

const LONGEST = 60;

/** `claude-code` is `claude`, `gemini-cli-mcp-client` is `gemini`; a client that nobody knows keeps its name. Undefined: it has none. */
export function agentOfClient(name: string | undefined): string | undefined {
  const word = (name ?? "").trim().toLowerCase();
  if (word === "") return undefined;
  const other = OTHER_WORDS.find(([pattern]) => pattern.test(word))?.[1];
  const known = AGENTS.find((agent) => new RegExp(`(?:^|[^a-z])${agent}(?:$|[^a-z])`).test(word));
  return other ?? known ?? redact(word.replaceAll(/[^\w.@/ -]/g, "_")).slice(0, LONGEST);
}
