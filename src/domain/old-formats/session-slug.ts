/** Ids of sessions that come from elsewhere, as one component of a ref. */
import { slug } from "../checkpoint-id.ts";

const VALID = /^[A-Za-z0-9][A-Za-z0-9_-]{0,49}$/;
/** The work trees' own sessions begin with this. */
const OURS = /^worktree-/i;

/** The id itself where it will do; elsewhere what is left of it, and a digest that tells it from others. */
export function sessionSlug(id: string, sha256: (text: string) => string): string {
  if (VALID.test(id) && !OURS.test(id)) return id;
  return `imported-${slug(id)}-${sha256(id).slice(0, 8)}`;
}
