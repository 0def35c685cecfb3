/** Identities for tests: of this process as if it had ended. */
import { ownIdentity, type ProcessIdentity } from "./process-identity.ts";

/** The process id is in use, but by a process that began at another time. */
export function deadIdentity(): ProcessIdentity {
  return { ...ownIdentity(), started: "1" };
}
