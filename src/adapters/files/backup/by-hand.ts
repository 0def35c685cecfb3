/** How to bring a file backup back without Waymark. */
import { asBytePath, parentOf, type BytePath } from "../../../domain/byte-path.ts";
import { isOutside, type BackupEntry } from "../../../domain/file-backup.ts";
import { showMode } from "../../../domain/file-state.ts";
import { shellWord } from "../../../domain/shell-word.ts";
import { rootFolder } from "../byte-names.ts";

/** Every one stands on its own, in any folder. `-T`: a folder in the place of the file is an error and not where it goes. */
export function commandsFor(
  root: string,
  entries: Iterable<BackupEntry>,
  /** Absolute. */
  copyOf: (path: BytePath) => BytePath,
): string[] {
  const project = rootFolder(root);
  const inProject = (path: BytePath): string => `${project}/${path}`;
  return [...entries].map((entry) => {
    const place = isOutside(entry.path) ? entry.path : inProject(entry.path);
    const to = shellWord(place);
    switch (entry.type) {
      case "file": {
        const from = shellWord(copyOf(entry.path));
        return `install -D -T -m ${showMode(entry.mode)} ${from} ${to}`;
      }
      case "link": {
        const folder = shellWord(parentOf(asBytePath(place)));
        return `mkdir -p ${folder} && ln -s -f -n -- ${shellWord(entry.target)} ${to}`;
      }
      case "folder":
        return `mkdir -p ${to} && chmod ${showMode(entry.mode)} ${to}`;
    }
  });
}
