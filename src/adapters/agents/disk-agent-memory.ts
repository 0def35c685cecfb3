/** The AgentMemory port as small files in the work tree's git folder: nothing of it can end up in a commit. */
import { createHash } from "node:crypto";
import {
  appendFileSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import type { AgentStep } from "../../domain/agents/agent-step.ts";
import type { AgentMemory, AgentSessionMemory } from "../../ports/agent-memory.ts";
import { uniqueName, writeDurably } from "../files/durable-write.ts";

/** Two files of this size are kept of what only grows. */
const STEPS_BYTES = 2_000_000;
const DURATIONS_BYTES = 2000;
/** More claims than this: those that are long over are removed. */
const MANY_CLAIMS = 200;
const CLAIM_OVER_MS = 3_600_000;

export class DiskAgentMemory implements AgentMemory {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  claim(key: string, withinMs: number): boolean {
    const folder = join(this.#folder, "claims");
    const path = join(folder, nameOf(key));
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    if (makeNew(path)) {
      forgetOld(folder);
      return true;
    }
    const moved = `${path}.${uniqueName()}`;
    try {
      if (!isOlder(path, withinMs)) return false;
      renameSync(path, moved);
    } catch {
      return false; // Somebody else is at it.
    }
    // It may be the new one of somebody who was quicker.
    if (!isOlder(moved, withinMs)) {
      renameSync(moved, path);
      return false;
    }
    rmSync(moved, { force: true });
    return makeNew(path);
  }

  session(agentSessionId: string): AgentSessionMemory | undefined {
    const read = readJson(this.#session(agentSessionId)) as Partial<AgentSessionMemory> | undefined;
    if (typeof read?.since !== "string" || typeof read.turn !== "number") return undefined;
    return {
      since: read.since,
      turn: read.turn,
      warned: read.warned === true,
      toldOf: typeof read.toldOf === "string" ? read.toldOf : null,
    };
  }

  remember(agentSessionId: string, memory: AgentSessionMemory): void {
    writeDurably(this.#session(agentSessionId), JSON.stringify(memory), false);
  }

  recordStep(step: AgentStep): void {
    this.#append("steps.ndjson", JSON.stringify(step), STEPS_BYTES);
  }

  steps(): Promise<readonly AgentStep[]> {
    const lines = this.#lines("steps.ndjson").map(parsed);
    return Promise.resolve(lines.filter(isStep));
  }

  recordDuration(milliseconds: number): void {
    this.#append("durations", String(Math.round(milliseconds)), DURATIONS_BYTES);
  }

  durations(): readonly number[] {
    return this.#lines("durations").map(Number).filter(Number.isFinite);
  }

  #session(agentSessionId: string): string {
    return join(this.#folder, "sessions", `${nameOf(agentSessionId)}.json`);
  }

  /** One write each, so that lines of two processes never mix. */
  #append(name: string, line: string, most: number): void {
    const path = join(this.#folder, name);
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    try {
      if (statSync(path).size > most) renameSync(path, `${path}.old`);
    } catch {
      // The first one.
    }
    appendFileSync(path, `${line}\n`, { mode: 0o600 });
  }

  #lines(name: string): string[] {
    const path = join(this.#folder, name);
    return [`${path}.old`, path].flatMap((file) => {
      try {
        return readFileSync(file, "utf8").split("\n").filter(Boolean);
      } catch {
        return [];
      }
    });
  }
}

function nameOf(key: string): string {
  return createHash("sha256").update(key).digest("hex").slice(0, 40);
}

function makeNew(path: string): boolean {
  try {
    writeFileSync(path, "", { flag: "wx", mode: 0o600 });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

function isOlder(path: string, milliseconds: number): boolean {
  return Math.abs(Date.now() - statSync(path).mtimeMs) > milliseconds;
}

function forgetOld(folder: string): void {
  const names = readdirSync(folder);
  if (names.length <= MANY_CLAIMS) return;
  for (const name of names) {
    const path = join(folder, name);
    try {
      if (isOlder(path, CLAIM_OVER_MS)) rmSync(path, { force: true });
    } catch {
      // Gone already.
    }
  }
}

function readJson(path: string): unknown {
  try {
    return parsed(readFileSync(path, "utf8"));
  } catch {
    return undefined;
  }
}

function parsed(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return value !== null && typeof value === "object" ? value : undefined;
  } catch {
    return undefined;
  }
}

function isStep(value: unknown): value is AgentStep {
  const step = value as Partial<AgentStep> | undefined;
  return typeof step?.checkpoint_id === "string" && typeof step.agent_session_id === "string";
}
