/**
 * A checkpoint is an order to write files, also into git's own folder, and to move refs. Imported ones were checked; one
 * that came by plain `git fetch` was not, so whatever a rollback is about to do is looked at here.
 */
import { showPath } from "../../../domain/byte-path.ts";
import { Failure } from "../../../domain/failure.ts";
import { isHostileInIndex, isHostilePath, isRestorableRef } from "../../../domain/hostile-path.ts";
import type { RestoreOrder } from "../../../ports/restorer.ts";
import { IndexFile } from "../index-file.ts";
import type { HashName } from "../object-hash.ts";
import { STATE_NAMES } from "../operation-state.ts";
import type { RestoreSteps } from "../../files/exchange/steps.ts";

export function refuseHostile(order: RestoreOrder, steps: RestoreSteps, foldsCase: boolean): void {
  const problem = problemWith(order, steps, foldsCase);
  if (problem !== undefined) throw hostile(problem);
}

/** Git would check out what its index names, wherever that is. Parsed, never searched: version 4 stores only the end of most paths. */
export function refuseHostileIndex(content: Buffer, hash: HashName): void {
  const index = new IndexFile(content, hash);
  if (index.isSplit) throw hostile("its index needs another file");
  for (let entry = 0; entry < index.length; entry++) {
    const path = index.path(entry);
    if (isHostileInIndex(path)) throw hostile(`its index has the path ${showPath(path)}`);
  }
}

function hostile(problem: string): Failure {
  return new Failure("checkpoint_damaged", problem, {
    hint: "It was not created by Waymark, or was tampered with: do not trust it. Nothing was changed.",
  });
}

function problemWith(
  order: RestoreOrder,
  steps: RestoreSteps,
  foldsCase: boolean,
): string | undefined {
  const names: ReadonlySet<string> = new Set(STATE_NAMES);
  const folders = steps.folders.flatMap(({ area, make }) => make.map(([path]) => ({ area, path })));
  for (const { area, path } of [...steps.files, ...folders]) {
    const isForeign = area === "git" && !names.has(path.split("/")[0] ?? "");
    if (isHostilePath(path, foldsCase) || isForeign) return `it would write ${showPath(path)}`;
  }
  const moved = [...order.refs, ...(order.head?.move ? [order.head.move] : [])];
  const ref = moved.find(({ name }) => !isRestorableRef(name));
  return ref === undefined ? undefined : `it would move the ref ${ref.name}`;
}
