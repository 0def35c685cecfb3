/** Ways to damage one object of a project and of its store, wherever git keeps it: both may have it, and then both are hit. */
import { existsSync, realpathSync } from "node:fs";
import { chmod, readdir, readFile, rename, rm, stat, truncate, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type TempRepository } from "./temp-repository.ts";

/** Takes one object away and leaves all others readable. */
export async function deleteObject(repo: TempRepository, oid: string): Promise<void> {
  for (const side of await sidesWith(repo, oid)) {
    await side.explodePacks();
    await rm(side.loosePath(oid));
  }
}

/** Cuts the file of one object short in its place, as a power cut does; by default nothing is left of it. */
export async function truncateObject(repo: TempRepository, oid: string, left = 0): Promise<void> {
  for (const side of await sidesWith(repo, oid)) {
    await side.explodePacks();
    const path = side.loosePath(oid);
    await chmod(path, 0o644);
    await truncate(path, Math.floor((await readFile(path)).length * left));
  }
}

/** Changes one byte of an object's stored form, in its pack or in its loose file. */
export async function flipByteOfObject(repo: TempRepository, oid: string): Promise<void> {
  for (const side of await sidesWith(repo, oid)) {
    const place = await side.find(oid);
    if (place !== undefined) await flip(place, place.offset + Math.floor(place.length / 2));
  }
}

/** Makes a blob in a pack a tree, which git does not notice: nothing else of it changes. */
export async function changeTypeOfObject(repo: TempRepository, oid: string): Promise<void> {
  for (const side of await sidesWith(repo, oid)) {
    const place = await side.find(oid);
    if (place !== undefined) await flip(place, place.offset - HEADER);
  }
}

/** Puts all objects in packs without deltas: then each stands for itself, and damage to one is damage to no other. */
export async function packWithoutDeltas(repo: TempRepository): Promise<void> {
  for (const side of await sidesOf(repo)) await side.packWithoutDeltas();
}

async function flip({ path }: Place, at: number): Promise<void> {
  const bytes = await readFile(path);
  bytes.writeUInt8(bytes.readUInt8(at) ^ 0x10, at);
  await chmod(path, 0o644);
  await writeFile(path, bytes);
}

const HEADER = 4;

interface Place {
  readonly path: string;
  readonly offset: number;
  readonly length: number;
}

async function sidesOf(repo: TempRepository): Promise<Side[]> {
  const own = await repo.gitPath("objects").then(dirname, () => undefined);
  const places = own === undefined ? [repo.storeDir] : [own, repo.storeDir];
  const there = places.filter((place) => existsSync(join(place, "objects")));
  return [...new Set(there.map((place) => realpathSync(place)))].map(
    (place) => new Side(repo, place),
  );
}

async function sidesWith(repo: TempRepository, oid: string): Promise<Side[]> {
  const found: Side[] = [];
  for (const side of await sidesOf(repo)) {
    if ((await side.find(oid)) !== undefined) found.push(side);
  }
  if (found.length === 0) throw new Error(`object ${oid} is neither loose nor packed`);
  return found;
}

/** The project's repository or the store, without what it borrows. */
class Side {
  readonly #repo: TempRepository;
  readonly #gitDir: string;

  constructor(repo: TempRepository, gitDir: string) {
    this.#repo = repo;
    this.#gitDir = gitDir;
  }

  get objects(): string {
    return join(this.#gitDir, "objects");
  }

  loosePath(oid: string): string {
    return join(this.objects, oid.slice(0, 2), oid.slice(2));
  }

  async find(oid: string): Promise<Place | undefined> {
    const loose = this.loosePath(oid);
    const bytes = await readFile(loose).catch(() => undefined);
    if (bytes !== undefined) return { path: loose, offset: 0, length: bytes.length };
    for (const path of await this.#packs()) {
      const index = await readFile(path.replace(/pack$/, "idx"));
      const listing = await this.#gitWithInput(index, "show-index");
      const entries = listing.split("\n").map((line) => line.split(" ", 2));
      const [found] = entries.find(([, name]) => name === oid) ?? [];
      if (found === undefined) continue;
      // The data comes after a header of at most a few bytes, and ends where the next object or the checksum begins.
      const { size } = await stat(path);
      const starts = [...entries.map(([offset]) => Number(offset)), size - oid.length / 2];
      const offset = Number(found) + HEADER;
      const end = Math.min(...starts.filter((start) => start > offset));
      return { path, offset, length: end - offset };
    }
    return undefined;
  }

  async explodePacks(): Promise<void> {
    await this.#alone(async () => {
      for (const path of await this.#packs()) {
        const pack = await readFile(path);
        // git unpacks only what it does not have: the pack must be out of its sight first.
        await rm(path);
        await rm(path.replace(/pack$/, "idx"));
        await this.#gitWithInput(pack, "unpack-objects", "-q");
      }
    });
  }

  async packWithoutDeltas(): Promise<void> {
    await this.#alone(async () => {
      await this.explodePacks();
      const every = ["cat-file", "--batch-all-objects", "--batch-check=%(objectname)"];
      const oids = await this.#gitWithInput("", ...every);
      if (oids === "") return;
      const target = join(this.objects, "pack/pack");
      await this.#gitWithInput(oids, "pack-objects", "-q", "--window=0", target);
      for (const oid of oids.trimEnd().split("\n")) await rm(this.loosePath(oid));
    });
  }

  async #packs(): Promise<string[]> {
    const folder = join(this.objects, "pack");
    const names = await readdir(folder).catch(() => []);
    return names.filter((name) => name.endsWith(".pack")).map((name) => join(folder, name));
  }

  /** What git can borrow it neither unpacks nor lists as its own. */
  async #alone(work: () => Promise<void>): Promise<void> {
    const [alternates, aside] = ["info/alternates", "info/no-alternates"].map((name) =>
      join(this.objects, name),
    ) as [string, string];
    const isBorrowing = existsSync(alternates);
    if (isBorrowing) await rename(alternates, aside);
    try {
      await work();
    } finally {
      if (isBorrowing) await rename(aside, alternates);
    }
  }

  async #gitWithInput(input: Buffer | string, ...args: readonly string[]): Promise<string> {
    return await this.#repo.gitWithInput(input, `--git-dir=${this.#gitDir}`, ...args);
  }
}
