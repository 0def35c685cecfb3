/** Where Waymark's refs are. They point at commits only and are short: other git clients choke on anything else. */
export const CHECKPOINT_REFS = "refs/waymark/cp";
export const SESSION_REFS = "refs/waymark/session";

export function checkpointRef(id: string): string {
  return `${CHECKPOINT_REFS}/${id}`;
}

export function sessionRef(id: string): string {
  return `${SESSION_REFS}/${id}`;
}
