/** Changes of refs, as `git update-ref --stdin -z` takes them in one transaction. */
import { comparePaths } from "../../domain/byte-path.ts";
import { nullId } from "./object-hash.ts";
import type { Repository } from "./repository.ts";

export interface RefChange {
  readonly name: string;
  /** Undefined: it must not exist. */
  readonly old: string | undefined;
  /** Undefined: it is deleted. */
  readonly new: string | undefined;
  /** Change HEAD itself and not the branch that it points at. */
  readonly noDereference?: boolean;
}

export function transaction(repository: Repository, changes: readonly RefChange[]): string {
  const zero = nullId(repository.hash);
  const lines = ["start"];
  // Git locks them in this order: two transactions about the same refs must not wait for each other. It writes them in this order, too:
  // a checkpoint comes and goes before its local half, so a half without a checkpoint is a stray one.
  const sorted = changes.toSorted((left, right) => comparePaths(left.name, right.name));
  for (const change of sorted) {
    if (change.noDereference === true) lines.push("option no-deref");
    if (change.new === undefined) lines.push(`delete ${change.name}`, change.old ?? "");
    else lines.push(`update ${change.name}`, change.new, change.old ?? zero);
  }
  lines.push("prepare", "commit");
  return `${lines.join("\0")}\0`;
}
