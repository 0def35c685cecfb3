/** Checks what a checkpoint from outside holds beside the work tree: as strictly as a rollback to it would, and before any of it counts. */
import { extraPartsOf, type CheckpointDocument } from "../../../domain/checkpoint.ts";
import { isOutside } from "../../../domain/file-backup.ts";
import { asBytePath } from "../../../domain/byte-path.ts";
import { revisionOf, type LocalHalf } from "../../../domain/local-half.ts";
import type { ExtraPart } from "../../../domain/parts.ts";
import { patternProblem } from "../../../domain/path-pattern.ts";
import type { HeldPart } from "../../../ports/part-keeper.ts";
import { checkForeignDatabase } from "../../database/held-database.ts";
import { countProblem, readManifest } from "../../files/backup/read-manifest.ts";
import { readHeldState } from "../../files/state/held-state.ts";

/** A file of the checkpoint's tree by its name there; fails with checkpoint_damaged when there is none. */
export type ReadPart = (name: string) => Promise<Buffer>;

/** Undefined: nothing is wrong. Damage to what a part holds is thrown. */
export async function partsProblem(
  document: CheckpointDocument,
  read: ReadPart,
  foldsCase: boolean,
  /** What of its local half came along. */
  here: LocalHalf,
): Promise<string | undefined> {
  const extra = extraPartsOf(document);
  if (document.parts.length - extra.length > 1) return "it contains more than one work tree";
  const state = extra.find(({ type }) => type === "state_snapshot");
  if (document.state_digest !== (state?.digest ?? null)) return "its state_digest is wrong";
  const seen = new Set<string>();
  for (const part of extra) {
    const name = part.type === "database_savepoint" ? part.folder : part.type;
    if (seen.has(name)) return `it contains ${JSON.stringify(name)} twice`;
    seen.add(name);
    const problem = await partProblem(document, part, read, foldsCase, here);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

async function partProblem(
  document: CheckpointDocument,
  part: ExtraPart,
  read: ReadPart,
  foldsCase: boolean,
  here: LocalHalf,
): Promise<string | undefined> {
  const isOld = part.type === "database_savepoint" && document.local?.database === undefined;
  const entry = part.type === "file_backup" ? "files" : "database";
  const refuse = (): Promise<never> =>
    Promise.reject(new Error("nothing of an archive is written before it counts"));
  const held = <P extends ExtraPart>(one: P): HeldPart<P> => ({
    checkpointId: document.id,
    part: one,
    isForeign: true,
    isHere: () => Promise.resolve(isOld || here[entry] !== undefined),
    revision: (name) => revisionOf(document, name),
    read,
    sha256: refuse,
    extract: refuse,
  });
  switch (part.type) {
    case "file_backup": {
      const manifest = await readManifest(held(part), foldsCase);
      const wrong = [...part.patterns, ...part.outside].find(
        (pattern) => patternProblem(pattern) !== undefined,
      );
      const inside = part.outside.find((pattern) => !isOutside(asBytePath(pattern)));
      const odd = wrong ?? inside;
      return odd === undefined
        ? countProblem(manifest, part)
        : `its file backup has the pattern ${JSON.stringify(odd)}`;
    }
    case "state_snapshot":
      await readHeldState(held(part));
      return undefined;
    case "database_savepoint":
      await checkForeignDatabase(held(part));
      return undefined;
  }
}
