/**
 * Before a command that changes something: the store is there, has what earlier versions kept in the project, and what it borrows is kept.
 * Every checkpoint goes through here, so what is rarely needed is loaded when it is.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { Failure } from "../../../domain/failure.ts";
import { errorCode, isDenied } from "../../files/errors.ts";
import type { Repository } from "../repository.ts";
import { followSharing } from "../sharing.ts";
import { areKept, readBases } from "./bases.ts";
import { hasOldRefs, isStore, lendsProject } from "./store-place.ts";

export interface StoreReport {
  readonly tell: (message: string) => void;
  readonly warn: (message: string) => void;
}

export async function openStore(project: Repository, report: StoreReport): Promise<void> {
  if (project.isPlain) return;
  if (!isStore(project.store)) await newStore(project, report);
  const { store } = project;
  if (!isStore(store)) return;
  try {
    await followSharing(project);
    const bases = readBases(store);
    const isComplete =
      existsSync(join(store.commonDir, "HEAD")) && (bases.owns === true || lendsProject(store));
    if (!isComplete) (await import("./make-store.ts")).mendStore(store);
    if (hasOldRefs(project)) await moveOldRefs(project, report);
    if (!(await areKept(store, bases))) await mend(store, report);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    report.warn(`${error.message}. ${error.hint}`);
  }
}

async function newStore(project: Repository, { warn }: StoreReport): Promise<void> {
  const { makeStore, wasThere } = await import("./make-store.ts");
  try {
    if (await wasThere(project))
      warn("the store of checkpoints was missing; a new one was created");
    await makeStore(project, async (store) => {
      if (!hasOldRefs(project)) return;
      const { copyOldRefs } = await import("../plain/take-over.ts");
      await copyOldRefs(store);
    });
  } catch (error) {
    // Reading goes on without it; what would be stored says so.
    if (isDenied(error) || errorCode(error) === "EROFS") return;
    if (!(error instanceof Failure)) throw error;
    warn(error.message);
  }
}

async function moveOldRefs(project: Repository, { tell, warn }: StoreReport): Promise<void> {
  const { takeOverOldRefs } = await import("../plain/take-over.ts");
  const taken = await takeOverOldRefs(project);
  if (taken === undefined) return;
  const { length } = taken.ids;
  const { writeBases } = await import("./bases.ts");
  const bases = readBases(project.store);
  const before = bases.takenOver?.checkpoints ?? 0;
  const left = taken.left.map(({ ref }) => ref);
  const takenOver = { at: new Date().toISOString(), checkpoints: before + length, left };
  writeBases(project.store, { ...bases, takenOver });
  if (length > 0) {
    tell(
      `moved ${length === 1 ? "1 checkpoint" : `${length} checkpoints`} of an earlier version into .git/waymark/store; ` +
        "`git gc` frees what they took in the repository",
    );
  }
  for (const { ref, why } of taken.left) warn(`not moved: ${ref}: ${why}`);
}

async function mend(store: Repository, { warn }: StoreReport): Promise<void> {
  const [{ mendBases }, { Quarantine }] = await Promise.all([
    import("./protect-commits.ts"),
    import("../quarantine.ts"),
  ]);
  const quarantine = new Quarantine(store);
  try {
    for (const note of await mendBases(store, quarantine)) warn(note);
  } finally {
    quarantine.discard();
  }
}
