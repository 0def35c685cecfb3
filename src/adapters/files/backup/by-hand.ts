/** How to bring a file backup back without Waymark. */
import { asBytePath, parentOf, type BytePath } from "../../../domain/byte-path.ts";
import { entryOf, isOutside, type BackupEntry } from "../../../domain/file-backup.ts";
import { showMode } from "../../../domain/file-state.ts";
import { shellWord } from "../../../domain/shell-word.ts";
import { rootFolder } from "../byte-names.ts";

export interface ByHand {
  readonly root: string;
  readonly git: string;
  /** What git calls an entry of the checkpoint. */
  readonly revision: (name: string) => string;
}

/**
 * Every one stands on its own, in any folder, and changes nothing when git fails. `-T`: a folder in the place of the file is an error
 * and not where it goes.
 */
export function commandsFor(place: ByHand, entries: Iterable<BackupEntry>): string[] {
  const project = rootFolder(place.root);
  return [...entries].map((entry) => {
    const path = asBytePath(isOutside(entry.path) ? entry.path : `${project}/${entry.path}`);
    const to = shellWord(path);
    switch (entry.type) {
      case "file":
        return fileCommand(place, entry, path);
      case "link": {
        const folder = shellWord(parentOf(path));
        return `mkdir -p ${folder} && ln -s -f -n -- ${shellWord(entry.target)} ${to}`;
      }
      case "folder":
        return `mkdir -p ${to} && chmod ${showMode(entry.mode)} ${to}`;
    }
  });
}

function fileCommand(
  { git, revision }: ByHand,
  entry: Extract<BackupEntry, { type: "file" }>,
  path: BytePath,
): string {
  const blob = shellWord(revision(entryOf(entry.path)));
  const [to, beside] = [shellWord(path), shellWord(`${path}.waymark`)];
  return [
    `mkdir -p ${shellWord(parentOf(path))}`,
    `(umask 077; ${git} cat-file blob ${blob} > ${beside})`,
    `chmod ${showMode(entry.mode)} ${beside}`,
    `mv -f -T ${beside} ${to}`,
  ].join(" && ");
}
