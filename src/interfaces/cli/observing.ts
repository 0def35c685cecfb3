/**
 * Carries out what an observer says. Everything that only looks or goes back is the command of the command line itself, with its
 * question and its safety checkpoint; what concerns a running workflow is asked of whoever runs it.
 */
import { mayBecome } from "../../domain/workflow/session-status.ts";
import { cancelled, Failure } from "../../domain/failure.ts";
import { implicitSessionId, type SessionDocument } from "../../domain/session.ts";
import { filesRevision } from "../../domain/local-half.ts";
import { manualRestore } from "../../domain/workflow/manual-restore.ts";
import { observerHelp, type ObserverCommand } from "../../domain/workflow/observer-command.ts";
import { findStored, usable } from "../../operations/find-checkpoint.ts";
import { liveHolder, notFound } from "../../operations/owned-session.ts";
import { describeParts } from "../../operations/part-work.ts";
import type { Project } from "../../operations/project.ts";
import { askOwner } from "../../operations/session-request.ts";
import { viewSessions } from "../../operations/session-view.ts";
import { confirm } from "./ask.ts";
import type { Context } from "./command-spec.ts";
import { askYes } from "./prompt.ts";
import { tableLines } from "./table.ts";
import { oneLine } from "./printable.ts";
import { exactTime } from "./units.ts";

export class Observing {
  readonly #context: Context;

  constructor(context: Context) {
    this.#context = context;
  }

  /** Says what went wrong. */
  tell(error: unknown): number {
    return this.#context.output.failure(error);
  }

  /** Says what went wrong and goes on. */
  async tryOut(command: ObserverCommand): Promise<number> {
    try {
      return await this.carryOut(command);
    } catch (error) {
      return this.tell(error);
    }
  }

  carryOut(command: ObserverCommand): Promise<number> {
    const isRollback = command.kind === "rollback" || command.kind === "force";
    if (this.#context.options["dryRun"] === true && !isRollback) {
      throw new Failure("usage", "--dry-run is for *rollback only", {
        hint: "Omit it. Nothing was changed.",
      });
    }
    switch (command.kind) {
      case "control":
        return this.#control(command.text);
      case "list":
        return this.#list();
      case "show":
        return this.#run("show", [command.selector]);
      case "diff":
        return this.#run("diff", [command.from, command.to]);
      case "rollback":
        return this.#rollBack(command.selector, {});
      case "force":
        return this.#force(command.selector);
      case "validate":
        return this.#inSession("validate", { isObserver: true });
      case "export":
        return this.#inSession("export");
      case "rebuild":
        return this.#run("rebuild", [command.selector]);
      case "manual":
        return this.#manual(command.selector);
      case "sessions":
        return this.#run("session list");
      case "session":
        return this.#run("session show", [command.id]);
      case "resume":
        return this.#run("resume", [command.id]);
      case "abandon":
        return this.#run("session abandon", [command.id]);
      case "cleanup":
        return this.#run("cleanup", [[]]);
      case "help":
        this.#help();
        return Promise.resolve(0);
      case "exit":
        return Promise.resolve(0);
      case "wrong":
        throw new Failure("usage", command.problem, { hint: command.hint });
    }
  }

  async #list(): Promise<number> {
    const session = await this.#announced();
    if (session === undefined) return this.#run("list");
    const code = await this.#run("list", [], { long: true }, session.id);
    this.#context.output.say(
      "*rollback:N rolls back to step N, *cp-show:N shows it, *cp-diff:N compares it",
    );
    return code;
  }

  /** A command about the checkpoints of the session, or of all where none was started. */
  async #inSession(name: string, options: Readonly<Record<string, unknown>> = {}): Promise<number> {
    const session = await this.#announced();
    return this.#run(name, [[]], options, session?.id);
  }

  /** The session, after a word on what it is about. */
  async #announced(): Promise<SessionDocument | undefined> {
    const { output } = this.#context;
    const session = await this.session(await this.#context.openProject());
    if (session === undefined) return undefined;
    const { id, topic, description, created_at } = session;
    output.say(`Session ${oneLine(id)}`);
    output.say(`Topic:   ${oneLine(topic ?? description ?? "-")}`);
    output.say(`Created: ${exactTime(created_at)}`);
    return session;
  }

  async #control(text: string): Promise<number> {
    const { output } = this.#context;
    const project = await this.#context.openProject();
    const session = await this.session(project);
    if (session === undefined) throw notFound(this.#context.sessionId ?? "here: none was started");
    if (liveHolder(project, session) === undefined) return this.#alone(text, session);
    const { requests = [] } = await askOwner(project, session.id, text);
    const request = requests.find(({ command }) => command === text);
    output.result("request", { session_id: session.id, request }, [
      `requested ${text}; session ${session.id} will act on it at the next safe point`,
    ]);
    return 0;
  }

  /** Whether there is one that nobody runs and that could continue: then an empty line is answered like `*continue`. */
  async isWaiting(): Promise<boolean> {
    const project = await this.#context.openProject();
    const session = await this.session(project);
    return (
      session !== undefined &&
      mayBecome(session.status, "active") &&
      liveHolder(project, session) === undefined
    );
  }

  /** Nobody runs it, so what was said is done here, or means nothing. */
  #alone(text: string, session: SessionDocument): Promise<number> {
    if (text === "*pause") return this.#run("session pause", [session.id]);
    throw new Failure(
      "session_status",
      `session ${session.id} is not running, so ${text} has no effect`,
      {
        hint: `It is ${session.status}. ${whatNext(session)}*session-info shows it. Nothing was changed.`,
      },
    );
  }

  /** Shows what a rollback would do and asks; for a run that carries it out itself. */
  async agreesToRollBack(selector: string): Promise<boolean> {
    await this.#run("rollback", [selector], { dryRun: true });
    return askYes("Roll back?");
  }

  async #rollBack(selector: string, more: Readonly<Record<string, unknown>>): Promise<number> {
    const { dryRun, discardCommits, keepHead } = this.#context.options;
    const options = { dryRun, discardCommits, keepHead, reason: "observer_requested", ...more };
    const project = await this.#context.openProject();
    const session = await this.session(project);
    const isRun = session !== undefined && liveHolder(project, session) !== undefined;
    if (!isRun || dryRun === true) return this.#run("rollback", [selector], options);
    if (keepHead === true) {
      throw new Failure("usage", `--keep-head has no effect while session ${session.id} runs`, {
        hint: "*pause pauses it; then *rollback can leave HEAD where it is. Nothing was changed.",
      });
    }
    await this.#run("rollback", [selector], { ...options, dryRun: true });
    await this.#agree(`Session ${session.id} will stop its nodes, roll back and pause. Roll back?`);
    return this.#control(`*rollback:${selector}`);
  }

  async #force(given: string | undefined): Promise<number> {
    const selector = given ?? (await this.#failedTarget());
    return this.#rollBack(selector, { discardCommits: true, evenIfExpired: true });
  }

  async #failedTarget(): Promise<string> {
    const project = await this.#context.openProject();
    const failed = project.audit
      .read({})
      .findLast(
        ({ operation, ok, error, checkpoint_ids }) =>
          operation === "rollback" &&
          !ok &&
          error?.code !== "cancelled" &&
          checkpoint_ids.length > 0,
      );
    const [id] = failed?.checkpoint_ids ?? [];
    if (id !== undefined) return id;
    throw new Failure("nothing_to_redo", "no rollback failed here", {
      hint: "*rollback:N rolls back to a checkpoint; *rollback-force:N does so even if commits are dropped.",
    });
  }

  async #manual(given: string | undefined): Promise<number> {
    const { output, sessionId } = this.#context;
    const project = await this.#context.openProject();
    const view = await viewSessions(project, sessionId);
    const document = usable(view, findStored(project, view, given ?? "latest"));
    const parts = await describeParts(project, document);
    const lines = manualRestore(document, {
      git: project.git,
      root: project.workTree.root,
      files: filesRevision(document, await project.checkpoints.isHere(document, "worktree")),
      parts: parts.flatMap(({ commands }) => commands),
    });
    output.result(
      "observer",
      { command: "*manual-restore", checkpoint_id: document.id, lines },
      lines,
    );
    return 0;
  }

  async #agree(question: string): Promise<void> {
    if (this.#context.options["yes"] === true) return;
    const hint = "Add --yes. Nothing was changed.";
    if (!(await confirm(this.#context.output, { question, hint }))) throw cancelled();
  }

  /** A command of the command line, as if it had been typed. */
  async #run(
    name: string,
    args: readonly unknown[] = [],
    options: Readonly<Record<string, unknown>> = {},
    sessionId = this.#context.sessionId,
  ): Promise<number> {
    const { COMMANDS } = await import("./command-table.ts");
    const spec = COMMANDS.find((known) => known.name === name);
    if (spec === undefined) throw new Error(`unknown command ${name}`);
    const { run } = await spec.load();
    const yes = this.#context.options["yes"] === true ? { yes: true } : {};
    return (await run({ ...this.#context, sessionId, args, options: { ...yes, ...options } })) ?? 0;
  }

  /** The one to observe. */
  async session(project: Project): Promise<SessionDocument | undefined> {
    const given = this.#context.sessionId;
    const id = given ?? project.currentSession.get();
    const found = id === undefined ? undefined : (await project.sessions.read(id))?.document;
    if (given !== undefined && found === undefined) throw notFound(given);
    return found?.id === implicitSessionId(project.workTree.id) ? undefined : found;
  }

  #help(): void {
    const { output } = this.#context;
    const rows = observerHelp();
    output.result(
      "observer",
      { command: "*help", commands: rows },
      tableLines(
        [
          { title: "COMMAND", cell: ({ command }) => command },
          { title: "DESCRIPTION", cell: ({ text }) => text },
        ],
        rows,
        output.columns,
        output.paint,
      ),
    );
  }
}

function whatNext({ id, status }: SessionDocument): string {
  const isOver = !mayBecome(status, "active");
  return isOver ? "" : `*resume continues it, *abandon:${id} archives it, `;
}
