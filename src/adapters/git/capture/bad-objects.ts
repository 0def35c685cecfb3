/** What a capture does about objects that it relied on and that are missing or damaged: they are stored anew from the disk. */
import { readFileSync } from "node:fs";
import type { BytePath } from "../../../domain/byte-path.ts";
import { onDisk } from "../../files/byte-names.ts";
import { quickStatOf } from "../../files/file-stat.ts";
import type { CaptureCache } from "../capture-cache.ts";
import type { IndexFile } from "../index-file.ts";
import { objectId } from "../object-hash.ts";
import type { CaptureContext } from "./context.ts";

/** Nothing is believed about trees when one of the objects that they were believed with is gone. */
export function withoutBad(cache: CaptureCache, bad: ReadonlySet<string>): CaptureCache {
  if (bad.size === 0) return cache;
  const held = new Set([...cache.held].filter((oid) => !bad.has(oid)));
  return { ...cache, held, trees: undefined };
}

export function entriesWith(
  index: IndexFile | undefined,
  bad: ReadonlySet<string>,
): Map<BytePath, string> {
  const found = new Map<BytePath, string>();
  if (index === undefined || bad.size === 0) return found;
  for (let entry = 0; entry < index.length; entry++) {
    const oid = index.oid(entry);
    if (bad.has(oid)) found.set(index.path(entry), oid);
  }
  return found;
}

/** Those that reading the work tree did not bring back. */
export function lostPaths(
  context: CaptureContext,
  damaged: ReadonlyMap<BytePath, string>,
): BytePath[] {
  const { spool } = context;
  if (!spool.keeps) return [];
  return [...damaged]
    .filter(([path, oid]) => !spool.has(oid) && !addWithGitLineEnds(context, path, oid))
    .map(([path]) => path);
}

/** A file that is too large for this is not text. */
const MOST_TEXT = 8 * 1024 * 1024;

/** The most common conversion, which needs no filter: the same file with other line ends. */
function addWithGitLineEnds(
  { root, repository, spool }: CaptureContext,
  path: BytePath,
  oid: string,
): boolean {
  const place = onDisk(root, path);
  const stat = quickStatOf(place);
  if (stat?.isFile() !== true || stat.size > MOST_TEXT) return false;
  const text = readFileSync(place).toString("latin1").replaceAll("\r\n", "\n");
  const content = Buffer.from(text, "latin1");
  if (objectId(repository.hash, "blob", content) !== oid) return false;
  spool.add(oid, "blob", content);
  return true;
}
