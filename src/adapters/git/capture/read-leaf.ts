/** Turns one path on disk into what the checkpoint's tree says about it. */
import type { BigIntStats } from "node:fs";
import type { BytePath } from "../../../domain/byte-path.ts";
import { isDenied, isMissing } from "../../files/errors.ts";
import { isSettled, kindOf, permissions, statKey } from "../../files/file-stat.ts";
import { onDisk } from "../../files/byte-names.ts";
import { readLink, readStable } from "../../files/stable-read.ts";
import { objectId } from "../object-hash.ts";
import type { Leaf } from "../tree-builder.ts";
import { noteMode, sinkFor, type CaptureContext, type DefaultModes } from "./context.ts";

export interface LeafRequest {
  readonly path: BytePath;
  readonly stat: BigIntStats;
  /** The blob of the index entry, which need not be stored again. */
  readonly indexOid: string | undefined;
}

/** Undefined when the file went away or cannot be read; the latter is written down. */
export async function readLeaf(
  context: CaptureContext,
  request: LeafRequest,
  defaults: DefaultModes,
): Promise<Leaf | undefined> {
  try {
    return kindOf(request.stat) === "link"
      ? readLinkLeaf(context, request)
      : await readFileLeaf(context, request, defaults);
  } catch (error) {
    if (isMissing(error)) return undefined;
    if (!isDenied(error)) throw error;
    context.findings.exclude(request.path, "unreadable", Number(request.stat.size));
    return undefined;
  }
}

function readLinkLeaf(context: CaptureContext, request: LeafRequest): Leaf {
  const target = readLink(onDisk(context.root, request.path));
  const oid = objectId(context.repository.hash, "blob", target);
  const sink = sinkFor(context, request.indexOid);
  if (sink.wants(oid)) sink.add(oid, target);
  if (oid !== request.indexOid) context.findings.blobs.add(oid);
  return { mode: "120000", oid };
}

async function readFileLeaf(
  context: CaptureContext,
  request: LeafRequest,
  defaults: DefaultModes,
): Promise<Leaf | undefined> {
  const { path, stat, indexOid } = request;
  const { findings } = context;
  const known = context.cache.files.get(path);
  const key = statKey(stat);
  const isHeld = (oid: string): boolean => oid === indexOid || context.cache.held.has(oid);
  let oid: string;
  let mode = permissions(stat);
  if (known !== undefined && known.key === key && isHeld(known.oid)) {
    oid = known.oid;
    findings.files.set(path, known);
    findings.bytes += Number(stat.size);
  } else {
    const read = await readStable(
      onDisk(context.root, path),
      context.repository.hash,
      sinkFor(context, indexOid),
    );
    if (read === undefined) return undefined;
    if (read.oid === "") {
      // It shrank during every reading: what it holds is not known.
      findings.exclude(path, "unreadable", null);
      return undefined;
    }
    oid = read.oid;
    mode = read.mode;
    findings.bytes += read.size;
    if (read.unstable) findings.unstable.push(path);
    else if (isSettled(stat, Date.now()) && read.statKey === key) {
      findings.files.set(path, { key, oid });
    }
  }
  if (oid !== indexOid) findings.blobs.add(oid);
  const leaf: Leaf = { mode: (mode & 0o100) === 0 ? "100644" : "100755", oid };
  noteMode(context, path, leaf, mode, defaults);
  return leaf;
}
