/**
 * Whether a record on disk is one of a rollback. Recovery moves and removes what it names, so one that was damaged is not acted on, and a
 * staging folder that is none is never cleared.
 */
import { ancestorsOf, parsePath } from "../../../domain/byte-path.ts";
import {
  isBoolean,
  isCount,
  isText,
  listOf,
  oneOf,
  orMissing,
  orNull,
  recordWith,
  type Shape,
} from "../../../domain/json-shape.ts";
import type { Intent } from "./intent.ts";
import { isStagingName } from "./staging-place.ts";

const isTextOrNull = orNull(isText);
const isArea = oneOf(["project", "git", "outside"]);

const isPath: Shape = (value) =>
  typeof value === "string" && staysInside(value) ? undefined : "is no path";

function staysInside(text: string): boolean {
  try {
    const path = parsePath(text);
    return [path, ...ancestorsOf(path)].every((one) => !/(?:^|\/)\.\.?$/.test(one));
  } catch {
    return false;
  }
}

const isModeOf: Shape = (value) =>
  Array.isArray(value) && value.length === 2
    ? (isPath(value[0]) ?? isCount(value[1]))
    : "is no path with a mode";

const isState = orNull(recordWith({ type: oneOf(["file", "link"]), oid: isText, mode: isCount }));
const isMove = recordWith({ name: isText, from: isTextOrNull, to: isTextOrNull });
const isPosition = recordWith({ branch: isTextOrNull, commit: isTextOrNull });

const intentProblem = recordWith({
  version: oneOf([1]),
  rollback_id: isText,
  owner: recordWith({
    host: isText,
    boot: isText,
    pid: isCount,
    started: isText,
    pid_namespace: orMissing(isText),
  }),
  since: isText,
  phase: oneOf(["locking", "applying"]),
  target_id: isText,
  safety_id: isTextOrNull,
  lock: recordWith({ dev: isText, ino: isText }),
  staging: isText,
  steps: recordWith({
    files: listOf(
      recordWith({ area: isArea, path: isPath, before: isState, target: isState, number: isCount }),
    ),
    modes: listOf(
      recordWith({ area: orMissing(isArea), path: isPath, before: isCount, target: isCount }),
    ),
    folders: listOf(
      recordWith({
        area: isArea,
        remove: listOf(isModeOf),
        make: listOf(isModeOf),
        parents: listOf(isPath),
      }),
    ),
  }),
  head: orNull(recordWith({ from: isPosition, to: isPosition, move: orNull(isMove) })),
  refs: listOf(isMove),
  new_index: isTextOrNull,
  changes_index: isBoolean,
  safety_index: isTextOrNull,
  parts: orMissing(listOf(isCount)),
  part_paths: orMissing(orNull(listOf(isText))),
});

export function isIntent(value: unknown): value is Intent {
  if (intentProblem(value) !== undefined) return false;
  const { rollback_id, staging } = value as Intent;
  return /^[\w-]+$/.test(rollback_id) && isStagingName(staging, rollback_id);
}
