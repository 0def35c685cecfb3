/** A session that this process runs: every change checks, in the same compare-and-swap, that it still does. */
import { Failure } from "../domain/failure.ts";
import { redact } from "../domain/secrets/redact.ts";
import type { SessionDocument } from "../domain/session.ts";
import {
  heldText,
  leaseStanding,
  releasedLease,
  renewedLease,
  takenLease,
  type Lease,
} from "../domain/workflow/lease.ts";
import type { WriteOptions } from "../ports/session-store.ts";
import type { Project } from "./project.ts";
import { updateSession } from "./update-session.ts";

export interface OwnedSession {
  readonly id: string;
  readonly token: number;
  /** As it was when it was last read or written here. */
  readonly document: SessionDocument;
  /** As it is now; fails with `lease_lost` when somebody else runs it by now. */
  read(): Promise<SessionDocument>;
  /** `change` may be called several times; undefined: nothing to change. Fails with `lease_lost`. */
  update(
    message: string,
    change: (session: SessionDocument) => SessionDocument | undefined,
  ): Promise<SessionDocument>;
  /** A sign of life; the journal keeps only the last of several. */
  renew(): Promise<void>;
  /** Others may run it. Safe to call when it is lost already. */
  release(): Promise<void>;
}

export interface Acquisition {
  readonly purpose: string;
  /** Whoever saw this token may take the session from an owner that is not proven dead. */
  readonly takeOver?: number;
}

export interface Acquired {
  readonly owned: OwnedSession;
  /** Whose place was taken: a process that ended without giving it back. */
  readonly from: Lease | undefined;
}

/** A live owner is never robbed; a dead one is taken over. */
export async function acquireSession(
  project: Project,
  sessionId: string,
  { purpose: given, takeOver }: Acquisition,
): Promise<Acquired> {
  const purpose = redact(given);
  let from: Lease | undefined;
  let document: SessionDocument | undefined;
  await updateSession(project, sessionId, `session is run: ${purpose}`, (session) => {
    if (session.implicit) throw notFound(sessionId);
    const at = project.clock.now().toISOString();
    refuseHeld(project, session, takeOver);
    from = session.lease?.holder === null ? undefined : session.lease;
    document = {
      ...session,
      updated_at: at,
      lease: takenLease(session.lease, project.liveness.own(), purpose, at),
    };
    return document;
  });
  if (document?.lease === undefined) throw notFound(sessionId);
  return { owned: new Owned(project, document, document.lease.token), from };
}

/** Who runs it now, unless that is nobody or somebody who is gone. */
export function liveHolder(project: Project, { lease }: SessionDocument): Lease | undefined {
  if (lease === undefined || lease.holder === null) return undefined;
  const standing = leaseStanding(lease, project.liveness.lifeOf(lease.holder));
  return standing === "held" ? lease : undefined;
}

/** The same, unless that is this very process. */
export function otherHolder(project: Project, session: SessionDocument): Lease | undefined {
  const lease = liveHolder(project, session);
  const own = project.liveness.own();
  const isOwn = lease?.holder?.pid === own.pid && lease.holder.started === own.started;
  return isOwn ? undefined : lease;
}

/**
 * Whether this process is a command of the session's owner: it was told the session, and the owner started it. The name alone does not
 * do, since people set it to say which session they mean.
 */
export function isCommandOf(project: Project, { id, lease }: SessionDocument): boolean {
  if (project.within !== id || lease === undefined || lease.holder === null) return false;
  return project.liveness.isBelow(lease.holder) !== false;
}

export function heldFailure(project: Project, sessionId: string, lease: Lease): Failure {
  const isOutOfSight = lease.holder !== null && project.liveness.lifeOf(lease.holder) === "unknown";
  const wayOn = isOutOfSight
    ? `If that process is definitely gone, \`waymark resume ${sessionId} --take-over ${lease.token}\` takes over.`
    : "Wait until that process has ended, or stop it.";
  return new Failure("session_held", heldText(sessionId, lease, new Date()), {
    hint: `\`waymark observe --session ${sessionId}\` watches it. Nothing was changed. ${wayOn}`,
    details: { session_id: sessionId, lease },
  });
}

function refuseHeld(
  project: Project,
  session: SessionDocument,
  takeOver: number | undefined,
): void {
  const lease = liveHolder(project, session);
  if (lease === undefined) return;
  const life = lease.holder === null ? "dead" : project.liveness.lifeOf(lease.holder);
  // What lives on this machine can be stopped here, and is never robbed.
  if (takeOver === lease.token && life === "unknown") return;
  throw heldFailure(project, session.id, lease);
}

class Owned implements OwnedSession {
  readonly token: number;
  readonly #project: Project;
  #document: SessionDocument;
  /** Reads and writes come one after another: a slow read must not put an older document in the place of a newer one. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(project: Project, document: SessionDocument, token: number) {
    this.#project = project;
    this.#document = document;
    this.token = token;
  }

  get id(): string {
    return this.#document.id;
  }

  get document(): SessionDocument {
    return this.#document;
  }

  read(): Promise<SessionDocument> {
    return this.#inTurn(async () => {
      const stored = await this.#project.sessions.read(this.id);
      if (stored === undefined) throw notFound(this.id);
      this.#refuseLost(stored.document);
      this.#document = stored.document;
      return stored.document;
    });
  }

  update(
    message: string,
    change: (session: SessionDocument) => SessionDocument | undefined,
  ): Promise<SessionDocument> {
    return this.#write(message, change, {});
  }

  async renew(): Promise<void> {
    await this.#write("heartbeat", (session) => session, { passing: true });
  }

  #write(
    message: string,
    change: (session: SessionDocument) => SessionDocument | undefined,
    options: WriteOptions,
  ): Promise<SessionDocument> {
    const fenced = (session: SessionDocument): SessionDocument | undefined => {
      this.#refuseLost(session);
      const changed = change(session);
      return changed === undefined ? undefined : this.#alive(changed);
    };
    return this.#inTurn(async () => {
      const last = await updateSession(this.#project, this.id, message, fenced, options);
      if (last !== undefined) this.#document = last;
      return this.#document;
    });
  }

  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const done = this.#last.then(work, work);
    this.#last = done.catch(() => undefined);
    return done;
  }

  async release(): Promise<void> {
    await updateSession(this.#project, this.id, "session is released", (session) =>
      session.lease?.token === this.token && session.lease.holder !== null
        ? this.#released(session, session.lease)
        : undefined,
    );
  }

  /** It was run until now. */
  #released(session: SessionDocument, lease: Lease): SessionDocument {
    const at = this.#now();
    return { ...session, updated_at: at, lease: releasedLease(renewedLease(lease, at)) };
  }

  #alive(session: SessionDocument): SessionDocument {
    const at = this.#now();
    return session.lease === undefined
      ? session
      : { ...session, updated_at: at, lease: renewedLease(session.lease, at) };
  }

  #now(): string {
    return this.#project.clock.now().toISOString();
  }

  #refuseLost({ id, lease }: SessionDocument): void {
    if (lease?.token === this.token && lease.holder !== null) return;
    if (lease === undefined) throw deleted(id);
    throw new Failure("lease_lost", `session ${id} is now run by another process`, {
      hint: `\`waymark session show ${id}\` shows which one. This process wrote nothing more.`,
      details: { session_id: id, token: this.token, lease: lease ?? null },
    });
  }
}

/** A session that somebody runs has a lease as long as it is there. */
function deleted(sessionId: string): Failure {
  return new Failure("session_not_found", `session ${sessionId} was deleted while it ran`, {
    hint: "Its ref, or the whole repository, is missing. Check the .git folder; `waymark help recovery` describes what can be recovered.",
    details: { session_id: sessionId },
  });
}

export function notFound(sessionId: string): Failure {
  return new Failure("session_not_found", `there is no session ${sessionId}`, {
    hint: "`waymark session list` lists the sessions.",
  });
}
