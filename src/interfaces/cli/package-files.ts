/** Files that are shipped beside the program: schemas, completion scripts. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Failure } from "../../domain/failure.ts";

/** The folder of package.json, from dist/ as well as from src/. */
function packageRoot(): string {
  let folder = import.meta.dirname;
  while (!existsSync(join(folder, "package.json")) && folder !== dirname(folder)) {
    folder = dirname(folder);
  }
  return folder;
}

export function packagePath(...parts: readonly string[]): string {
  return join(packageRoot(), ...parts);
}

export function readPackageFile(...parts: readonly string[]): string {
  return reading(packagePath(...parts), (path) => readFileSync(path, "utf8"));
}

export function packageFileNames(folder: string): string[] {
  return reading(packagePath(folder), (path) => readdirSync(path));
}

function reading<Result>(path: string, read: (path: string) => Result): Result {
  try {
    return read(path);
  } catch (error) {
    throw new Failure("io_failed", `${path}, which belongs to Waymark, cannot be read`, {
      hint: "The installation is damaged. Install Waymark again.",
      cause: error,
    });
  }
}
