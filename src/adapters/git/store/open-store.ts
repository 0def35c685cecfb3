/** Before a command that changes something: the store is there, has what earlier versions kept in the project, and what it borrows is kept. */
import { Failure } from "../../../domain/failure.ts";
import { isDenied, errorCode } from "../../files/errors.ts";
import { copyOldRefs, hasOldRefs, takeOverOldRefs } from "../plain/take-over.ts";
import { Quarantine } from "../quarantine.ts";
import { KEEP_REFS } from "../ref-names.ts";
import { refsBelow } from "../ref-values.ts";
import type { Repository } from "../repository.ts";
import { areKept, mendBases, readBases } from "./bases.ts";
import { makeStore, mendAlternates } from "./make-store.ts";
import { isStore } from "./store-place.ts";

export interface StoreReport {
  readonly tell: (message: string) => void;
  readonly warn: (message: string) => void;
}

export async function openStore(project: Repository, { tell, warn }: StoreReport): Promise<void> {
  if (project.isPlain) return;
  const isNew = !isStore(project.store);
  try {
    await makeStore(project, async (store) => {
      if (hasOldRefs(project)) await copyOldRefs(store);
    });
  } catch (error) {
    // Reading goes on without it; what would be stored says so.
    const isReadOnly = isDenied(error) || errorCode(error) === "EROFS";
    if (!isReadOnly && !(error instanceof Failure)) throw error;
    if (!isReadOnly) warn((error as Failure).message);
  }
  const { store } = project;
  if (!isStore(store)) return;
  try {
    if (isNew && (await refsBelow(project, [KEEP_REFS])).size > 0 && !hasOldRefs(project)) {
      warn(`the store of checkpoints, ${store.commonDir}, was gone; a new one was created`);
    }
    if (readBases(store).owns !== true) mendAlternates(store);
    if (hasOldRefs(project)) await moveOldRefs(project, { tell, warn });
    if (!(await areKept(store))) await mend(store, warn);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    warn(`${error.message}. ${error.hint}`);
  }
}

async function moveOldRefs(project: Repository, { tell, warn }: StoreReport): Promise<void> {
  const taken = await takeOverOldRefs(project);
  if (taken === undefined) return;
  const { length } = taken.ids;
  if (length > 0) {
    tell(
      `moved ${length === 1 ? "1 checkpoint" : `${length} checkpoints`} of an earlier version into .git/waymark/store; ` +
        "`git gc` frees what they took in the repository",
    );
  }
  for (const { ref, why } of taken.left) warn(`not moved: ${ref}: ${why}`);
}

async function mend(store: Repository, warn: (message: string) => void): Promise<void> {
  const quarantine = new Quarantine(store);
  try {
    for (const note of await mendBases(store, quarantine)) warn(note);
  } finally {
    quarantine.discard();
  }
}
