/** The Liveness port by what the system says about processes. */
import type { HolderLife, LeaseHolder } from "../../domain/workflow/lease.ts";
import type { Liveness } from "../../ports/liveness.ts";
import { ancestors, isAlive, isOutOfSight, ownIdentity } from "./process-identity.ts";

export class ProcessLiveness implements Liveness {
  readonly #user: string | null;

  constructor(user: string | null) {
    this.#user = user;
  }

  own(): LeaseHolder {
    return { ...ownIdentity(), user: this.#user };
  }

  lifeOf(holder: LeaseHolder): HolderLife {
    return isAlive(holder);
  }

  isBelow(holder: LeaseHolder): boolean | undefined {
    // From inside a sandbox nobody sees who started it.
    if (isOutOfSight(holder)) return undefined;
    const isHere =
      holder.pid_namespace === undefined || holder.pid_namespace === ownIdentity().pid_namespace;
    if (!isHere || isAlive(holder) !== "alive") return false;
    return ancestors()?.includes(holder.pid);
  }
}
