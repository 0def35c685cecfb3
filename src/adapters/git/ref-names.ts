/** Where Waymark's refs are. They point at commits only and are short: other git clients choke on anything else. */
import type { CheckpointDocument } from "../../domain/checkpoint.ts";
import { slug } from "../../domain/checkpoint-id.ts";
import { sha256 } from "./sha256.ts";

export const OWN_REFS = "refs/waymark";
export const CHECKPOINT_REFS = "refs/waymark/cp";
/** What of them must not leave the machine. */
export const LOCAL_REFS = "refs/waymark/local";
export const SESSION_REFS = "refs/waymark/session";
/** What is written of a work tree's own session while the document at its ref cannot be read. */
export const STAND_IN_REFS = "refs/waymark/standin";
/** Documents of sessions that could not be read, put out of the way by `doctor --fix`. */
export const DAMAGED_REFS = "refs/waymark/damaged";
/** In the project: commits of the user that checkpoints build on. */
export const KEEP_REFS = "refs/waymark/keep";
/** Only in archives: what is in them. */
export const MANIFEST_REF = "refs/waymark/export/manifest";
/** Deleted checkpoints that can still be brought back. */
export const TRASH_REFS = "refs/waymark/trash";
export const TAG_REFS = "refs/tags/waymark";

export function checkpointRef(id: string): string {
  return `${CHECKPOINT_REFS}/${id}`;
}

export function localRef(id: string): string {
  return `${LOCAL_REFS}/${id}`;
}

export function trashRef(id: string): string {
  return `${TRASH_REFS}/${id}`;
}

/** The same number of components for every checkpoint, so that no tag of ours is in the way of another. */
export function tagRef(
  document: Pick<CheckpointDocument, "id" | "phase" | "name" | "trigger">,
): string {
  const label = slug(document.phase ?? document.name ?? "none");
  return `${TAG_REFS}/${label}/${document.trigger}/${document.id}`;
}

/** The last component of a ref of ours. */
export function idOfRef(ref: string): string {
  return ref.slice(ref.lastIndexOf("/") + 1);
}

/**
 * One component, whatever the session is called: `task-12` must not block `task-12/a`, git refuses names such as
 * `x.lock`, and `x~1` would mean something else. Where the name itself does not do, a digest tells them apart.
 */
export function sessionRef(id: string): string {
  if (/^[A-Za-z0-9][A-Za-z0-9_-]{0,49}$/.test(id)) return `${SESSION_REFS}/${id}`;
  return `${SESSION_REFS}/${slug(id)}-${sha256(id).slice(0, 12)}`;
}
