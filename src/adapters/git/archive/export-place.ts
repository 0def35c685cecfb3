/** Where an export goes when nobody says, and what may be in its place. */
import { statSync } from "node:fs";
import { basename, join } from "node:path";
import { slug } from "../../../domain/checkpoint-id.ts";
import { Failure } from "../../../domain/failure.ts";
import { isMissing } from "../../files/errors.ts";
import { makeFolders } from "../../files/make-folders.ts";
import { placeFile } from "../../files/place-file.ts";
import { timeStamp } from "../../files/time-stamp.ts";
import type { Repository } from "../repository.ts";

/** Exports of the same second. */
const TRIES = 1000;

export interface ExportPlace {
  /** Moves the finished file there and returns its name. */
  put(finished: string): string;
}

/** Asked before the work is done, so that a taken name is no surprise at the end of it. */
export function exportPlace(
  repository: Repository,
  file: string | undefined,
  overwrite: boolean,
  at: Date,
): ExportPlace {
  const name = `${slug(basename(repository.workTree))}-${timeStamp(at)}`;
  if (file === undefined) return numbered(ownExports(repository), name);
  const kind = kindAt(file);
  if (kind === "folder") return numbered(file, name);
  if (kind === "other") {
    throw new Failure("usage", `${file} exists and is not a file`, {
      hint: "Name a file or a folder with --output.",
    });
  }
  if (kind === "file" && !overwrite) throw taken(file);
  return {
    put: (finished) => {
      if (!placeFile(finished, file, overwrite)) throw taken(file);
      return file;
    },
  };
}

function ownExports(repository: Repository): string {
  const folder = exportsFolder(repository);
  makeFolders(folder, 0o700);
  return folder;
}

export function exportsFolder({ ownFolder }: Repository): string {
  return join(ownFolder, "exports");
}

function numbered(folder: string, name: string): ExportPlace {
  return {
    put: (finished) => {
      for (let number = 1; number < TRIES; number++) {
        const path = join(folder, `${name}${number === 1 ? "" : `-${number}`}.bundle`);
        if (placeFile(finished, path, false)) return path;
      }
      throw taken(folder);
    },
  };
}

function taken(file: string): Failure {
  return new Failure("already_exists", `${file} already exists`, {
    hint: "Choose another name with -o, or add --force to replace it.",
  });
}

function kindAt(path: string): "none" | "file" | "folder" | "other" {
  try {
    const stat = statSync(path);
    return stat.isFile() ? "file" : stat.isDirectory() ? "folder" : "other";
  } catch (error) {
    if (isMissing(error)) return "none";
    throw error;
  }
}
