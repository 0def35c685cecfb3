/** The Storage port. */
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { NO_SIZE_LIMIT } from "../../../domain/archive.ts";
import { Failure } from "../../../domain/failure.ts";
import type { ProjectHolders, PurgeTarget } from "../../../domain/purge.ts";
import type { Erasure, Holders, Ownership, Storage, StorageFacts } from "../../../ports/storage.ts";
import { SILENT, type Progress } from "../../../ports/progress.ts";
import { exportsFolder } from "../archive/export-place.ts";
import { quarantinePack } from "../archive/quarantined-pack.ts";
import { ObjectReader } from "../object-reader.ts";
import { Quarantine } from "../quarantine.ts";
import {
  checkpointRef,
  CHECKPOINT_REFS,
  idOfRef,
  LOCAL_REFS,
  OWN_REFS,
  SESSION_REFS,
  TAG_REFS,
  TRASH_REFS,
  trashRef,
} from "../ref-names.ts";
import { refValues } from "../ref-values.ts";
import type { RefChange } from "../ref-transaction.ts";
import type { Repository } from "../repository.ts";
import { runGit } from "../run-git.ts";
import { updateRefs } from "../update-refs.ts";
import { keepRefs } from "./bases.ts";
import { stopBorrowing } from "./protect-commits.ts";
import { findHolders } from "./find-holders.ts";
import { dropKeepRefs, ownObjects, ownsObjects } from "./own-objects.ts";
import { pruneStore, storeSize } from "./packs.ts";
import { isStore, withoutBorrowing } from "./store-place.ts";

/** Refs that belong to a checkpoint have its id as their last word. */
const OF_CHECKPOINTS = [CHECKPOINT_REFS, TRASH_REFS, LOCAL_REFS];

export class GitStorage implements Storage {
  readonly #project: Repository;
  readonly #reader: ObjectReader;

  constructor(repository: Repository, reader: ObjectReader) {
    this.#project = repository;
    this.#reader = reader;
  }

  get #store(): Repository {
    const { store } = this.#project;
    if (isStore(store)) return store;
    throw new Failure("file_not_found", "there is no store yet: no checkpoint was created here", {
      hint: "`waymark create` creates it with the first checkpoint.",
    });
  }

  async describe(): Promise<StorageFacts> {
    const store = this.#store;
    const { count, bytes } = storeSize(store);
    const names = [...(await refValues(store, OWN_REFS)).keys()];
    const below = (folder: string): number =>
      names.filter((name) => name.startsWith(`${folder}/`)).length;
    const kept = store.isPlain ? new Map<string, string>() : await keepRefs(this.#project);
    return {
      path: store.commonDir,
      bytes,
      packs: count,
      checkpoints: below(CHECKPOINT_REFS),
      deleted: below(TRASH_REFS),
      sessions: below(SESSION_REFS),
      borrows: !ownsObjects(store),
      borrowed: [...kept].map(([ref, commit]) => ({ ref, commit })),
    };
  }

  own(progress: Progress): Promise<Ownership> {
    return ownObjects(this.#store, progress);
  }

  async objectNamed(text: string): Promise<PurgeTarget | undefined> {
    for (const place of [this.#project, this.#store]) {
      const named = await oneLine(place, ["rev-parse", "-q", "--verify", "--end-of-options", text]);
      // A tag is not what anyone wants to be rid of. Peeled by its id: git reads `REV:FILE^{}` as something else.
      const oid = named && (await oneLine(place, ["rev-parse", "-q", "--verify", `${named}^{}`]));
      const type = oid && (await oneLine(place, ["cat-file", "-t", oid]));
      if (type === "commit" || type === "blob" || type === "tree") return { kind: type, oid };
    }
    return undefined;
  }

  async holders(target: PurgeTarget, progress: Progress): Promise<Holders> {
    const task = progress.begin("searching checkpoints");
    try {
      return await this.#holders(target);
    } finally {
      task.end();
    }
  }

  async #holders(target: PurgeTarget): Promise<Holders> {
    const store = this.#store;
    const kept = store.isPlain ? new Map<string, string>() : await keepRefs(this.#project);
    const tips = new Map([...(await refValues(store, OWN_REFS)), ...kept]);
    const found = await findHolders({ repository: store, reader: this.#reader }, target, tips);
    const objects = new Set(found.objects);
    const project = await this.#projectHolders(target, objects);
    const names = [...found.holders];
    const inFolder = (name: string, folder: string): boolean => name.startsWith(`${folder}/`);
    // A local half that has outlived its checkpoint is removed by itself.
    const hasCheckpoint = (name: string): boolean =>
      [checkpointRef, trashRef].some((ref) => tips.has(ref(idOfRef(name))));
    const isOfCheckpoint = (name: string): boolean =>
      OF_CHECKPOINTS.some((folder) => inFolder(name, folder)) && hasCheckpoint(name);
    const idsOf = (chosen: readonly string[]): string[] => [...new Set(chosen.map(idOfRef))];
    const exported = await this.#exports([...objects]);
    return {
      checkpoints: idsOf(names.filter(isOfCheckpoint)),
      sessions: idsOf(names.filter((name) => inFolder(name, SESSION_REFS))),
      otherRefs: names.filter(
        (name) => !isOfCheckpoint(name) && !inFolder(name, SESSION_REFS) && !kept.has(name),
      ),
      exports: exported.holding,
      unsearched: [...found.unsearched, ...exported.unsearched],
      borrowed: [...kept].flatMap(([ref, commit]) =>
        found.holders.has(ref) ? [{ ref, commit }] : [],
      ),
      objects: [...objects],
      project,
    };
  }

  /** Adds the contents that a path has had in the history of the user. */
  async #projectHolders(target: PurgeTarget, objects: Set<string>): Promise<ProjectHolders> {
    const project = this.#project;
    const nothing = { branches: [], tags: [], remoteBranches: [], otherRefs: [] };
    if (project.isPlain) return { ...nothing, hasObjects: false, isStaged: false, hasStash: false };
    const tips = await this.#projectTips();
    const reader = new ObjectReader(project);
    const found = await findHolders({ repository: project, reader }, target, tips);
    reader.close();
    for (const oid of found.objects) objects.add(oid);
    const names = [...found.holders];
    const short = (folder: string): string[] =>
      names.flatMap((name) => (name.startsWith(folder) ? [name.slice(folder.length)] : []));
    const { stdout } = await runGit(project, ["ls-files", "--stage", "-z"]);
    const staged = stdout.toString("latin1").split("\0");
    const branches = short("refs/heads/");
    // HEAD says no more than the branch that it is at.
    const known = ["refs/heads/", "refs/tags/", "refs/remotes/"];
    const isOther = (name: string): boolean =>
      name === "HEAD" ? branches.length === 0 : !known.some((start) => name.startsWith(start));
    return {
      hasObjects: (await presentAmong(project, [...objects])).length > 0,
      branches,
      tags: short("refs/tags/"),
      remoteBranches: short("refs/remotes/"),
      otherRefs: names.filter(isOther),
      isStaged: staged.some((line) => objects.has(line.split(" ")[1] ?? "")),
      hasStash: tips.has("refs/stash"),
    };
  }

  /** Commits by the names of the user's refs. */
  async #projectTips(): Promise<Map<string, string>> {
    const format = "--format=%(objectname) %(*objectname) %(refname)";
    const { stdout } = await runGit(this.#project, ["for-each-ref", format]);
    const lines = stdout.toString("utf8").split("\n").filter(Boolean);
    const tips = lines.map((line): [string, string] => {
      const [oid = "", peeled = "", name = ""] = line.split(" ");
      return [name, peeled === "" ? oid : peeled];
    });
    const isOwn = (name: string): boolean =>
      name.startsWith(`${OWN_REFS}/`) || name.startsWith(`${TAG_REFS}/`);
    const oid = await oneLine(this.#project, ["rev-parse", "--verify", "-q", "HEAD"]);
    const own = tips.filter(([name]) => !isOwn(name));
    return new Map(oid === "" ? own : [...own, ["HEAD", oid]]);
  }

  async #exports(objects: readonly string[]) {
    const folder = exportsFolder(this.#project);
    const names = existsSync(folder) ? readdirSync(folder) : [];
    const holding: string[] = [];
    const unsearched: string[] = [];
    for (const name of names.filter((each) => each.endsWith(".bundle")).toSorted()) {
      const file = join(folder, name);
      try {
        const checks = { limitsFor: () => NO_SIZE_LIMIT, objects: "ids" } as const;
        const pack = await quarantinePack(this.#store, file, checks, SILENT);
        try {
          const present = await presentAmong(this.#store, objects, pack.only);
          if (present.length > 0) holding.push(file);
        } finally {
          pack.discard();
        }
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
        unsearched.push(file);
      }
    }
    return { holding, unsearched };
  }

  async erase({ sessions, otherRefs, borrowed, objects }: Holders): Promise<Erasure> {
    const store = this.#store;
    const cut = await this.#cutSessions(sessions, objects);
    await this.#removeRefs(otherRefs);
    const quarantine = new Quarantine(store);
    try {
      const refs = borrowed.map(({ ref }) => ref);
      if (refs.length > 0) await stopBorrowing(store, quarantine, refs);
    } finally {
      quarantine.discard();
    }
    const isPruned = await pruneStore(store);
    const released =
      isPruned && borrowed.length > 0
        ? await dropKeepRefs(
            this.#project,
            borrowed.map(({ ref }) => ref),
          )
        : [];
    return { ...cut, released, isPruned, left: await this.#ownAmong(objects) };
  }

  /** What of these objects is in the store itself. */
  async #ownAmong(objects: readonly string[]): Promise<string[]> {
    const quarantine = new Quarantine(this.#store);
    try {
      const alone = withoutBorrowing(this.#store, quarantine.path("alone"));
      return await presentAmong(alone, objects);
    } finally {
      quarantine.discard();
    }
  }

  /** Their newest version stays without those before it, unless it is the object itself. */
  async #cutSessions(names: readonly string[], objects: readonly string[]) {
    const rewritten: string[] = [];
    const removed: string[] = [];
    for (const name of names) {
      const ref = `${SESSION_REFS}/${name}`;
      const old = await this.#reader.read(ref);
      if (old?.type !== "commit") continue;
      const isObject = objects.includes(old.oid);
      const cut = isObject ? undefined : await this.#withoutParents(old.content);
      if (!(await this.#changeRefs([{ name: ref, old: old.oid, new: cut }]))) continue;
      (isObject ? removed : rewritten).push(name);
    }
    return { rewritten, removed };
  }

  async #withoutParents(commit: Buffer): Promise<string> {
    const body = commit.indexOf("\n\n");
    const head = commit.toString("latin1", 0, body).replaceAll(/^parent [0-9a-f]+\n/gm, "");
    const args = ["hash-object", "-t", "commit", "-w", "--stdin"];
    const input = Buffer.concat([Buffer.from(head, "latin1"), commit.subarray(body)]);
    return (await runGit(this.#store, args, { input })).stdout.toString("latin1").trim();
  }

  async #removeRefs(names: readonly string[]): Promise<void> {
    const refs = await refValues(this.#store, OWN_REFS);
    const changes = names.flatMap((name): RefChange[] => {
      const old = refs.get(name);
      return old === undefined ? [] : [{ name, old, new: undefined }];
    });
    if (changes.length > 0) await this.#changeRefs(changes);
  }

  async #changeRefs(changes: readonly RefChange[]): Promise<boolean> {
    const quarantine = new Quarantine(this.#store);
    try {
      quarantine.announceRefs(changes);
      return await updateRefs(this.#store, changes, {});
    } finally {
      quarantine.removeRefLocks();
      quarantine.discard();
    }
  }
}

/** Empty: git knows no such thing. */
async function oneLine(place: Repository, args: readonly string[]): Promise<string> {
  const { exitCode, stdout } = await runGit(place, args, { accept: [0, 1, 128] });
  return exitCode === 0 ? stdout.toString("latin1").trim() : "";
}

async function presentAmong(
  place: Repository,
  objects: readonly string[],
  env?: Readonly<Record<string, string>>,
): Promise<string[]> {
  if (objects.length === 0) return [];
  const input = objects.map((oid) => `${oid}\n`).join("");
  const { stdout } = await runGit(place, ["cat-file", "--batch-check=%(objectname)"], {
    input,
    ...(env === undefined ? {} : { env }),
  });
  const lines = stdout.toString("latin1").split("\n").filter(Boolean);
  return lines.filter((line) => !line.endsWith(" missing"));
}
