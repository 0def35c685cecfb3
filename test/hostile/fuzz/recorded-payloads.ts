/** What real agents sent to hooks (test/agent-payloads). */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { AgentEvent } from "../../../src/domain/agents/agent-event.ts";
import { AGENTS } from "../../../src/domain/agents/agents.ts";

export interface Recorded {
  readonly arguments: readonly [string, string?];
  readonly env: Readonly<Record<string, string>>;
  readonly payload: unknown;
  readonly event: AgentEvent;
}

const folder = join(import.meta.dirname, "../../agent-payloads");

export function recordedPayloads(): Recorded[] {
  return AGENTS.flatMap((agent) =>
    readdirSync(join(folder, agent)).map(
      (file) => JSON.parse(readFileSync(join(folder, agent, file), "utf8")) as Recorded,
    ),
  );
}
