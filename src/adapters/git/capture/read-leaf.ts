/** Turns one path on disk into what the checkpoint's tree says about it. */
import type { BytePath } from "../../../domain/byte-path.ts";
import { isDenied, isMissing } from "../../files/errors.ts";
import { isSettledMs, type FileLook } from "../../files/file-stat.ts";
import { onDisk } from "../../files/byte-names.ts";
import { readLink, readStable } from "../../files/stable-read.ts";
import { objectId } from "../object-hash.ts";
import type { Leaf } from "../tree-builder.ts";
import { noteMode, sinkFor, type CaptureContext, type DefaultModes } from "./context.ts";

export interface LeafRequest {
  readonly path: BytePath;
  readonly look: FileLook;
  /** The blob of the index entry, which need not be stored again. */
  readonly indexOid: string | undefined;
}

/** Undefined when the file went away or cannot be read; the latter is written down. */
export async function readLeaf(
  context: CaptureContext,
  request: LeafRequest,
  defaults: DefaultModes,
): Promise<Leaf | undefined> {
  const known = knownLeaf(context, request, defaults);
  if (known !== undefined) return known;
  try {
    return request.look.kind === "link"
      ? readLinkLeaf(context, request)
      : await readFileLeaf(context, request, defaults);
  } catch (error) {
    if (isMissing(error)) return undefined;
    if (!isDenied(error)) throw error;
    context.findings.exclude(request.path, "unreadable", request.look.size);
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

/** What the last checkpoint has of a file that is as it was then; undefined: it has to be read. */
export function knownLeaf(
  context: CaptureContext,
  request: LeafRequest,
  defaults: DefaultModes,
): Leaf | undefined {
  const { path, look, indexOid } = request;
  const known = context.cache.files.get(path);
  if (known === undefined || known.key !== look.key) return undefined;
  if (known.oid !== indexOid && !context.cache.held.has(known.oid)) return undefined;
  context.findings.files.set(path, known);
  context.findings.bytes += look.size;
  return fileLeaf(context, request, { oid: known.oid, mode: look.permissions }, defaults);
}

async function readFileLeaf(
  context: CaptureContext,
  request: LeafRequest,
  defaults: DefaultModes,
): Promise<Leaf | undefined> {
  const { path, look, indexOid } = request;
  const { findings } = context;
  const read = await readStable(
    onDisk(context.root, path),
    context.repository.hash,
    sinkFor(context, indexOid),
  );
  if (read === undefined) return undefined;
  const { oid } = read;
  if (oid === "") {
    // It shrank during every reading: what it holds is not known.
    findings.exclude(path, "unreadable", null);
    return undefined;
  }
  findings.bytes += read.size;
  const { key, changedMs } = look;
  if (read.unstable) findings.unstable.push(path);
  else if (isSettledMs(changedMs, Date.now()) && read.statKey === key) {
    findings.files.set(path, { key, oid });
  }
  return fileLeaf(context, request, read, defaults);
}

function fileLeaf(
  context: CaptureContext,
  { path, indexOid }: LeafRequest,
  { oid, mode }: { readonly oid: string; readonly mode: number },
  defaults: DefaultModes,
): Leaf {
  if (oid !== indexOid) context.findings.blobs.add(oid);
  const leaf: Leaf = { mode: (mode & 0o100) === 0 ? "100644" : "100755", oid };
  noteMode(context, path, leaf, mode, defaults);
  return leaf;
}
