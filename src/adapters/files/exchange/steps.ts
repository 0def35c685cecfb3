/** Changes to files that a restore makes, in the form that a record on disk keeps. */
import { parsePath, showPath, type BytePath } from "../../../domain/byte-path.ts";
import type { FileState } from "../../../domain/file-state.ts";

/** Files of the project, state files of an operation in the git folder, or files outside (paths from `/`). */
export type Area = "project" | "git" | "outside";

export interface FileStep {
  readonly area: Area;
  readonly path: BytePath;
  readonly before: FileState | null;
  /** Null: the file is taken away. */
  readonly target: FileState | null;
  /** Name of its files in the staging folder. */
  readonly number: number;
}

export interface ModeStep {
  readonly area: Area;
  readonly path: BytePath;
  readonly before: number;
  readonly target: number;
}

export interface FolderSteps {
  readonly area: Area;
  /** To be removed if empty, deepest first, with the modes they had. */
  readonly remove: readonly (readonly [BytePath, number])[];
  /** Empty folders to make. */
  readonly make: readonly (readonly [BytePath, number])[];
  /** Folders that did not exist before and that files need. */
  readonly parents: readonly BytePath[];
}

export interface RestoreSteps {
  readonly files: readonly FileStep[];
  readonly modes: readonly ModeStep[];
  readonly folders: readonly FolderSteps[];
}

/** Paths are written in their shown form, which is plain text and can be read back. */
export function encodeSteps(steps: RestoreSteps): unknown {
  const pairs = (list: readonly (readonly [BytePath, number])[]): [string, number][] =>
    list.map(([path, mode]) => [showPath(path), mode]);
  return {
    files: steps.files.map((step) => ({ ...step, path: showPath(step.path) })),
    modes: steps.modes.map((step) => ({ ...step, path: showPath(step.path) })),
    folders: steps.folders.map((folder) => ({
      area: folder.area,
      remove: pairs(folder.remove),
      make: pairs(folder.make),
      parents: folder.parents.map(showPath),
    })),
  };
}

export function decodeSteps(stored: unknown): RestoreSteps {
  const steps = stored as RestoreSteps;
  const pairs = (list: readonly (readonly [string, number])[]): [BytePath, number][] =>
    list.map(([path, mode]) => [parsePath(path), mode]);
  return {
    files: steps.files.map((step) => ({ ...step, path: parsePath(step.path) })),
    // Records of earlier versions name no area here.
    modes: steps.modes.map((step) => ({ ...step, area: areaOf(step), path: parsePath(step.path) })),
    folders: steps.folders.map((folder) => ({
      area: folder.area,
      remove: pairs(folder.remove),
      make: pairs(folder.make),
      parents: folder.parents.map((path) => parsePath(path)),
    })),
  };
}

function areaOf({ area }: { readonly area?: Area }): Area {
  return area ?? "project";
}
