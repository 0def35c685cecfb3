/** The files of one task: there should be one, and a rollback or a copy may have left more. */
import { createHash } from "node:crypto";
import { join } from "node:path";
import { asBytePath, encodeUtf8, showPath, type BytePath } from "../../domain/byte-path.ts";
import { readProblem } from "../../domain/system-error.ts";
import { keyOfFile, type TaskFolder, type TaskSnapshot } from "../../domain/task.ts";
import { statOf } from "../files/file-stat.ts";
import { namesIn } from "../files/names-in.ts";
import { contentOf, staysBelow } from "../files/state/exchange-file.ts";
import { placesOf, type BacklogFolder } from "./backlog-folder.ts";
import { NoTask, TaskText } from "./task-text.ts";

/** A task is a page of text; what is larger is none. */
const MOST_BYTES = 8 * 1024 * 1024;

export interface TaskFile {
  readonly folder: TaskFolder;
  /** From the root of the project. */
  readonly path: string;
}

/** Those for present work first. */
export function filesOf(root: string, backlog: BacklogFolder, key: string): TaskFile[] {
  return placesOf(backlog).flatMap(({ folder, path }) =>
    namesIn(join(root, path))
      .filter((name) => keyOfFile(name) === key)
      .toSorted()
      .map((name) => ({ folder, path: `${path}/${name}` })),
  );
}

export interface ReadTask {
  readonly bytes: Buffer;
  readonly text: TaskText;
  readonly task: TaskSnapshot;
}

/** Fails with `NoTask` when it cannot be read. */
export function readTask(root: string, { folder, path }: TaskFile, key: string): ReadTask {
  const bytes = taskBytes(root, path);
  const text = new TaskText(bytes);
  const { id, status, labels, assignee } = text.fields;
  const task: TaskSnapshot = {
    id: id ?? key.toUpperCase(),
    path: showPath(bytePath(path)),
    folder,
    status,
    labels,
    assignee,
    file_digest: digest(bytes),
    rest_digest: digest(text.rest()),
  };
  return { bytes, text, task };
}

/** Fails with `NoTask` when it is no file of the project. */
export function taskBytes(root: string, path: string): Buffer {
  const at = join(root, path);
  const stat = statOf(at);
  if (stat === undefined) throw new NoTask("it is missing");
  if (!stat.isFile()) throw new NoTask("it is not a regular file");
  if (stat.size > MOST_BYTES) throw new NoTask("it is too large for a task");
  if (!staysBelow(root, at)) throw new NoTask("its folder points outside the project");
  try {
    const bytes = contentOf(at);
    if (bytes !== undefined) return bytes;
  } catch (error) {
    throw new NoTask(readProblem(error));
  }
  throw new NoTask("it is missing");
}

export function bytePath(path: string): BytePath {
  return asBytePath(encodeUtf8(path));
}

function digest(bytes: Buffer): string {
  return `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
}
