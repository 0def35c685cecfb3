/** Waymark's own folder in a project: private, and kept out of git without touching the user's `.gitignore`. */
import { appendFileSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isMissing } from "../files/errors.ts";
import { OWN_FOLDER } from "../files/own-folder-name.ts";
import type { Repository } from "./repository.ts";

const LINE = `/${OWN_FOLDER}/`;

export function ownFolder(repository: Repository, name: string): string {
  const folder = join(repository.workTree, OWN_FOLDER, name);
  excludeOwnFolder(repository);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return folder;
}

/** Appended and never rewritten: the file is the user's. */
function excludeOwnFolder(repository: Repository): void {
  const path = join(repository.commonDir, "info", "exclude");
  const text = readIfThere(path);
  if (text.split(/\r?\n/).some((line) => line.replace(/^\//, "").replace(/\/$/, "") === OWN_FOLDER))
    return;
  mkdirSync(join(repository.commonDir, "info"), { recursive: true });
  const gap = text === "" || text.endsWith("\n") ? "" : "\n";
  appendFileSync(path, `${gap}# Waymark's own files\n${LINE}\n`);
}

function readIfThere(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch (error) {
    if (isMissing(error)) return "";
    throw error;
  }
}
