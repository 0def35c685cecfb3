/** The documents of a state snapshot as they are stored, checked against the digest that stands for them. */
import { createHash } from "node:crypto";
import { isAbsolute } from "node:path";
import { asBytePath } from "../../../domain/byte-path.ts";
import { canonicalJson } from "../../../domain/canonical-json.ts";
import { Failure } from "../../../domain/failure.ts";
import { isHostilePath } from "../../../domain/hostile-path.ts";
import { stateEntry, type StateDocument, type StatePart } from "../../../domain/parts.ts";
import type { HeldPart } from "../../../ports/part-keeper.ts";
import { isInOwnFolder } from "../own-folder-name.ts";
import { isTooDeep } from "../../../domain/value-depth.ts";

/** A document with everything that is stored of it. */
export interface Gathered {
  readonly document: StateDocument;
  /** Undefined: there is none, or it cannot be read as one. */
  readonly value: unknown;
  /** Undefined: there was no file, or its bytes are not held. */
  readonly source: Buffer | undefined;
}

export interface Side {
  readonly keys: readonly string[] | null;
  readonly documents: readonly Gathered[];
}

/** What came from elsewhere is told where it may be written; the rest only has to stay in the project. */
export async function readHeldState(held: HeldPart<StatePart>): Promise<Side> {
  const { part } = held;
  const documents: Gathered[] = [];
  for (const document of part.documents) {
    const { name, format, path, mode } = document;
    if (documents.some((other) => other.document.name === name)) {
      throw damaged(held.checkpointId, `it has the ${name} twice`);
    }
    if (path !== null && (isAbsolute(path) || !isRestorable(path))) {
      throw damaged(held.checkpointId, `it has the invalid path ${JSON.stringify(path)}`);
    }
    if (mode !== null && !MODE.test(mode)) {
      throw damaged(held.checkpointId, `it has the invalid mode ${JSON.stringify(mode)}`);
    }
    const hasSource = path !== null && mode !== null && document.without_source !== true;
    const value = format === null ? undefined : parse(held, await held.read(stateEntry(name)));
    const source = hasSource ? await held.read(sourceEntry(name)) : undefined;
    documents.push({ document, value, source });
  }
  if (stateDigest(documents, part.keys) !== part.digest) {
    throw damaged(held.checkpointId, "it does not match the document");
  }
  return { keys: part.keys, documents };
}

/** Permissions, as files have them. */
const MODE = /^[0-7]{4}$/;

export function sourceEntry(name: StateDocument["name"]): string {
  return `${name}.source`;
}

/** Whether a rollback may write there. */
export function isRestorable(path: string): boolean {
  return !isInOwnFolder(path) && !isHostilePath(asBytePath(path), true);
}

export function stateDigest(
  documents: readonly Gathered[],
  keys: readonly string[] | null,
): string {
  const counted = documents.map(({ document, value, source }) => ({
    name: document.name,
    path: document.path,
    mode: document.mode,
    value,
    // With keys, the rest of the file is not what is held.
    source: source === undefined || keys !== null ? null : sha256(source),
  }));
  return `sha256:${sha256(Buffer.from(canonicalJson({ documents: counted, keys })))}`;
}

function parse(held: HeldPart, bytes: Buffer): unknown {
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString("utf8"));
  } catch {
    throw damaged(held.checkpointId, "it is not JSON");
  }
  if (isTooDeep(value)) throw damaged(held.checkpointId, "it is nested too deeply");
  return value;
}

function damaged(id: string, problem: string): Failure {
  return new Failure("checkpoint_damaged", `the state of checkpoint ${id} is damaged: ${problem}`, {
    hint: "`waymark validate` shows which checkpoints are intact. Nothing was changed.",
  });
}

export function sha256(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("hex");
}
