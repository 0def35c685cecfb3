/** The bytes of one version of a session: a commit with an empty tree, whose message has the document. */
import type { SessionDocument } from "../../domain/session.ts";
import { sessionDamaged, understood } from "../../domain/session-version.ts";
import { encodeCommit } from "./commit-object.ts";
import type { HashName } from "./object-hash.ts";
import type { PackSpool } from "./pack-spool.ts";
import { idOfRef, sessionRef } from "./ref-names.ts";
import { sha256 } from "./sha256.ts";
import { TreeBuilder } from "./tree-builder.ts";

/** The empty tree goes into the spool; the commit is for the caller to put there. */
export function addSession(
  spool: PackSpool,
  hash: HashName,
  document: SessionDocument,
  parents: readonly string[],
  message: string,
): Buffer {
  const builder = new TreeBuilder(undefined, hash);
  const tree = builder.folder([]);
  for (const [oid, content] of builder.made) spool.add(oid, "tree", content);
  return encodeCommit({
    tree,
    parents,
    at: new Date(document.updated_at),
    message: `${message}\n\n${JSON.stringify(document, null, 1)}\n`,
  });
}

/** The document in the message of such a commit; `name` is the last part of its ref. */
export function sessionIn(message: string, name: string): SessionDocument {
  let value: unknown;
  try {
    value = JSON.parse(message.slice(message.indexOf("\n\n{") + 2));
  } catch (error) {
    throw sessionDamaged(name, "it is not JSON", error);
  }
  const document = understood(value, name, (id) => idOfRef(sessionRef(id)) === name);
  const { definition } = document;
  // What is run is the text, and what people compare is the digest.
  if (definition !== undefined && definition.digest !== `sha256:${sha256(definition.text)}`) {
    throw sessionDamaged(name, "the digest of its workflow file does not match the text");
  }
  return document;
}
