/** The AgentMemory port as small files in the work tree's git folder: nothing of it can end up in a commit. */
import { createHash } from "node:crypto";
import { readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import type { AgentStep } from "../../domain/agents/agent-step.ts";
import type { HookFailure } from "../../domain/agents/hook-failure.ts";
import type { DoneDelivery } from "../../domain/agents/same-call.ts";
import type { AgentMemory, AgentSessionMemory } from "../../ports/agent-memory.ts";
import { writeDurably } from "../files/durable-write.ts";
import { makeFolders } from "../files/make-folders.ts";
import { A_MINUTE, takeLockNow, type OwnedLock } from "../files/owned-lock.ts";
import { appendRegular, readRegular } from "../files/regular-file.ts";

/** Two files of this size are kept of what only grows. */
const STEPS_BYTES = 2_000_000;
const DURATIONS_BYTES = 2000;
const FAILURES_BYTES = 100_000;
/** Deliveries of one call come within a minute; no agent makes as many calls in it. */
const MOST_DONE = 500;
/** More sessions than this: those that are long over are removed. */
const MANY = 200;
/** Agents can take up a session again after weeks. */
const SESSION_OVER_MS = 60 * 86_400_000;
const LOCK_WAIT_MS = 500;
const LOCK_POLL_MS = 5;
const TURN_POLL_MS = 10;

export class DiskAgentMemory implements AgentMemory {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  async takeTurn(waitMs: number): Promise<OwnedLock | undefined> {
    const path = join(this.#folder, "turn.lock");
    const until = Date.now() + waitMs;
    for (;;) {
      const turn = takeLockNow(path, "a hook of an agent", A_MINUTE);
      if (turn !== undefined || Date.now() >= until) return turn;
      await new Promise((resolve) => setTimeout(resolve, TURN_POLL_MS));
    }
  }

  done(key: string): DoneDelivery | undefined {
    const name = nameOf(key);
    const found = this.#done().findLast((each) => each.name === name);
    if (found === undefined) return undefined;
    const { at, hasId, work } = found;
    return { at, hasId, ...(work === undefined ? {} : { work }) };
  }

  recordDone(keys: readonly string[], { at, hasId, work }: DoneDelivery): void {
    const last = keys.map((key) => ({ name: nameOf(key), at, hasId, work }));
    const all = [...this.#done(), ...last].slice(-MOST_DONE);
    writeDurably(this.#donePath(), JSON.stringify(all), false);
  }

  session(agentSessionId: string): AgentSessionMemory | undefined {
    const read = readJson(this.#session(agentSessionId)) as Partial<AgentSessionMemory> | undefined;
    if (typeof read?.since !== "string" || typeof read.turn !== "number") return undefined;
    return {
      since: read.since,
      turn: read.turn,
      prompt: textOrNull(read.prompt),
      warned: read.warned === true,
      toldOf: textOrNull(read.toldOf),
      toldUnfinished: textOrNull(read.toldUnfinished),
      toldSettings: textOrNull(read.toldSettings),
      toldLeftOut: Array.isArray(read.toldLeftOut) ? read.toldLeftOut.filter(isText) : [],
    };
  }

  update(
    agentSessionId: string,
    change: (before: AgentSessionMemory | undefined) => AgentSessionMemory,
  ): AgentSessionMemory {
    const path = this.#session(agentSessionId);
    const lock = waitForLock(`${path}.lock`);
    try {
      const before = this.session(agentSessionId);
      const changed = change(before);
      writeDurably(path, JSON.stringify(changed), false);
      if (before === undefined) forgetOld(dirname(path), SESSION_OVER_MS);
      return changed;
    } finally {
      lock?.release();
    }
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

  recordFailure(failure: HookFailure): void {
    this.#append("failures.ndjson", JSON.stringify(failure), FAILURES_BYTES);
  }

  failures(): readonly HookFailure[] {
    return this.#lines("failures.ndjson").map(parsed).filter(isFailure);
  }

  /** The oldest first. */
  #done(): readonly DoneCall[] {
    const read = readJson(this.#donePath());
    return Array.isArray(read) ? read.filter(isDone) : [];
  }

  #donePath(): string {
    return join(this.#folder, "done.json");
  }

  #session(agentSessionId: string): string {
    return join(this.#folder, "sessions", `${nameOf(agentSessionId)}.json`);
  }

  /** One write each, so that lines of two processes never mix. */
  #append(name: string, line: string, most: number): void {
    const path = join(this.#folder, name);
    makeFolders(this.#folder, 0o700);
    try {
      if (statSync(path).size > most) renameSync(path, `${path}.old`);
    } catch {
      // The first one.
    }
    appendRegular(path, `${line}\n`, 0o600);
  }

  #lines(name: string): string[] {
    const path = join(this.#folder, name);
    return [`${path}.old`, path].flatMap((file) => {
      try {
        return readRegular(file, "utf8").split("\n").filter(Boolean);
      } catch {
        return [];
      }
    });
  }
}

function nameOf(key: string): string {
  return createHash("sha256").update(key).digest("hex").slice(0, 40);
}

/** Undefined when others take too long: what is remembered is not worth waiting for. */
function waitForLock(path: string): OwnedLock | undefined {
  const until = Date.now() + LOCK_WAIT_MS;
  for (;;) {
    const lock = takeLockNow(path, "remembering a session of an agent", A_MINUTE);
    if (lock !== undefined || Date.now() >= until) return lock;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LOCK_POLL_MS);
  }
}

function isOlder(path: string, milliseconds: number): boolean {
  return Math.abs(Date.now() - statSync(path).mtimeMs) > milliseconds;
}

function forgetOld(folder: string, afterMs: number): void {
  const names = readdirSync(folder);
  if (names.length <= MANY) return;
  for (const name of names) {
    const path = join(folder, name);
    try {
      if (isOlder(path, afterMs)) rmSync(path, { force: true });
    } catch {
      // Gone already.
    }
  }
}

function readJson(path: string): unknown {
  try {
    return parsed(readRegular(path, "utf8"));
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

interface DoneCall extends DoneDelivery {
  readonly name: string;
}

function isDone(value: unknown): value is DoneCall {
  const done = value as Partial<DoneCall> | null;
  return typeof done?.name === "string" && typeof done.at === "string";
}

function isStep(value: unknown): value is AgentStep {
  const step = value as Partial<AgentStep> | undefined;
  return (
    (step?.checkpoint_id === null || typeof step?.checkpoint_id === "string") &&
    typeof step.agent_session_id === "string" &&
    typeof step.at === "string" &&
    typeof step.moment === "string" &&
    (step.paths === null || (Array.isArray(step.paths) && step.paths.every(isText)))
  );
}

function isText(value: unknown): boolean {
  return typeof value === "string";
}

function isFailure(value: unknown): value is HookFailure {
  const failure = value as Partial<HookFailure> | undefined;
  return (
    typeof failure?.at === "string" &&
    typeof failure.code === "string" &&
    typeof failure.message === "string"
  );
}

function textOrNull(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}
