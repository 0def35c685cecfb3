/** Turns one path on disk into what the checkpoint's tree says about it. */
import type { BytePath } from "../../../domain/byte-path.ts";
import { isLookedInto, verdictOf, type SecretVerdict } from "../../../domain/secrets/judge-file.ts";
import type { NameKind } from "../../../domain/sensitive-name.ts";
import { isDenied, isMissing } from "../../files/errors.ts";
import type { FileLook } from "../../files/file-stat.ts";
import { onDisk } from "../../files/byte-names.ts";
import { scanContent } from "../../files/scan-content.ts";
import { readLink, readStable, type BlobSink } from "../../files/stable-read.ts";
import type { CachedFile } from "../capture-cache.ts";
import { objectId } from "../object-hash.ts";
import type { Leaf } from "../tree-builder.ts";
import { noteMode, sinkFor, type CaptureContext, type DefaultModes } from "./context.ts";

export interface LeafRequest {
  readonly path: BytePath;
  readonly look: FileLook;
  /** The blob of the index entry, which need not be stored again. */
  readonly indexOid: string | undefined;
  /** What the name of an untracked file says about secrets; undefined: git tracks it. */
  readonly judgedAs?: NameKind;
  /** Held even if it is surely a secret. */
  readonly isForced?: boolean;
}

/** Undefined when the file went away, cannot be read or is left out; the last two are written down. */
export async function readLeaf(
  context: CaptureContext,
  request: LeafRequest,
  defaults: DefaultModes,
): Promise<Leaf | undefined> {
  const known = knownLeaf(context, request, defaults);
  if (known !== undefined) return known ?? undefined;
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
  // It holds a path, whatever that leads to.
  if (request.judgedAs === "sure") noteSecret(context, request.path, verdictFor(request, null));
  return { mode: "120000", oid };
}

/** What the last checkpoint learned about a file that is as it was then. Undefined: it has to be read; null: it is left out. */
export function knownLeaf(
  context: CaptureContext,
  request: LeafRequest,
  defaults: DefaultModes,
): Leaf | null | undefined {
  const { path, look, indexOid } = request;
  const known = context.cache.files.get(path);
  if (known === undefined || known.key !== look.key || context.mapped.has(path)) return undefined;
  if (isSearched(context, request) && known.secret === undefined) return undefined;
  const isInIndex = known.oid === indexOid && !context.bad.has(known.oid);
  const isHeld = isInIndex || context.cache.held.has(known.oid);
  const staysOut = isLeftOut(context, request, verdictFor(request, known.secret));
  if (!isHeld && !staysOut) return undefined;
  context.findings.files.set(path, known);
  const facts = { ...known, mode: look.permissions, size: look.size, unstable: false };
  return fileLeaf(context, request, facts, defaults) ?? null;
}

async function readFileLeaf(
  context: CaptureContext,
  request: LeafRequest,
  defaults: DefaultModes,
): Promise<Leaf | undefined> {
  const read = await readNow(context, request);
  return read && fileLeaf(context, request, read, defaults);
}

interface FileFacts extends Pick<CachedFile, "oid" | "secret"> {
  readonly mode: number;
  readonly size: number;
  readonly unstable: boolean;
}

function verdictFor(
  { judgedAs }: LeafRequest,
  secret: CachedFile["secret"],
): SecretVerdict | undefined {
  return judgedAs === undefined ? undefined : verdictOf(judgedAs, secret ?? undefined);
}

function isSearched({ policy }: CaptureContext, { judgedAs }: LeafRequest): boolean {
  return judgedAs !== undefined && isLookedInto(judgedAs, policy.scanContent);
}

/** What is only suspected is held: it is on this disk anyway. */
function isLeftOut(
  { policy, includesSecret }: CaptureContext,
  { path, isForced }: LeafRequest,
  verdict: SecretVerdict | undefined,
): verdict is SecretVerdict {
  if (isForced === true || !policy.excludeSensitive) return false;
  return verdict?.isSure === true && !includesSecret(path);
}

/** It is held, and must not leave this machine. */
function noteSecret(
  { findings, includesSecret }: CaptureContext,
  path: BytePath,
  verdict: SecretVerdict | undefined,
): void {
  if (verdict === undefined) return;
  findings.withheld.set(path, verdict.why);
  if (includesSecret(path)) findings.includedSecrets.push(path);
}

/** Undefined for a secret that stays out. */
function fileLeaf(
  context: CaptureContext,
  request: LeafRequest,
  { oid, mode, size, unstable, secret }: FileFacts,
  defaults: DefaultModes,
): Leaf | undefined {
  const { path, look, indexOid } = request;
  const { findings } = context;
  const verdict = verdictFor(request, secret);
  if (isLeftOut(context, request, verdict)) {
    findings.excludeSecret(path, look.size, verdict.why);
    return undefined;
  }
  noteSecret(context, path, verdict);
  findings.bytes += size;
  if (unstable) findings.unstable.push(path);
  if (oid !== indexOid) findings.blobs.add(oid);
  const leaf: Leaf = { mode: (mode & 0o100) === 0 ? "100644" : "100755", oid };
  noteMode(context, path, leaf, mode, defaults);
  return leaf;
}

/** Undefined when it went away, or is no plain file any more, or what it holds cannot be known. */
async function readNow(
  context: CaptureContext,
  request: LeafRequest,
): Promise<FileFacts | undefined> {
  const { path, look, indexOid, judgedAs } = request;
  const { findings } = context;
  let secret: string | null | undefined;
  const plainSink = sinkFor(context, indexOid);
  // The bytes of a secret that stays out do not even get into the spool.
  const scanningSink: BlobSink = {
    ...plainSink,
    inspect: (head) => {
      secret = scanContent(head, judgedAs) ?? null;
    },
    wants: (oid) =>
      !isLeftOut(context, request, verdictFor(request, secret)) && plainSink.wants(oid),
  };
  const read = await readStable(
    onDisk(context.root, path),
    context.repository.hash,
    isSearched(context, request) ? scanningSink : plainSink,
  );
  if (read === undefined) return undefined;
  const { oid } = read;
  if (oid === "") {
    // It shrank during every reading: what it holds is not known.
    findings.exclude(path, "unreadable", null);
    return undefined;
  }
  const verdict = secret === undefined ? {} : { secret };
  const { key, changedMs } = look;
  const isSure = !read.unstable && read.statKey === key && !context.mapped.has(path);
  if (isSure && context.clock.isSettled(changedMs)) {
    findings.files.set(path, { key, oid, ...verdict });
  }
  return { oid, mode: read.mode, size: read.size, unstable: read.unstable, ...verdict };
}
