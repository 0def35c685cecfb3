/**
 * Commits of the user that checkpoints build on. What is old is borrowed: `refs/waymark/keep/<n>` in the project point at commits that are
 * published and, where nothing is, at what HEAD stood on when the store was made, so that git keeps them. Every younger commit is copied, so
 * a mirror or bundle of the project carries nothing that the user has dropped.
 *
 * A keep ref that is missing is created again. One that points elsewhere was rewritten together with the history: then the old commits are
 * gone on purpose and stay so.
 */
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Failure } from "../../../domain/failure.ts";
import { isPartialClone } from "../capture/trusted-objects.ts";
import type { Quarantine } from "../quarantine.ts";
import { KEEP_REFS } from "../ref-names.ts";
import type { RefChange } from "../ref-transaction.ts";
import { refValues } from "../ref-values.ts";
import type { Repository } from "../repository.ts";
import { runGit } from "../run-git.ts";
import { updateRefs } from "../update-refs.ts";
import {
  areKept,
  basesPath,
  contentOf,
  cutsOf,
  hasAlternates,
  KEEP_REF,
  keepRefs,
  lockBases,
  readBases,
  writeBases,
  type Bases,
} from "./bases.ts";
import { copyObjects, userTips } from "./copy-objects.ts";
import { withoutBorrowing } from "./store-place.ts";

/** Git looks at each commit that it is told to be known; a second copy of an object harms nobody. */
const MAX_KNOWN = 100;
/** More refs than these are reduced to those that reach the others: each is a file that the user's git reads. */
const MAX_KEEP_REFS = 8;
/** A history that the user dropped is copied up to so many commits; beyond that, the project goes on keeping it. */
const MAX_DROPPED = 1000;

export interface Protected {
  /** Those that are not there as a whole: git may be pruning them. */
  readonly lost: readonly string[];
  /** For the user. */
  readonly notes: readonly string[];
}

/** Sees to it that the whole history of these commits outlives whatever the user does to the project. */
export async function protectCommits(
  store: Repository,
  quarantine: Quarantine,
  { head, others }: { readonly head: string | undefined; readonly others: readonly string[] },
): Promise<Protected> {
  const wanted = [...(head === undefined ? [] : [head]), ...others];
  if (store.isPlain || wanted.length === 0) return { lost: [], notes: [] };
  const known = readBases(store);
  const isKnown = wanted.every((commit) => known.stored.includes(commit));
  if (isKnown && (await areKept(store, known))) return { lost: [], notes: [] };
  // From here on nothing is removed from the store that this process may rely on.
  quarantine.path("copy");
  const lock = await lockBases(store);
  try {
    const protection = new Protection(store, quarantine);
    await protection.mend();
    return { lost: await protection.add(head, others), notes: protection.notes };
  } finally {
    lock.release();
  }
}

/** For commands that change something: what keeps the borrowed commits is put back where it was lost. */
export async function mendBases(
  store: Repository,
  quarantine: Quarantine,
): Promise<readonly string[]> {
  const lock = await lockBases(store);
  try {
    const protection = new Protection(store, quarantine);
    await protection.mend();
    return protection.notes;
  } finally {
    lock.release();
  }
}

/**
 * For commits that must not be kept any longer: what the rest of the store needs of their history is borrowed by itself. The refs stay;
 * they may go when the store was packed without them.
 */
export async function stopBorrowing(
  store: Repository,
  quarantine: Quarantine,
  refs: readonly string[],
): Promise<void> {
  const lock = await lockBases(store);
  try {
    await new Protection(store, quarantine).stopBorrowing(new Set(refs));
  } finally {
    lock.release();
  }
}

interface Comparison {
  /** Neither published nor known to the store. */
  readonly young: readonly string[];
  /** Where that begins. */
  readonly edges: readonly string[];
  /** Those of the edges, or the commit itself, that are published and not yet borrowed. */
  readonly published: readonly string[];
}

class Protection {
  readonly notes: string[] = [];
  readonly #store: Repository;
  readonly #quarantine: Quarantine;
  #bases: Bases;
  #publishedTips: readonly string[] | undefined;
  /** Where what is young begins. */
  readonly #edges = new Set<string>();

  constructor(store: Repository, quarantine: Quarantine) {
    this.#store = store;
    this.#quarantine = quarantine;
    this.#bases = readBases(store);
  }

  get #copiesAll(): boolean {
    return this.#bases.owns === true || hasAlternates(this.#store.project);
  }

  /** Puts back what was lost, and follows changes of where the history ends and of where objects are. */
  async mend(): Promise<void> {
    if (!existsSync(basesPath(this.#store))) await this.#adoptKeepRefs();
    await this.#putBack();
    const cuts = cutsOf(this.#store.project);
    if (cuts !== this.#bases.cuts) {
      shareShallow(this.#store);
      // A commit that was reached through another one may be cut off from it by now.
      const borrowed = await notInStore(this.#store, this.#quarantine, this.#bases.stored);
      await this.#borrow(borrowed);
      this.#save({ cuts });
    }
    const kept = Object.values(this.#bases.borrowed);
    // Objects that the project itself borrows are not its own to keep.
    if (kept.length > 0 && hasAlternates(this.#store.project) && (await this.#copy(kept, []))) {
      await this.#release(Object.keys(this.#bases.borrowed));
    }
  }

  async add(head: string | undefined, others: readonly string[]): Promise<readonly string[]> {
    const last = this.#bases.stored.at(-1);
    const lost: string[] = [];
    if (head !== undefined && !(await this.#add([head], true))) lost.push(head);
    if (!(await this.#add(others, false))) {
      for (const commit of others) if (!(await this.#add([commit], false))) lost.push(commit);
    }
    // A commit on top of the last one has dropped nothing.
    const isOnTop = last === undefined || head === last || this.#edges.has(last);
    if (head !== undefined && !isOnTop) await this.#copyDropped();
    await this.#reduce();
    return lost;
  }

  async stopBorrowing(refs: ReadonlySet<string>): Promise<void> {
    const entries = Object.entries(this.#bases.borrowed);
    const [going, staying] = [true, false].map((isGoing) =>
      entries.flatMap(([ref, commit]) => (refs.has(ref) === isGoing ? [commit] : [])),
    ) as [string[], string[]];
    const { stdout } = await runGit(this.#store, ["for-each-ref", "--format=%(parent)"]);
    const needed = [...new Set(stdout.toString("latin1").split(/\s+/).filter(Boolean))];
    const lines = await revList(this.#store, ["--boundary"], needed, going);
    const isYoung = new Set(lines);
    const edges = lines?.flatMap((line) => (line.startsWith("-") ? [line.slice(1)] : [])) ?? [];
    // Where it cannot be told, packing copies all of it.
    const heads =
      lines === undefined ? [] : [...needed.filter((oid) => !isYoung.has(oid)), ...edges];
    const beyond = new Set(await revList(this.#store, [], heads, staying));
    await this.#borrow([...new Set(heads.filter((oid) => beyond.has(oid)))]);
    const { borrowed } = this.#bases;
    const rest = Object.entries(borrowed).filter(([ref]) => !refs.has(ref));
    this.#save({ borrowed: Object.fromEntries(rest) });
    await this.#reduce();
  }

  /** False: git has not all of them. */
  async #add(given: readonly string[], isHead: boolean): Promise<boolean> {
    const known = new Set(this.#bases.stored);
    const commits = given.filter((commit) => !known.has(commit));
    if (commits.length === 0) return true;
    if (isHead && !this.#copiesAll) await this.#borrowFirst(commits);
    const isProtected = await this.#protect(commits, await this.#compare(commits, true));
    // Where something of HEAD is missing or damaged, git at least keeps what is left of it. Anything else git may be pruning.
    if (!isProtected && !(isHead && (await this.#borrow(commits)))) return false;
    this.#save({ stored: [...this.#bases.stored, ...commits] });
    return true;
  }

  /**
   * A store that knows nothing yet borrows what HEAD stands on. HEAD itself is copied, as it may be amended, unless it is all that there
   * is. What is published is found by comparison.
   */
  async #borrowFirst(head: readonly string[]): Promise<void> {
    const hasNone = Object.keys(this.#bases.borrowed).length + this.#bases.stored.length === 0;
    if (!hasNone) return;
    // What was never fetched cannot be copied.
    if (isPartialClone(this.#store.project)) {
      await this.#borrow(head);
      return;
    }
    if ((await this.#published()).length > 0) return;
    const lines = await revList(this.#store, ["--no-walk", "--parents"], head, []);
    const parents = lines?.flatMap((line) => line.split(" ").slice(1)) ?? [];
    await this.#borrow(parents.length > 0 ? parents : head);
  }

  async #protect(commits: readonly string[], found: Comparison | undefined): Promise<boolean> {
    if (found === undefined) return false;
    const { young, edges, published } = found;
    if (await this.#borrow(published)) return young.length === 0 || this.#copy(commits, edges);
    // The project takes no refs of ours.
    const all = await this.#compare(commits, false);
    return all !== undefined && (all.young.length === 0 || this.#copy(commits, all.edges));
  }

  /** Undefined: a commit on the way is missing. */
  async #compare(commits: readonly string[], borrows: boolean): Promise<Comparison | undefined> {
    const known = [...Object.values(this.#bases.borrowed), ...this.#bases.stored.slice(-MAX_KNOWN)];
    const tips = borrows && !this.#copiesAll ? await this.#published() : [];
    const lines = await revList(this.#store, ["--boundary"], commits, [...known, ...tips]);
    if (lines === undefined) return undefined;
    const young = lines.filter((line) => !line.startsWith("-"));
    const edges = lines.flatMap((line) => (line.startsWith("-") ? [line.slice(1)] : []));
    for (const edge of edges) this.#edges.add(edge);
    const isYoung = new Set(young);
    // Git prints no edge for a commit of which nothing is young.
    const begins = [...new Set([...commits.filter((commit) => !isYoung.has(commit)), ...edges])];
    if (tips.length === 0) return { young, edges, published: [] };
    const beyond = await revList(this.#store, [], begins, known);
    if (beyond === undefined) return undefined;
    const isBeyond = new Set(beyond);
    return { young, edges, published: begins.filter((edge) => isBeyond.has(edge)) };
  }

  async #published(): Promise<readonly string[]> {
    const { project } = this.#store;
    const { commonDir } = project;
    const mayHave =
      existsSync(join(commonDir, "refs/remotes")) ||
      existsSync(join(commonDir, "reftable")) ||
      contentOf(join(commonDir, "packed-refs")).includes(" refs/remotes/");
    const refs = mayHave ? await refValues(project, "refs/remotes") : new Map<string, string>();
    this.#publishedTips ??= [...new Set(refs.values())];
    return this.#publishedTips;
  }

  #copy(commits: readonly string[], edges: readonly string[]): Promise<boolean> {
    return copyObjects({
      from: this.#store,
      to: this.#store,
      quarantine: this.#quarantine,
      objects: [...commits, ...edges.map((edge) => `^${edge}`)],
      revs: true,
    });
  }

  /** False where the project takes no refs of ours. */
  async #borrow(commits: readonly string[]): Promise<boolean> {
    if (commits.length === 0) return true;
    const refs = await keepRefs(this.#store.project);
    const recorded = this.#bases.borrowed;
    // A killed process may have left one.
    const left = new Map(
      [...refs].flatMap(([name, oid]) => (name in recorded ? [] : [[oid, name]])),
    );
    const names = [...refs.keys(), ...Object.keys(recorded)];
    let number = Math.max(0, ...names.map((name) => Number(name.slice(KEEP_REFS.length + 1)) || 0));
    const changes = commits.map((commit): RefChange => {
      const name = left.get(commit);
      if (name !== undefined) return { name, old: commit, new: commit };
      number += 1;
      return { name: `${KEEP_REFS}/${number}`, old: undefined, new: commit };
    });
    if (!(await this.#change(changes))) return false;
    const added = changes.flatMap(({ name, new: commit }) => (commit ? [[name, commit]] : []));
    this.#save({ borrowed: { ...this.#bases.borrowed, ...Object.fromEntries(added) } });
    return true;
  }

  async #change(changes: readonly RefChange[]): Promise<boolean> {
    try {
      return await updateRefs(this.#store.project, changes, { durability: "safe", noReflog: true });
    } catch (error) {
      if (error instanceof Failure) return false;
      throw error;
    }
  }

  /** First the record, then the refs: a ref that is not recorded is only one too many. */
  async #release(names: readonly string[]): Promise<void> {
    const refs = await keepRefs(this.#store.project);
    const gone = new Set(names);
    const staying = Object.entries(this.#bases.borrowed).filter(([name]) => !gone.has(name));
    this.#save({ borrowed: Object.fromEntries(staying) });
    const changes = names.flatMap((name): RefChange[] => {
      const old = refs.get(name);
      return old === undefined ? [] : [{ name, old, new: undefined }];
    });
    if (changes.length > 0) await this.#change(changes);
  }

  /** The record was lost: what is kept is all that is known. */
  async #adoptKeepRefs(): Promise<void> {
    const refs = [...(await keepRefs(this.#store.project))].filter(([name]) => KEEP_REF.test(name));
    if (refs.length > 0) this.#save({ borrowed: Object.fromEntries(refs) });
  }

  async #putBack(): Promise<void> {
    const entries = Object.entries(this.#bases.borrowed);
    if (entries.length === 0) return;
    const refs = await keepRefs(this.#store.project);
    const missing = entries.filter(([name]) => !refs.has(name));
    const moved = entries.filter(([name, commit]) => refs.has(name) && refs.get(name) !== commit);
    if (missing.length + moved.length === 0) return;
    const present = await existing(
      this.#store.project,
      missing.map(([, commit]) => commit),
    );
    const isRewritten = rewrittenCommits(this.#store.project);
    const back = missing.filter(([, commit]) => present.has(commit) && !isRewritten(commit));
    const gone = [...moved, ...missing.filter((entry) => !back.includes(entry))];
    if (back.length > 0) {
      await this.#change(back.map(([name, commit]) => ({ name, old: undefined, new: commit })));
      this.notes.push("a ref below refs/waymark/keep was lost; it was created again");
    }
    if (gone.length === 0) return;
    const commits = gone.map(([, commit]) => commit);
    await this.#release(gone.map(([name]) => name));
    this.#save({ stored: [], rewritten: [...(this.#bases.rewritten ?? []), ...commits] });
    this.notes.push(
      "the history of this repository was rewritten; `waymark validate` names the checkpoints that were damaged by it, `waymark purge` " +
        "removes content for good, and `waymark store own` before the next rewrite keeps checkpoints whole",
    );
  }

  /** What no ref of the user reaches any more moves into the store, so that nobody gets it with the project. */
  async #copyDropped(): Promise<void> {
    const { borrowed } = this.#bases;
    const tips = await userTips(this.#store.project);
    const limit = ["--boundary", `--max-count=${MAX_DROPPED + 1}`];
    const lines = await revList(this.#store, limit, Object.values(borrowed), tips);
    const dropped = new Set(lines?.filter((line) => !line.startsWith("-")));
    if (lines === undefined || dropped.size === 0 || dropped.size > MAX_DROPPED) return;
    const edges = lines.flatMap((line) => (line.startsWith("-") ? [line.slice(1)] : []));
    const names = Object.keys(borrowed).filter((name) => dropped.has(borrowed[name] ?? ""));
    const commits = names.flatMap((name) => borrowed[name] ?? []);
    if (!(await this.#copy(commits, edges)) || !(await this.#borrow(edges))) return;
    await this.#release(names);
  }

  /** Only where nothing cuts the history: otherwise one commit does not keep another. */
  async #reduce(): Promise<void> {
    const { borrowed, cuts } = this.#bases;
    const commits = [...new Set(Object.values(borrowed))];
    if (Object.keys(borrowed).length <= MAX_KEEP_REFS || cuts !== "") return;
    const args = ["merge-base", "--independent", ...commits];
    const { exitCode, stdout } = await runGit(this.#store, args, { accept: [0, 1, 128] });
    if (exitCode !== 0) return;
    const staying = new Set(stdout.toString("latin1").split("\n"));
    const names = Object.keys(borrowed).filter((name) => !staying.delete(borrowed[name] ?? ""));
    await this.#release(names);
  }

  #save(change: Partial<Bases>): void {
    this.#bases = { ...this.#bases, ...change };
    writeBases(this.#store, this.#bases);
  }
}

/** Undefined: something on the way is missing. What is in the second list may be, as after a rewrite. */
async function revList(
  store: Repository,
  args: readonly string[],
  from: readonly string[],
  without: readonly string[],
): Promise<string[] | undefined> {
  const found = await revListOf(store, args, from, without);
  if (found !== undefined) return found;
  const there = await existing(store, without);
  if (there.size === new Set(without).size) return undefined;
  return revListOf(store, args, from, [...there]);
}

async function revListOf(
  store: Repository,
  args: readonly string[],
  from: readonly string[],
  without: readonly string[],
): Promise<string[] | undefined> {
  if (from.length === 0) return [];
  const input = [...from, ...without.map((oid) => `^${oid}`)].map((line) => `${line}\n`).join("");
  const all = ["rev-list", ...args, "--stdin"];
  const { exitCode, stdout } = await runGit(store, all, { input, accept: [0, 128] });
  return exitCode === 0 ? stdout.toString("latin1").split("\n").filter(Boolean) : undefined;
}

export async function existing(
  place: Repository,
  commits: readonly string[],
): Promise<Set<string>> {
  const input = commits.map((oid) => `${oid}\n`).join("");
  const args = ["cat-file", "--batch-check=%(objectname) %(objecttype)"];
  const { stdout } = await runGit(place, args, { input });
  const lines = stdout.toString("latin1").split("\n");
  return new Set(
    lines.flatMap((line) => (line.endsWith(" commit") ? [line.split(" ")[0] ?? ""] : [])),
  );
}

/** Those of some commits that the store borrows. */
async function notInStore(
  store: Repository,
  quarantine: Quarantine,
  commits: readonly string[],
): Promise<string[]> {
  if (commits.length === 0) return [];
  const own = await existing(withoutBorrowing(store, quarantine.path("alone")), commits);
  const there = await existing(store.project, commits);
  return commits.filter((oid) => !own.has(oid) && there.has(oid));
}

/** What the project was ever cut off at, the store is too: its older checkpoints may begin there. */
function shareShallow(store: Repository): void {
  const path = join(store.commonDir, "shallow");
  const texts = [path, join(store.project.commonDir, "shallow")].map(contentOf);
  const lines = new Set(texts.flatMap((text) => text.split("\n")).filter(Boolean));
  if (lines.size > 0) writeFileSync(path, `${[...lines].join("\n")}\n`);
}

/** By what git filter-repo leaves. */
function rewrittenCommits({ commonDir }: Repository): (commit: string) => boolean {
  const path = join(commonDir, "filter-repo", "commit-map");
  const text = existsSync(path) ? contentOf(path) : "";
  return (commit) => text.includes(`${commit} `);
}
