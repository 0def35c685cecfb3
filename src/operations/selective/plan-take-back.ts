/** Works out what the project would be without what one session did. Reads the project, changes nothing. */
import { comparePaths, isInside, type BytePath } from "../../domain/byte-path.ts";
import { isPlain, type CheckpointDocument, type GitSummary } from "../../domain/checkpoint.ts";
import { Failure } from "../../domain/failure.ts";
import { sameFile, type FileState } from "../../domain/file-state.ts";
import { planFiles, type FilePlan } from "../../domain/rollback-plan.ts";
import { claimsOf, type Claims, type ClaimMoment } from "../../domain/selective/claims.ts";
import {
  withoutSession,
  type FileChange,
  type KeptReason,
  type WayBack,
  type Without,
} from "../../domain/selective/replay.ts";
import { timelineOf, type TimelineMoment } from "../../domain/selective/timeline.ts";
import type { Worker } from "../../domain/selective/worker.ts";
import { wholeFile } from "../../domain/selective/whole-file.ts";
import { referredCheckpoints } from "../../domain/workflow/session-references.ts";
import type { PassedCommit } from "../../ports/differ.ts";
import type { FileHistory, SeenChange } from "../../ports/file-histories.ts";
import type { Capture, Comparison } from "../../ports/work-tree.ts";
import type { Project } from "../project.ts";
import type { SessionView } from "../session-view.ts";
import type { FoundWork } from "./find-work.ts";
import { headsOf, type HeadMoment } from "./heads-of.ts";

export interface TakeBackRequest {
  /** `lines`: others' lines in the same files stay; `paths`: only whole files that nobody else changed. */
  readonly by: "lines" | "paths";
  /** Only steps from this checkpoint on; undefined: all that are known. */
  readonly since: CheckpointDocument | undefined;
  /** Only these files and folders; null: all. */
  readonly paths: readonly BytePath[] | null;
}

export interface KeptFile {
  readonly path: BytePath;
  readonly reason: KeptReason;
}

export interface TakeBackPlan {
  readonly worker: Worker;
  readonly by: TakeBackRequest["by"];
  /** Its first step that is taken back began here. */
  readonly since: CheckpointDocument;
  readonly steps: number;
  /** What each file becomes; null: it goes. */
  readonly files: ReadonlyMap<BytePath, FileState | null>;
  readonly filePlan: FilePlan;
  /** Of these files, those in which others' changes stay. */
  readonly merged: readonly BytePath[];
  /** Files that it changed and that stay as they are. */
  readonly kept: readonly KeptFile[];
  /** Commits made while it was working: they are kept. */
  readonly commits: readonly PassedCommit[];
}

export async function planTakeBack(
  project: Project,
  view: Pick<SessionView, "documents" | "sessions">,
  found: FoundWork,
  request: TakeBackRequest,
  now: { readonly capture: Capture; readonly history: FileHistory },
): Promise<TakeBackPlan> {
  return new Planning(project, view, found, request, now).run();
}

/** Later than all moments that were. */
const NOW = "9999";

class Planning {
  readonly #project: Project;
  readonly #view: Pick<SessionView, "documents" | "sessions">;
  readonly #found: FoundWork;
  readonly #request: TakeBackRequest;
  readonly #capture: Capture;
  readonly #history: FileHistory;
  readonly #timeline: readonly TimelineMoment[];

  constructor(
    project: Project,
    view: Pick<SessionView, "documents" | "sessions">,
    found: FoundWork,
    request: TakeBackRequest,
    { capture, history }: { readonly capture: Capture; readonly history: FileHistory },
  ) {
    this.#project = project;
    this.#view = view;
    this.#found = found;
    this.#request = request;
    this.#capture = capture;
    this.#history = history;
    const sessions = [...view.sessions.values()];
    // Before that, what a rollback did could be taken for what somebody wrote.
    const forgotten = sessions.reduce(
      (latest, { history_after = "" }) => (history_after > latest ? history_after : latest),
      "",
    );
    this.#timeline = timelineOf({
      documents: view.documents.filter(
        ({ id, created_at }) => !project.checkpoints.isForeign(id) && created_at > forgotten,
      ),
      worktreeId: project.workTree.id,
      rollbacks: sessions.flatMap((session) => session.history),
      isPlain: isPlain(capture.git),
    });
  }

  async run(): Promise<TakeBackPlan> {
    const { worker } = this.#found;
    const moments = await this.#moments();
    const since = this.#sinceIndex(this.#claims(moments, null));
    // Who has yet to write what they named, at the beginning, is known from all that was before it.
    const changes = await this.#changes();
    const claims = this.#claims(
      moments,
      (index) => new Set(changes.get(index)?.map(({ path }) => path)),
    );
    const results = await this.#without(since, changes, claims);
    const wanted = new Map<BytePath, FileState | null>();
    const merged: BytePath[] = [];
    const kept: KeptFile[] = [];
    for (const [path, { without, first, last }] of results) {
      if (without.kind === "kept") kept.push({ path, reason: without.reason });
      else if (last !== "unknown" && !sameFile(without.file, last)) {
        wanted.set(path, without.file);
        if (first !== "unknown" && !sameFile(without.file, first)) merged.push(path);
      }
    }
    const document = this.#timeline[since]?.document;
    if (document === undefined) throw new Error("a step begins at a checkpoint");
    const hindered = await this.#hindered(wanted, results, document);
    for (const { path } of hindered) wanted.delete(path);
    const steps = claims
      .slice(since)
      .reduce((sum, { begun }) => sum + (begun.get(worker.id) ?? 0), 0);
    return {
      worker,
      by: this.#request.by,
      since: document,
      steps,
      files: wanted,
      filePlan: this.#filePlan(wanted, results),
      merged: merged.filter((path) => wanted.has(path)).toSorted(comparePaths),
      kept: [...kept, ...hindered].toSorted((left, right) => comparePaths(left.path, right.path)),
      commits: await this.#commits(since, claims),
    };
  }

  async #moments(): Promise<ClaimMoment[]> {
    const { differ } = this.#project;
    const heads = await headsOf(
      [
        ...this.#timeline.map(({ document, at }) => ({ ...headOf(document.git), at })),
        { ...headOf(this.#capture.git), at: NOW },
      ],
      differ,
    );
    const runs = this.#runs();
    return [
      ...this.#timeline.map(({ document, at, isArrival }, index) => ({
        id: document.id,
        at,
        content: document.content_hash,
        head: heads[index] ?? null,
        workflow: this.#workflowOf(document),
        trigger: document.trigger,
        phase: document.phase,
        process: processOf(document),
        isRun: runs.has(processOf(document)),
        isArrival,
        takenFor: takenFor(document),
      })),
      {
        id: "",
        at: NOW,
        content: "",
        head: heads.at(-1) ?? null,
        workflow: null,
        trigger: null,
        phase: null,
        process: "",
        isRun: false,
        isArrival: false,
        takenFor: null,
      },
    ];
  }

  /** Processes that ran something: the session knows checkpoints of theirs as those of its phases. */
  #runs(): Set<string> {
    const known = new Set(
      [...this.#view.sessions.values()].flatMap((session) => {
        // What holds its state may be taken by anybody.
        const { state: _, ...rest } = session;
        return [...referredCheckpoints(rest)];
      }),
    );
    return new Set(
      this.#timeline.flatMap(({ document }) =>
        known.has(document.id) ? [processOf(document)] : [],
      ),
    );
  }

  /** What hooks take for agents says nothing about how far a workflow has come. */
  #workflowOf({ session_id, created_by }: CheckpointDocument): string | null {
    const isWorkflow = this.#view.sessions.get(session_id)?.implicit === false;
    return isWorkflow && created_by.agent_session_id === null ? session_id : null;
  }

  #claims(
    moments: readonly ClaimMoment[],
    changedFrom: ((index: number) => ReadonlySet<BytePath>) | null,
  ): Claims[] {
    const { worker, steps } = this.#found;
    const workflow = worker.agent === null ? worker.id : null;
    return claimsOf(moments, steps, changedFrom, workflow, {
      goesOn: (id, since) => this.#goesOn(id, since),
      isPaused: (id, from, to) => this.#isPaused(id, from, to),
    });
  }

  /** Whoever runs it is still there, or nobody of whom we know has run it since: what was run before says nothing about it. */
  #goesOn(session: string, since: number): boolean {
    const lease = this.#view.sessions.get(session)?.lease;
    const begun = this.#timeline[since];
    if (lease === undefined || begun === undefined) return true;
    const { holder, renewed_at } = lease;
    if (holder !== null && this.#project.liveness.lifeOf(holder) === "alive") return true;
    const { host, pid } = begun.document.created_by;
    const isOfIt = holder?.host === host && holder.pid === pid;
    return !isOfIt && (renewed_at ?? "") < begun.at;
  }

  #isPaused(session: string, from: number, to: number): boolean {
    const start = this.#timeline[from]?.at ?? "";
    const end = this.#timeline[to]?.at ?? NOW;
    return (this.#view.sessions.get(session)?.events ?? []).some(
      ({ kind, at, details }) =>
        kind === "session" && details?.["became"] === "paused" && at >= start && at <= end,
    );
  }

  /** The moment at which its first step begins that is to be taken back. */
  #sinceIndex(claims: readonly Claims[]): number {
    const { worker } = this.#found;
    const from = this.#requestedFrom();
    const index = claims.findIndex(
      ({ begun, atWork }, at) => at >= from && (begun.has(worker.id) || atWork.includes(worker.id)),
    );
    if (index >= 0) return index;
    const { since } = this.#request;
    const after = since === undefined ? "" : ` from ${since.id} on`;
    throw new Failure(
      "checkpoint_not_found",
      `no step of ${worker.id}${after} can be reverted: the state before it is unknown`,
      {
        hint:
          (since === undefined
            ? "The checkpoints of its first steps were deleted; `retention.tool_use` says how many are kept. "
            : "Name an earlier checkpoint, or omit it to revert all steps. ") +
          "`waymark list --all` shows what else can be rolled back to. Nothing was changed.",
      },
    );
  }

  #requestedFrom(): number {
    const { since } = this.#request;
    if (since === undefined) return 0;
    const index = this.#timeline.findIndex(({ document }) => document.id === since.id);
    if (index >= 0) return index;
    const why =
      since.worktree_id !== this.#project.workTree.id
        ? "it is of another work tree"
        : (since.scope?.files ?? null) === null
          ? "the project was never in this state"
          : "it is limited to some files";
    throw new Failure("usage", `${since.id} does not show who changed what: ${why}`, {
      hint: "Name another checkpoint, or omit it to revert all steps of the session. Nothing was changed.",
    });
  }

  /** As far back as rollbacks went since: what they brought back was written before. */
  #chainStart(since: number): number {
    let start = since;
    for (const [index, { next }] of [...this.#timeline.entries()].toReversed()) {
      if (index >= since && next?.kind === "rollback") start = Math.min(start, next.to);
    }
    return start;
  }

  /** By moment, what changed from it to the next. */
  async #changes(): Promise<Map<number, SeenChange[]>> {
    const found = new Map<number, SeenChange[]>();
    const count = this.#timeline.length;
    const task = this.#project.progress.begin("comparing changes", {
      items: count,
      bytes: 0,
    });
    try {
      for (const [index, { document }] of this.#timeline.entries()) {
        const after = this.#timeline[index + 1]?.document;
        found.set(index, await this.#history.changes(document, after));
        task.advance(1, 0);
      }
    } finally {
      task.end();
    }
    return found;
  }

  async #without(
    since: number,
    all: ReadonlyMap<number, readonly SeenChange[]>,
    claims: readonly Claims[],
  ): Promise<Map<BytePath, PathResult>> {
    const byPath = new Map<BytePath, FileChange[]>();
    const start = this.#chainStart(since);
    for (const [from, changes] of all) {
      if (from < start) continue;
      for (const { path, before, after } of changes) {
        const by = from < since ? "others" : this.#byWhom(from, path, claims);
        const list = byPath.get(path) ?? [];
        list.push({ from, before, after, by });
        byPath.set(path, list);
      }
    }
    const waysBack = this.#timeline.flatMap(({ next }, from): WayBack[] =>
      next?.kind === "rollback" ? [{ from, to: next.to, isWhole: next.isWhole }] : [],
    );
    const results = new Map<BytePath, PathResult>();
    for (const [path, changes] of byPath) {
      const isAsked = changes.some(({ by }) => by !== "others") && this.#isWanted(path);
      const [first] = changes;
      const last = changes.at(-1);
      if (!isAsked || first === undefined || last === undefined) continue;
      const atStart = changes.find(({ from }) => from >= since) ?? first;
      const without =
        this.#request.by === "lines"
          ? await withoutSession(changes, waysBack, (ours, base, theirs) =>
              this.#history.merge(ours, base, theirs),
            )
          : wholeFile(
              changes.filter(({ from }) => from >= since),
              waysBack,
            );
      results.set(path, { without, first: atStart.before, last: last.after });
    }
    return results;
  }

  #byWhom(from: number, path: BytePath, claims: readonly Claims[]): FileChange["by"] {
    const { worker } = this.#found;
    const next = this.#timeline[from]?.next;
    if (next?.kind === "written_for") return next.session === worker.id ? "session" : "others";
    if (next?.isWhole === true) return "others";
    const owner = claims[from]?.ownerOf(path);
    if (owner?.kind === "unsure") return owner.sessions.includes(worker.id) ? owner.why : "others";
    return owner?.kind === "one" && owner.session === worker.id ? "session" : "others";
  }

  #isWanted(path: BytePath): boolean {
    const { paths } = this.#request;
    return paths === null || paths.some((part) => isInside(path, part));
  }

  /** Files that cannot be taken back because of what is there now, or that git ignores. */
  async #hindered(
    wanted: ReadonlyMap<BytePath, FileState | null>,
    results: ReadonlyMap<BytePath, PathResult>,
    since: CheckpointDocument,
  ): Promise<KeptFile[]> {
    const removed = [...wanted].flatMap(([path, file]) => (file === null ? [path] : []));
    const comparison = await this.#project.workTree.compare(this.#capture, since);
    const ignored = await comparison.protect(removed);
    const going = new Set(removed.filter((path) => !ignored.has(path)));
    const coming = [...wanted].flatMap(([path, file]) =>
      file !== null && results.get(path)?.last === null ? [path] : [],
    );
    const taken = await this.#history.taken(coming, going);
    const hindered = new Set([...ignored.keys(), ...taken]);
    const goes = [...wanted.keys()].filter((path) => !hindered.has(path));
    return [
      ...[...ignored.keys()].map((path) => ({ path, reason: "ignored" as const })),
      ...[...taken, ...apartFromTheirLogs(comparison, goes)].map((path) => ({
        path,
        reason: "in_the_way" as const,
      })),
    ];
  }

  #filePlan(
    wanted: ReadonlyMap<BytePath, FileState | null>,
    results: ReadonlyMap<BytePath, PathResult>,
  ): FilePlan {
    return planFiles({
      changes: [...wanted].map(([path, target]) => {
        const now = results.get(path)?.last;
        return { path, before: now === undefined || now === "unknown" ? null : now, target };
      }),
      unknownAtTarget: () => undefined,
      protectedFromRemoval: new Map(),
      emptyFolders: { before: new Map(), target: new Map() },
      folderAtTarget: () => true,
      inScope: () => true,
    });
  }

  /** Newest first. */
  async #commits(since: number, claims: readonly Claims[]): Promise<PassedCommit[]> {
    const { worker } = this.#found;
    const found: PassedCommit[] = [];
    for (let index = since; index < this.#timeline.length; index++) {
      if (claims[index]?.atWork.includes(worker.id) !== true) continue;
      const from = this.#timeline[index]?.document.git.commit ?? null;
      const next = this.#timeline[index + 1]?.document;
      const to = next === undefined ? this.#capture.git.commit : next.git.commit;
      const { gained } = await this.#project.differ.commits(from, to);
      found.unshift(...gained);
    }
    return found;
  }
}

/** A SQLite file goes with its log or stays with it: SQLite plays the log into whatever file is there. */
function apartFromTheirLogs(comparison: Comparison, paths: readonly BytePath[]): BytePath[] {
  const going = new Set(paths);
  for (;;) {
    const logged = [...going].filter((path) =>
      comparison.logsBeside([path]).some((log) => !going.has(log)),
    );
    const apart = [...logged, ...comparison.logsWithoutFile([...going]).keys()];
    if (apart.length === 0) return paths.filter((path) => !going.has(path));
    for (const path of apart) going.delete(path);
  }
}

function headOf({ branch, commit }: GitSummary): Pick<HeadMoment, "branch" | "commit"> {
  return { branch, commit };
}

function processOf({ created_by: { host, pid } }: CheckpointDocument): string {
  return JSON.stringify([host, pid]);
}

function takenFor({ created_by }: CheckpointDocument): ClaimMoment["takenFor"] {
  const { agent_session_id: session, turn = null, moment } = created_by;
  return session === null || moment === undefined ? null : { session, turn, moment };
}

interface PathResult {
  readonly without: Without;
  /** What was there before its first step, and what is there now. */
  readonly first: FileChange["before"];
  readonly last: FileChange["after"];
}
