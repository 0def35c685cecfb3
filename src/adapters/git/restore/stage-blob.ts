/** Writes one file or link that a rollback will put into place. */
import { closeSync, fchmodSync, openSync, symlinkSync } from "node:fs";
import { dirname } from "node:path";
import type { FileState } from "../../../domain/file-state.ts";
import { giveToOwnerOf } from "../../files/owner-and-mode.ts";
import type { ObjectReader } from "../object-reader.ts";
import { writeBlob } from "../write-blob.ts";

/** Read, checked and written with its mode; syncing it is for the caller. `onSize` may refuse it by throwing. */
export async function stageBlob(
  reader: ObjectReader,
  path: string,
  state: FileState,
  onSize?: (bytes: number) => void,
): Promise<void> {
  if (state.type === "link") {
    const target = await reader.readChecked(state.oid, "blob");
    onSize?.(target.length);
    symlinkSync(target, path);
    return;
  }
  const fd = openSync(path, "wx", 0o600);
  try {
    await writeBlob(reader, state.oid, fd, onSize);
    giveToOwnerOf(dirname(path), fd);
    fchmodSync(fd, state.mode);
  } finally {
    closeSync(fd);
  }
}
