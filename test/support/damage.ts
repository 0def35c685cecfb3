/** Ways to damage one object of a repository, wherever git keeps it. */
import { chmod, readdir, readFile, rename, rm, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TempRepository } from "./temp-repository.ts";

/** Takes one object away and leaves all others readable. */
export async function deleteObject(repo: TempRepository, oid: string): Promise<void> {
  await explodePacks(repo);
  await rm(await loosePath(repo, oid));
}

/** Cuts the file of one object short in its place, as a power cut does; by default nothing is left of it. */
export async function truncateObject(repo: TempRepository, oid: string, left = 0): Promise<void> {
  await explodePacks(repo);
  const path = await loosePath(repo, oid);
  await chmod(path, 0o644);
  await truncate(path, Math.floor((await readFile(path)).length * left));
}

/** Changes one byte of an object's stored form, in its pack or in its loose file. */
export async function flipByteOfObject(repo: TempRepository, oid: string): Promise<void> {
  const place = await findObject(repo, oid);
  const bytes = await readFile(place.path);
  const at = place.offset + Math.floor(place.length / 2);
  bytes.writeUInt8(bytes.readUInt8(at) ^ 0x10, at);
  await chmod(place.path, 0o644);
  await writeFile(place.path, bytes);
}

/** Makes a blob in a pack a tree, which git does not notice: nothing else of it changes. */
export async function changeTypeOfObject(repo: TempRepository, oid: string): Promise<void> {
  const place = await findObject(repo, oid);
  const bytes = await readFile(place.path);
  const at = place.offset - HEADER;
  bytes.writeUInt8(bytes.readUInt8(at) ^ 0x10, at);
  await chmod(place.path, 0o644);
  await writeFile(place.path, bytes);
}

const HEADER = 4;

interface Place {
  readonly path: string;
  readonly offset: number;
  readonly length: number;
}

async function findObject(repo: TempRepository, oid: string): Promise<Place> {
  const loose = await loosePath(repo, oid);
  const bytes = await readFile(loose).catch(() => undefined);
  if (bytes !== undefined) {
    return { path: loose, offset: 0, length: bytes.length };
  }
  const folder = await repo.gitPath("objects/pack");
  for (const name of (await readdir(folder)).filter((file) => file.endsWith(".pack"))) {
    const path = join(folder, name);
    const listing = await repo.git("verify-pack", "-v", path);
    const line = listing.split("\n").find((entry) => entry.startsWith(oid));
    // "oid type size size-in-pack offset": the data comes after a header of at most a few bytes.
    const [, , , length, offset] = line?.split(/ +/) ?? [];
    if (length !== undefined && offset !== undefined) {
      return { path, offset: Number(offset) + HEADER, length: Number(length) - HEADER };
    }
  }
  throw new Error(`object ${oid} is neither loose nor packed`);
}

async function loosePath(repo: TempRepository, oid: string): Promise<string> {
  return await repo.gitPath(`objects/${oid.slice(0, 2)}/${oid.slice(2)}`);
}

async function explodePacks(repo: TempRepository): Promise<void> {
  const folder = await repo.gitPath("objects/pack");
  const packs = (await readdir(folder)).filter((file) => file.endsWith(".pack"));
  for (const name of packs) {
    // git unpacks only what it does not have: the pack must be out of its sight first.
    const aside = join(repo.base, name);
    await rename(join(folder, name), aside);
    await rm(join(folder, name.replace(/pack$/, "idx")));
    await repo.gitWithInput(await readFile(aside), "unpack-objects", "-q");
  }
}
