// Lists the project's own files, as paths relative to its root with forward slashes.

import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";

const root = resolve(import.meta.dirname, "../..");

/** Every file under a folder; none when there is no such folder. */
export function filesUnder(folder: string): string[] {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    return entry.isDirectory() ? filesUnder(path) : [path];
  });
}

export function exists(path: string): boolean {
  return existsSync(join(root, path));
}

export function read(path: string): string {
  return readFileSync(join(root, path), "utf8");
}
