// What real agents sent to hooks (Cursor's from its documentation), and what is made of it. `arguments` is what the installed command says after
// `waymark hook`.

import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { AGENTS, isAgentName } from "../../src/domain/agents/agents.ts";
import type { AgentEvent } from "../../src/domain/agents/agent-event.ts";
import { readPayload } from "../../src/domain/agents/read-payload.ts";

interface Recorded {
  readonly source: string;
  readonly arguments: readonly [string, string?];
  readonly env: Readonly<Record<string, string>>;
  readonly payload: unknown;
  readonly event: AgentEvent;
}

const RECORDED = AGENTS.flatMap((agent) =>
  readdirSync(join(import.meta.dirname, agent)).map((file): [string, Recorded] => {
    const text = readFileSync(join(import.meta.dirname, agent, file), "utf8");
    return [`${agent}/${file}`, JSON.parse(text) as Recorded];
  }),
);

/** Agents that run hooks which were written for Claude, with the command that names it. */
const RUN_CLAUDES = new Set(["codex", "copilot", "cursor", "gemini", "qwen"]);

describe("recorded payloads", () => {
  it.each(RECORDED)("are read: %s", (_name, recorded) => {
    const [agent, argument] = recorded.arguments;
    if (!isAgentName(agent)) throw new Error(`no agent: ${agent}`);
    expect(readPayload(agent, argument, recorded.payload, recorded.env)).toEqual(recorded.event);
  });

  it.each(RECORDED.filter(([, { event }]) => RUN_CLAUDES.has(event.agent)))(
    "are recognised where the command names Claude: %s",
    (_name, { arguments: [, argument], payload, env, event }) => {
      expect(readPayload("claude", argument, payload, env)).toEqual(event);
    },
  );

  it("hold a tool that writes, one that reads, a command, a prompt and the end of a turn of each agent", () => {
    for (const agent of AGENTS) {
      const events = RECORDED.map(([, { event }]) => event).filter(
        (event) => event.agent === agent,
      );
      const seen = new Set(
        events.map(({ moment, tool }) => `${moment} ${tool?.kind ?? ""}`.trim()),
      );
      // Codex reads through commands.
      const reads = agent === "codex" ? [] : ["pre_tool read"];
      expect([...seen]).toEqual(
        expect.arrayContaining([
          "pre_tool write",
          "pre_tool shell",
          "prompt",
          "turn_end",
          ...reads,
        ]),
      );
    }
  });

  it("have the same time and input in both forms of one call of Copilot", () => {
    const both = ["native-preToolUse.create", "claude-PreToolUse.Write"].map(
      (name) => RECORDED.find(([file]) => file === `copilot/${name}.json`)?.[1].event,
    );
    const [native, claude] = both.map((event) => [
      event?.sessionId,
      event?.sentAt,
      event?.tool?.input,
    ]);
    expect(native).toEqual(claude);
    expect(native?.every((each) => each !== undefined)).toBe(true);
  });
});
