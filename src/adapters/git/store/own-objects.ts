/**
 * Copies everything that the store borrows into it. Objects come in packs that are checked one by one, so a run that was killed continues
 * where it was; the link to the project's objects goes last, after all of it was found without that link.
 */
import { existsSync, rmSync, statfsSync } from "node:fs";
import { join } from "node:path";
import { Failure } from "../../../domain/failure.ts";
import { humanBytes } from "../../../domain/human-bytes.ts";
import type { BorrowedCommit, Ownership } from "../../../ports/storage.ts";
import type { Progress, ProgressTask } from "../../../ports/progress.ts";
import { syncFolder } from "../../files/durable-write.ts";
import { isPartialClone, stateOf } from "../capture/trusted-objects.ts";
import { IN_PIECES } from "../git-environment.ts";
import { ObjectReader } from "../object-reader.ts";
import type { Quarantine } from "../quarantine.ts";
import { KEEP_REFS } from "../ref-names.ts";
import { refValues } from "../ref-values.ts";
import type { Repository } from "../repository.ts";
import { runGit } from "../run-git.ts";
import { updateRefs } from "../update-refs.ts";
import { existing } from "./protect-commits.ts";
import { keepRefs, lockBases, readBases, writeBases } from "./bases.ts";
import { copyObjects } from "./copy-objects.ts";

import { packsIn, withPackLock, wholeObjects } from "./packs.ts";
import { ALTERNATES, withoutBorrowing, withoutLender } from "./store-place.ts";

/** Of one pack. After a kill at most this much is copied again. */
const PACK_BYTES = 256 * 1024 * 1024;
/** Room for the index of a pack and for git. */
const RESERVED_BYTES = 16 * 1024 * 1024;

export function ownsObjects(store: Repository): boolean {
  return store.isPlain || !existsSync(join(store.commonDir, ALTERNATES));
}

export async function ownObjects(store: Repository, progress: Progress): Promise<Ownership> {
  if (ownsObjects(store)) {
    const released = store.isPlain ? [] : await dropKeepRefs(store.project);
    return { isNew: false, objects: 0, bytes: 0, released, damaged: [] };
  }
  const done = await withPackLock(store, (quarantine) =>
    new Copier(store, quarantine, progress).run(),
  );
  if (done === undefined) throw busy();
  return done;
}

/** Those that keep borrowed commits; none named: all of them. */
export async function dropKeepRefs(
  project: Repository,
  names?: readonly string[],
): Promise<BorrowedCommit[]> {
  const refs = [...(await keepRefs(project))].map(([ref, commit]) => ({ ref, commit }));
  const chosen = refs.filter(({ ref }) => names === undefined || names.includes(ref));
  const changes = chosen.map(({ ref, commit }) => ({ name: ref, old: commit, new: undefined }));
  const options = { durability: "safe", noReflog: true } as const;
  if (changes.length === 0 || (await updateRefs(project, changes, options))) return chosen;
  throw new Failure("repository_busy", `refs below ${KEEP_REFS} keep changing`, {
    hint: "Run the command again.",
  });
}

class Copier {
  readonly #store: Repository;
  readonly #quarantine: Quarantine;
  readonly #progress: Progress;
  readonly #alone: Repository;
  /** The refs of commits that are not whole; undefined: only the record of the store names it. */
  readonly #damaged = new Map<string, string | undefined>();
  #done: readonly string[] = [];
  #objects = 0;
  #bytes = 0;

  constructor(store: Repository, quarantine: Quarantine, progress: Progress) {
    this.#store = store;
    this.#quarantine = quarantine;
    this.#progress = progress;
    this.#alone = withoutBorrowing(store, quarantine.path("alone"));
  }

  async run(): Promise<Ownership> {
    await this.#checkOwnPacks();
    await this.#copyNew();
    const lock = await lockBases(this.#store);
    try {
      // What was stored meanwhile. From here on every create copies whatever is new.
      writeBases(this.#store, { ...readBases(this.#store), owns: true });
      await this.#copyNew();
      rmSync(join(this.#store.commonDir, ALTERNATES));
      syncFolder(join(this.#store.commonDir, "objects", "info"));
      const bases = readBases(this.#store);
      const whole = await existing(withoutLender(this.#store), bases.stored);
      const stored = bases.stored.filter(
        (commit) => whole.has(commit) && !this.#damaged.has(commit),
      );
      writeBases(this.#store, { ...bases, borrowed: {}, stored });
      const released = await dropKeepRefs(this.#store.project);
      const damaged = [...this.#damaged.values()].filter((ref) => ref !== undefined);
      return { isNew: true, objects: this.#objects, bytes: this.#bytes, released, damaged };
    } finally {
      lock.release();
    }
  }

  /** Where one is damaged, git reads the copy that is borrowed, which is about to go. */
  async #checkOwnPacks(): Promise<void> {
    const packs = packsIn(this.#store);
    const task = this.#progress.begin("checking packs", { items: packs.length });
    try {
      for (const pack of packs) {
        const args = [...IN_PIECES, "index-pack", "--verify", `${pack}.pack`];
        const { exitCode } = await runGit(this.#alone, args, { accept: [0, 1, 128] });
        if (exitCode !== 0) throw damagedPack(`${pack}.pack`);
        task.advance(1);
      }
    } finally {
      task.end();
    }
  }

  /** What the refs need that were not looked at before, until nothing is missing. */
  async #copyNew(): Promise<void> {
    const refs = await refValues(this.#store);
    const { stored } = readBases(this.#store);
    const there = await existing(this.#store, stored);
    const names = new Map([...refs].map(([name, oid]) => [oid, name]));
    const all = [...new Set([...names.keys(), ...stored.filter((commit) => there.has(commit))])];
    const tips = all.filter((tip) => !this.#done.includes(tip) && !this.#damaged.has(tip));
    if (tips.length === 0) return;
    const { whole, objects } = await this.#objectsOf(tips, names);
    await this.#copyMissing(objects);
    await this.#checkWhole(whole);
    this.#done = [...this.#done, ...whole];
  }

  async #objectsOf(tips: readonly string[], names: ReadonlyMap<string, string>) {
    const task = this.#progress.begin("listing objects");
    try {
      const all = await this.#revList(this.#store, tips, this.#done);
      if (all !== undefined) return { whole: tips, objects: all };
      if (isPartialClone(this.#store)) throw partial();
      const whole: string[] = [];
      const objects = new Set<string>();
      const reader = new ObjectReader(this.#store);
      try {
        for (const tip of tips) {
          const own = await this.#revList(this.#store, [tip], [...this.#done, ...whole]);
          if (own !== undefined) whole.push(tip);
          else {
            this.#damaged.set(tip, names.get(tip));
            const left = await wholeObjects(reader, this.#store.hash, [tip]);
            for (const oid of left.keys()) objects.add(oid);
          }
          for (const oid of own ?? []) objects.add(oid);
        }
      } finally {
        reader.close();
      }
      return { whole, objects: [...objects] };
    } finally {
      task.end();
    }
  }

  /** Undefined: something is missing. */
  async #revList(
    place: Repository,
    tips: readonly string[],
    without: readonly string[],
  ): Promise<string[] | undefined> {
    const input = [...tips, ...without.map((oid) => `^${oid}`)].map((line) => `${line}\n`).join("");
    const args = ["rev-list", "--objects", "--no-object-names", "--stdin"];
    const { exitCode, stdout } = await runGit(place, args, { input, accept: [0, 128] });
    return exitCode === 0 ? stdout.toString("latin1").split("\n").filter(Boolean) : undefined;
  }

  async #copyMissing(objects: readonly string[]): Promise<void> {
    const missing = await this.#ask(this.#alone, "%(objectname)", objects);
    const wanted = missing.flatMap((line) =>
      line.endsWith(" missing") ? [line.slice(0, -8)] : [],
    );
    if (wanted.length === 0) return;
    const sizes = (await this.#ask(this.#store, "%(objectsize:disk)", wanted)).map(Number);
    const bytes = sizes.reduce((sum, size) => sum + size, 0);
    this.#refuseFullDisk(bytes);
    const task = this.#progress.begin("copying objects", { items: wanted.length, bytes });
    try {
      for (let from = 0, to = 0; from < wanted.length; from = to) {
        let size = 0;
        while (to < wanted.length && (to === from || size < PACK_BYTES)) size += sizes[to++] ?? 0;
        await this.#copy(wanted.slice(from, to), task, size);
      }
    } finally {
      task.end();
    }
    this.#objects += wanted.length;
    this.#bytes += bytes;
  }

  async #copy(objects: readonly string[], task: ProgressTask, size: number): Promise<void> {
    const copy = (chosen: readonly string[]): Promise<boolean> =>
      copyObjects({
        from: this.#store,
        to: this.#store,
        quarantine: this.#quarantine,
        objects: chosen,
        revs: false,
      });
    if (!(await copy(objects))) {
      const bad = await damagedAmong(this.#store, objects);
      if (bad.length === 0 || this.#damaged.size === 0) throw unreadable(bad);
      await copy(objects.filter((oid) => !bad.includes(oid)));
    }
    task.advance(objects.length, size);
  }

  async #checkWhole(tips: readonly string[]): Promise<void> {
    const task = this.#progress.begin("checking the copy");
    try {
      if ((await this.#revList(this.#alone, tips, [])) === undefined) throw unreadable([]);
    } finally {
      task.end();
    }
  }

  async #ask(place: Repository, format: string, objects: readonly string[]): Promise<string[]> {
    const input = objects.map((oid) => `${oid}\n`).join("");
    const args = ["cat-file", `--batch-check=${format}`, "--buffer"];
    const { stdout } = await runGit(place, args, { input });
    return stdout.toString("latin1").split("\n").filter(Boolean);
  }

  #refuseFullDisk(bytes: number): void {
    const { bavail, bsize } = statfsSync(this.#store.commonDir);
    const free = bavail * bsize;
    const needed = bytes + Math.min(bytes, PACK_BYTES) + RESERVED_BYTES;
    if (needed <= free) return;
    throw new Failure(
      "disk_full",
      `copying what is borrowed needs ${humanBytes(needed)}, and only ${humanBytes(free)} are free on the disk of ${this.#store.commonDir}`,
      {
        hint: "Free some disk space and run the command again; the store still borrows these objects.",
        details: { path: this.#store.commonDir, needed, free },
      },
    );
  }
}

async function damagedAmong(store: Repository, objects: readonly string[]): Promise<string[]> {
  const reader = new ObjectReader(store);
  const bad: string[] = [];
  try {
    for (const oid of objects) {
      if ((await stateOf(reader, oid, undefined)) !== "whole") bad.push(oid);
    }
  } finally {
    reader.close();
  }
  return bad;
}

const STILL_BORROWS =
  "`waymark validate` names the checkpoints that are damaged, `waymark rebuild` may repair them; then run the command again. The store still borrows what it borrowed.";

function damagedPack(pack: string): Failure {
  return new Failure("checkpoint_damaged", `the pack ${pack} is damaged`, { hint: STILL_BORROWS });
}

function unreadable(objects: readonly string[]): Failure {
  const which = objects.length === 0 ? "an object" : `the object ${objects[0] ?? ""}`;
  return new Failure("checkpoint_damaged", `${which} could not be copied into the store`, {
    hint: STILL_BORROWS,
    details: { objects },
  });
}

function partial(): Failure {
  return new Failure("usage", "this is a partial clone: git has not fetched all of its objects", {
    hint: "`git fetch --refetch --no-filter` fetches them; then run the command again. Nothing was changed.",
  });
}

function busy(): Failure {
  return new Failure("repository_busy", "another process is packing the store", {
    hint: "Wait for it to finish, then run the command again.",
  });
}
