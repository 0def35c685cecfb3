/** Where Waymark's refs are. They point at commits only and are short: other git clients choke on anything else. */
import { slug } from "../../domain/checkpoint-id.ts";
import { sha256 } from "./sha256.ts";

export const CHECKPOINT_REFS = "refs/waymark/cp";
export const SESSION_REFS = "refs/waymark/session";
/** Only in archives: what is in them. */
export const MANIFEST_REF = "refs/waymark/export/manifest";

export function checkpointRef(id: string): string {
  return `${CHECKPOINT_REFS}/${id}`;
}

/**
 * One component, whatever the session is called: `task-12` must not block `task-12/a`, git refuses names such as
 * `x.lock`, and `x~1` would mean something else. Where the name itself does not do, a digest tells them apart.
 */
export function sessionRef(id: string): string {
  if (/^[A-Za-z0-9][A-Za-z0-9_-]{0,49}$/.test(id)) return `${SESSION_REFS}/${id}`;
  return `${SESSION_REFS}/${slug(id)}-${sha256(id).slice(0, 12)}`;
}
