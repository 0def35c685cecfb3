/** Reads refs as git keeps them in files, without starting it: a process costs more than a thousand refs do. */
import { existsSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { Failure } from "../../domain/failure.ts";
import { errorCode, isMissing } from "../files/errors.ts";
import { statOf } from "../files/file-stat.ts";
import { namesIn } from "../files/names-in.ts";
import { readRegular } from "../files/regular-file.ts";
import type { Repository } from "./repository.ts";
import { runGit } from "./run-git.ts";

/** Zeros only are what a power cut may leave. */
const OBJECT_ID = /^(?!0+$)(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

/** Object ids by the names of the refs below a folder. Undefined: only git can tell, as it is not all as it should be. */
export function readRefs(
  { commonDir }: Pick<Repository, "commonDir">,
  folder: string,
): Map<string, string> | undefined {
  // Another way to keep refs.
  if (existsSync(join(commonDir, "reftable"))) return undefined;
  try {
    // In this order, as git does: one that is packed meanwhile is found in the second place.
    const loose = looseRefs(commonDir, folder);
    const packed = loose && packedRefs(commonDir, folder);
    return loose && packed && new Map([...packed, ...loose]);
  } catch (error) {
    // Git leaves out what it cannot read, and says nothing.
    if (isUnreadable(error)) throw error;
    return undefined;
  }
}

const UNREADABLE: readonly unknown[] = ["EACCES", "EPERM", "EIO", "EMFILE", "ENFILE"];

function isUnreadable(error: unknown): boolean {
  return UNREADABLE.includes(errorCode(error));
}

function looseRefs(commonDir: string, folder: string): Map<string, string> | undefined {
  const found = new Map<string, string>();
  for (const name of namesIn(join(commonDir, folder))) {
    if (name.endsWith(".lock")) continue;
    const ref = `${folder}/${name}`;
    const value = contentOf(join(commonDir, ref));
    // It was packed, or deleted, since its folder was read.
    if (value === undefined) continue;
    const oid = value.trimEnd();
    if (!OBJECT_ID.test(oid)) return undefined;
    found.set(ref, oid);
  }
  return found;
}

function packedRefs(commonDir: string, folder: string): Map<string, string> | undefined {
  const found = new Map<string, string>();
  const text = contentOf(join(commonDir, "packed-refs")) ?? "";
  if (!looksWhole(text)) return undefined;
  const wanted = ` ${folder}/`;
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + 1)) {
    const end = text.indexOf("\n", at);
    const oid = text.slice(text.lastIndexOf("\n", at) + 1, at);
    if (end < 0 || !OBJECT_ID.test(oid)) return undefined;
    found.set(text.slice(at + 1, end), oid);
  }
  return found;
}

/**
 * Whether what is in the place of a ref is none, as after a power cut: git leaves it out of its lists. A ref that was made or removed since
 * such a list was read is not broken.
 */
export function isBrokenRef(commonDir: string, ref: string): boolean {
  try {
    const value = contentOf(join(commonDir, ref));
    return value !== undefined && !OBJECT_ID.test(value.trimEnd());
  } catch (error) {
    if (error instanceof Failure && error.code === "obstructed") return true;
    throw error;
  }
}

/** What a ref leads to, also by way of symbolic ones. Refs of one work tree are in its own git folder. Undefined: there is none. */
export async function resolveRef(
  repository: Pick<Repository, "directory" | "gitDir" | "commonDir" | "workTree">,
  ref: string,
): Promise<string | undefined> {
  const { gitDir, commonDir } = repository;
  let name = ref;
  for (let links = 0; links < MAX_LINKS && !existsSync(join(commonDir, "reftable")); links++) {
    const isOwn = !name.startsWith("refs/") || OF_ONE_WORK_TREE.test(name);
    const value = valueOf(isOwn ? gitDir : commonDir, commonDir, name);
    if (value === undefined) return undefined;
    if (OBJECT_ID.test(value)) return value;
    const next = /^ref: +(refs\/\S+)$/.exec(value)?.[1];
    if (next === undefined) break;
    name = next;
  }
  const args = ["rev-parse", "--verify", "--quiet", ref];
  const { stdout } = await runGit(repository, args, { accept: [0, 1, 128] });
  return stdout.toString("latin1").trim() || undefined;
}

/** As git limits it. */
const MAX_LINKS = 5;
const OF_ONE_WORK_TREE = /^refs\/(?:bisect|worktree|rewritten)\//;

/** Undefined: no such ref. */
function valueOf(folder: string, commonDir: string, name: string): string | undefined {
  const path = join(folder, name);
  // A folder of other refs, or below the file of another ref, is none.
  const stat = statOf(path);
  if (stat?.isSymbolicLink() === true) return `ref: ${readlinkSync(path)}`;
  const loose = stat === undefined || stat.isDirectory() ? undefined : contentOf(path);
  if (loose !== undefined) return loose.trimEnd();
  const packed = contentOf(join(commonDir, "packed-refs")) ?? "";
  const at = packed.indexOf(` ${name}\n`);
  return at < 0 ? undefined : packed.slice(packed.lastIndexOf("\n", at) + 1, at);
}

export function isPacked(commonDir: string, ref: string): boolean {
  return contentOf(join(commonDir, "packed-refs"))?.includes(` ${ref}\n`) === true;
}

/** Git sorts the file, and says so in its first line. */
const SORTED = /^# pack-refs with:.* sorted /;
const PACKED_LINE = /^(?:#.*|\^?[0-9a-f]+|[0-9a-f]+ refs\/.+)$/;

/** What was not written by git, or cut short, is for git to complain about: there may be more refs than can be seen. */
function looksWhole(text: string): boolean {
  if (text === "") return true;
  if (!text.endsWith("\n") || text.includes("\0")) return false;
  return (
    SORTED.test(text) ||
    text
      .slice(0, -1)
      .split("\n")
      .every((line) => PACKED_LINE.test(line))
  );
}

function contentOf(path: string): string | undefined {
  try {
    return readRegular(path, "latin1");
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}
