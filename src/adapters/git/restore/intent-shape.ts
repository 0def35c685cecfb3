/**
 * Whether a record on disk is one of a rollback. Recovery moves and removes what it names, so one that was damaged is not acted on, and a
 * staging folder that is none is never cleared.
 */
import { ancestorsOf, parsePath } from "../../../domain/byte-path.ts";
import type { Intent } from "./intent.ts";

type Check = (value: unknown) => boolean;

const isText: Check = (value) => typeof value === "string";
const isNumber: Check = Number.isSafeInteger;
const isFlag: Check = (value) => typeof value === "boolean";

const orNull =
  (check: Check): Check =>
  (value) =>
    value === null || check(value);

const orNothing =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value);

const list =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check);

const oneOf =
  (...allowed: readonly unknown[]): Check =>
  (value) =>
    allowed.includes(value);

function record(checks: Readonly<Record<string, Check>>): Check {
  return (value) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
    const found = value as Readonly<Record<string, unknown>>;
    return Object.entries(checks).every(([key, check]) => check(found[key]));
  };
}

const isArea = oneOf("project", "git", "outside");

const isPath: Check = (value) => {
  if (typeof value !== "string") return false;
  try {
    const path = parsePath(value);
    return [path, ...ancestorsOf(path)].every((one) => !/(?:^|\/)\.\.?$/.test(one));
  } catch {
    return false;
  }
};

const isModeOf: Check = (value) =>
  Array.isArray(value) && value.length === 2 && isPath(value[0]) && isNumber(value[1]);

const isState = orNull(record({ type: oneOf("file", "link"), oid: isText, mode: isNumber }));

const isMove = record({ name: isText, from: orNull(isText), to: orNull(isText) });

const isPosition = record({ branch: orNull(isText), commit: orNull(isText) });

const hasFields = record({
  version: oneOf(1),
  rollback_id: isText,
  owner: record({ host: isText, boot: isText, pid: isNumber, started: isText }),
  since: isText,
  phase: oneOf("locking", "applying"),
  target_id: isText,
  safety_id: orNull(isText),
  lock: record({ dev: isText, ino: isText }),
  staging: isText,
  steps: record({
    files: list(
      record({ area: isArea, path: isPath, before: isState, target: isState, number: isNumber }),
    ),
    modes: list(
      record({ area: orNothing(isArea), path: isPath, before: isNumber, target: isNumber }),
    ),
    folders: list(
      record({ area: isArea, remove: list(isModeOf), make: list(isModeOf), parents: list(isPath) }),
    ),
  }),
  head: orNull(record({ from: isPosition, to: isPosition, move: orNull(isMove) })),
  refs: list(isMove),
  new_index: orNull(isText),
  changes_index: isFlag,
  safety_index: orNull(isText),
  parts: orNothing(list(isNumber)),
  part_paths: orNothing(orNull(list(isText))),
});

export function isIntent(value: unknown): value is Intent {
  if (!hasFields(value)) return false;
  const { rollback_id, staging } = value as Intent;
  return /^[\w-]+$/.test(rollback_id) && staging.endsWith(`/restore/${rollback_id}`);
}
