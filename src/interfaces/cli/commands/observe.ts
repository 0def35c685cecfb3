/** `waymark observe`: the live view of `run` for a run in another terminal, with a prompt below it. */
import { createInterface } from "node:readline";
import type { ReachedBreakpoint, SessionDocument } from "../../../domain/session.ts";
import { heartbeatText } from "../../../domain/workflow/lease.ts";
import { observedEvents } from "../../../domain/workflow/observed-events.ts";
import { parseObserver } from "../../../domain/workflow/observer-command.ts";
import { mayBecome } from "../../../domain/workflow/session-status.ts";
import { liveHolder } from "../../../operations/owned-session.ts";
import type { Project } from "../../../operations/project.ts";
import { lastOutput } from "../../../operations/run/last-output.ts";
import type { Context } from "../command-spec.ts";
import { Observing } from "../observing.ts";
import { canAsk } from "../prompt.ts";
import { oneLine } from "../printable.ts";
import { LivePrompt } from "../run/live-prompt.ts";
import { RunTalk } from "../run/run-talk.ts";

/** Every step of a run is a commit of its session. */
const LOOK_EVERY_MS = 500;

export async function run(context: Context): Promise<number> {
  const [line] = context.args as [string | undefined];
  const observing = new Observing(context);
  if (line !== undefined) return observing.carryOut(parseObserver(line));
  const prompt = new LivePrompt("observe> ");
  const talk = new RunTalk(context.output, !canAsk(), prompt);
  const watch = new Watch(context, observing, talk);
  try {
    await watch.look();
    return talk.isLive
      ? await converse(context, observing, { talk, prompt, watch })
      : await readLines(context, observing, watch);
  } finally {
    await watch.pause();
    talk.stop();
  }
}

interface Screen {
  readonly talk: RunTalk;
  readonly prompt: LivePrompt;
  readonly watch: Watch;
}

async function converse(
  context: Context,
  observing: Observing,
  { talk, prompt, watch }: Screen,
): Promise<number> {
  talk.say("*help lists the commands, *exit leaves; the workflow continues.");
  for (;;) {
    watch.start();
    const typed = await prompt.read();
    await watch.pause();
    if (typed === undefined) return 0;
    const command = parseObserver(typed.text);
    const isExit = command.kind === "exit";
    // Also where there is nothing to do: what was typed has moved the view.
    await talk.aside(async () => {
      if (isExit || (typed.text.trim() === "" && !(await observing.isWaiting()))) return;
      process.stderr.write(`observe> ${typed.text}\n`);
      await context.reopenProject();
      await observing.tryOut(command);
    }, typed.rows);
    if (isExit) return 0;
    await watch.look();
  }
}

/** A script that writes commands; the worst exit code is that of all. What happens meanwhile is told in lines. */
async function readLines(context: Context, observing: Observing, watch: Watch): Promise<number> {
  let worst = 0;
  watch.start();
  for await (const line of createInterface({ input: process.stdin })) {
    if (line.trim() === "") continue;
    const command = parseObserver(line);
    if (command.kind === "exit") break;
    await watch.pause();
    await context.reopenProject();
    worst = Math.max(worst, await observing.tryOut(command));
    watch.start();
  }
  return worst;
}

/** Looks at the session again and again, and tells what happened. */
class Watch {
  readonly #context: Context;
  readonly #observing: Observing;
  readonly #talk: RunTalk;
  #seen: SessionDocument | undefined;
  #name: string | undefined;
  #standing = "";
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> | undefined;

  constructor(context: Context, observing: Observing, talk: RunTalk) {
    this.#context = context;
    this.#observing = observing;
    this.#talk = talk;
  }

  start(): void {
    this.#timer ??= setInterval(() => {
      this.#looking ??= this.look()
        // A later look may tell more: the session may be in the middle of being written.
        .catch((error: unknown) =>
          this.#tell(error instanceof Error ? error.message : String(error)),
        )
        .finally(() => (this.#looking = undefined));
    }, LOOK_EVERY_MS);
  }

  /** Until then the project may be in use. */
  async pause(): Promise<void> {
    clearInterval(this.#timer);
    this.#timer = undefined;
    await this.#looking;
  }

  async look(): Promise<void> {
    const project = await this.#context.openProject();
    const session = await this.#observing.session(project);
    if (session === undefined) {
      this.#tell(
        "no workflow is running in this work tree; waiting for one (*sessions lists others)",
      );
      return;
    }
    const before = this.#seen;
    this.#seen = session;
    if (this.#talk.isLive) this.#tell(standingOf(project, session), diedAt(project, session));
    if (before !== session) {
      if (before?.id !== session.id) this.#name = await nameOf(project, session);
      for (const event of observedEvents(before, session, this.#name)) this.#talk.tell(event);
    }
    if (this.#talk.isLive) {
      for (const event of await lastOutput(project, session)) this.#talk.tell(event);
    }
    this.#tell(standingOf(project, session), diedAt(project, session));
  }

  #tell(standing: string, died?: number): void {
    const hasChanged = standing !== this.#standing;
    this.#standing = standing;
    if (this.#talk.isLive) this.#talk.showStanding(standing, died);
    else if (hasChanged && !standing.includes("heartbeat")) this.#context.output.say(standing);
  }
}

function standingOf(project: Project, session: SessionDocument): string {
  const { status, lease, breakpoint } = session;
  if (lease !== undefined && liveHolder(project, session) !== undefined) {
    return breakpoint === undefined
      ? `running, ${heartbeatText(lease, project.clock.now())}`
      : breakpointText(breakpoint);
  }
  if (!mayBecome(status, "active")) return status;
  const what = status === "active" ? "not running" : status;
  return `${what}; *resume continues it`;
}

/** Undefined: it runs, or was ended in order. */
function diedAt(project: Project, session: SessionDocument): number | undefined {
  const { status, lease, updated_at } = session;
  if (status !== "active" || liveHolder(project, session) !== undefined) return undefined;
  return Date.parse(lease?.renewed_at ?? updated_at);
}

function breakpointText({ phase, next }: ReachedBreakpoint): string {
  return `breakpoint: ${oneLine(phase)} is done; next: ${oneLine(next ?? "the end")} (*continue or *pause)`;
}

/** As the run calls it; undefined: its session does not have the file. */
async function nameOf(
  { workflowFiles }: Project,
  { definition }: SessionDocument,
): Promise<string | undefined> {
  if (definition === undefined) return undefined;
  const { text, path } = definition;
  return workflowFiles.parse(text, path).then(
    ({ name }) => name,
    () => undefined,
  );
}
