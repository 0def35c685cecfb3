/** Keeps the copies of files in `.checkpoints/` out of git. */
import { join } from "node:path";
import { makeFolders } from "../files/make-folders.ts";
import { syncFile } from "../files/durable-write.ts";
import { isMissing } from "../files/errors.ts";
import { OWN_FOLDER } from "../files/own-folder-name.ts";
import { appendRegular, readRegular } from "../files/regular-file.ts";
import type { Repository } from "./repository.ts";

const LINE = `/${OWN_FOLDER}/`;

/** Whichever way it is said. */
function isOwnFolderExcluded(repository: Repository): boolean {
  return excludeText(repository)
    .split(/\r?\n/)
    .some((line) => line.trimEnd().replace(/^\//, "").replace(/\/$/, "") === OWN_FOLDER);
}

/** Appended and never rewritten: the file is the user's. */
export function excludeOwnFolder(repository: Repository): void {
  if (isOwnFolderExcluded(repository)) return;
  const text = excludeText(repository);
  makeFolders(join(repository.commonDir, "info"));
  appendRegular(excludePath(repository), `${restOf(text)}\n`, 0o666);
  syncFile(excludePath(repository));
}

/** What is missing behind the text: after a crash a part of our line may be there. */
function restOf(text: string): string {
  const last = text.slice(text.lastIndexOf("\n") + 1);
  if (last === "") return LINE;
  return LINE.startsWith(last) ? LINE.slice(last.length) : `\n${LINE}`;
}

function excludeText(repository: Repository): string {
  try {
    return readRegular(excludePath(repository), "latin1");
  } catch (error) {
    if (isMissing(error)) return "";
    throw error;
  }
}

function excludePath(repository: Repository): string {
  return join(repository.commonDir, "info", "exclude");
}
