/**
 * `waymark hook AGENT [EVENT]`: called by agents before every tool call. Ends with 0 whatever happens, since another code would block the agent's tool, and
 * prints nothing unless there is something to say. A tool that only reads ends here, before a project is looked for.
 */
import { writeSync } from "node:fs";
import { AGENTS, isAgentName } from "../../domain/agents/agents.ts";
import type { AgentEvent, HookReply } from "../../domain/agents/agent-event.ts";
import { besideAnother, isHeardBeside } from "../../domain/agents/beside-another.ts";
import { SAID_BEFORE } from "../../domain/agents/cline-script.ts";
import { isOfNoConcern } from "../../domain/agents/hook-moment.ts";
import { parsePayload } from "../../domain/agents/payload-text.ts";
import { readPayload } from "../../domain/agents/read-payload.ts";
import { replyText } from "../../domain/agents/reply-text.ts";
import type { HookWords } from "./hook-words.ts";
import { readInput } from "./read-input.ts";

export async function hook(words: HookWords): Promise<never> {
  process.on("uncaughtException", (error) => end(2, `waymark hook: ${error.message}\n`));
  try {
    const event = await readEvent(words);
    if (event === undefined || isOfNoConcern(event)) return end();
    const { act } = await import("./act.ts");
    const { reply, afterwards } = await act(event, words.directory);
    say(event, reply);
    afterwards();
    return end();
  } catch (error) {
    return end(2, `waymark hook: ${error instanceof Error ? error.message : String(error)}\n`);
  }
}

async function readEvent({ agent, event }: HookWords): Promise<AgentEvent | undefined> {
  if (!isAgentName(agent)) {
    write(2, `waymark hook: which agent? It is one of ${AGENTS.join(", ")}\n`);
    return undefined;
  }
  const { bytes, isCut } = await readInput();
  const payload = parsePayload(bytes.toString("utf8"), isCut);
  if (payload === undefined) write(2, "waymark hook: standard input is not JSON\n");
  const read = readPayload(agent, event, payload, process.env);
  const before = saidBefore(agent);
  if (read === undefined || before === undefined || isHeardBeside(before)) return read;
  return { ...read, isUnheard: true };
}

/** By a script of the user's own. */
function saidBefore(agent: string): string | undefined {
  return agent === "cline" ? process.env[SAID_BEFORE] : undefined;
}

function say(event: AgentEvent, reply: HookReply): void {
  const ours = replyText(event, reply);
  const before = saidBefore(event.agent);
  const { stdout, stderr } = before === undefined ? ours : besideAnother(before, ours);
  if (stdout !== "") write(1, stdout);
  if (stderr !== "") write(2, stderr);
}

/** Nobody may be there to hear it. */
function write(to: 1 | 2, text: string): void {
  const bytes = Buffer.from(text);
  try {
    for (let written = 0; written < bytes.length;) written += writeSync(to, bytes, written);
  } catch {
    // The pipe is closed, or full and nobody reads it.
  }
}

/** At once: whatever still goes on was given up. */
function end(to?: 2, text = ""): never {
  if (to !== undefined) write(to, text);
  process.exit(0);
}
