/** Finds local halves whose checkpoints are gone: a ref was removed by hand, for example. */
import type { Project } from "./project.ts";

/** Of somebody who removed a ref by mistake, and puts it back. */
const GRACE_MS = 60 * 60 * 1000;

/** Ids of the checkpoints that are gone. Fails when it cannot be known which ones are there. */
export function findOrphans({ checkpoints, clock }: Project): Promise<readonly string[]> {
  return checkpoints.strays(new Date(clock.now().getTime() - GRACE_MS));
}
