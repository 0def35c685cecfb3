/** Who this process is, and whether another one still lives. */
import type { HolderLife, LeaseHolder } from "../domain/workflow/lease.ts";

export interface Liveness {
  own(): LeaseHolder;
  /** unknown: it is on another machine, or in a container that nobody can look into from here. A process id that was given to another process since is dead. */
  lifeOf(holder: LeaseHolder): HolderLife;
  /** Whether that process started this one, or one that did. Undefined: the system does not tell. */
  isBelow(holder: LeaseHolder): boolean | undefined;
}
