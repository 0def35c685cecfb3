/** Which commit a checkpoint's ref should point at, also when the ref or the commit is damaged. */
import { readDocument } from "../../../domain/document-text.ts";
import { Failure } from "../../../domain/failure.ts";
import { messageOf } from "../commit-object.ts";
import type { ObjectReader } from "../object-reader.ts";
import { checkpointRef } from "../ref-names.ts";
import { refValues } from "../ref-values.ts";
import type { Repository } from "../repository.ts";
import { runGit } from "../run-git.ts";
import { sha256 } from "../sha256.ts";

export async function refValue(repository: Repository, id: string): Promise<string | undefined> {
  return (await refValues(repository, checkpointRef(id))).get(checkpointRef(id));
}

/** A commit that no ref may point at any more, and whose document is that of the checkpoint. */
export async function lostCommit(
  repository: Repository,
  reader: ObjectReader,
  id: string,
): Promise<string | undefined> {
  const { stdout } = await runGit(
    repository,
    ["cat-file", "--batch-check=%(objecttype) %(objectname)", "--batch-all-objects", "--unordered"],
    // Damaged objects are in its way and no reason to stop; it has said what it could by then.
    { accept: [0, 128] },
  );
  for (const line of stdout.toString("latin1").split("\n")) {
    if (!line.startsWith("commit ")) continue;
    const oid = line.slice("commit ".length);
    if (await isWholeDocument(reader, oid, id)) return oid;
  }
  return undefined;
}

async function isWholeDocument(reader: ObjectReader, oid: string, id: string): Promise<boolean> {
  try {
    const commit = await reader.readChecked(oid, "commit");
    return readDocument(messageOf(commit), id, sha256).kind === "ok";
  } catch (error) {
    if (error instanceof Failure && error.code === "checkpoint_damaged") return false;
    throw error;
  }
}
