/** Which documents of sessions this Waymark understands. */
import { SCHEMA_VERSION } from "./checkpoint.ts";
import { Failure } from "./failure.ts";
import type { SessionDocument } from "./session.ts";

/** One that a later version wrote may mean something else: it is neither read nor changed. */
export function understood(document: SessionDocument, id: string): SessionDocument {
  if (!(document.schema_version > SCHEMA_VERSION)) return document;
  throw new Failure("checkpoint_newer", `session ${id} was written by a newer Waymark`, {
    hint: "Update Waymark; nothing was changed.",
  });
}
