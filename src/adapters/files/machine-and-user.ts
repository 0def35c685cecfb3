/** What files that count only here are bound to. */
import { readFileSync } from "node:fs";

export function machineAndUser(): readonly [machine: string, user: number | null] {
  return [machineId(), process.getuid?.() ?? null];
}

let machine: string | undefined;

/** Empty where the system has none, as in most containers: then a copy of the whole repository brings its marks along. */
function machineId(): string {
  if (machine === undefined) {
    try {
      machine = readFileSync("/etc/machine-id", "latin1").trim();
    } catch {
      machine = "";
    }
  }
  return machine;
}
