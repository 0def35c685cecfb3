/**
 * Whether a document has what every command relies on. A checksum says that it is as it was written, not that it was written by Waymark. This is on the
 * path of every command: the whole of it is checked by `validate`.
 */
type Fields = Readonly<Record<string, unknown>>;
type Check = (value: unknown) => boolean;

const isText: Check = (value) => typeof value === "string";
const isTextOrNull: Check = (value) => value === null || typeof value === "string";
const isFlag: Check = (value) => typeof value === "boolean";

function isRecord(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const isRecordOf =
  (checks: Readonly<Record<string, Check>>): Check =>
  (value) =>
    isRecord(value) && Object.entries(checks).every(([key, check]) => check(value[key]));

const isListOf =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check);

const FIELDS: Readonly<Record<string, Check>> = {
  session_id: isText,
  worktree_id: isText,
  trigger: isText,
  created_at: isText,
  created_by: isRecord,
  git: isRecordOf({
    branch: isTextOrNull,
    detached: isFlag,
    commit: isTextOrNull,
    operation: isText,
    stats: isRecord,
    refs: isRecord,
  }),
  parts: isListOf(isRecordOf({ type: isText })),
  coverage: isRecordOf({ excluded: isListOf(isRecord), unstable: isListOf(isText) }),
  metrics: isRecord,
  files: isRecordOf({
    created: isListOf(isText),
    modified: isListOf(isText),
    deleted: isListOf(isText),
  }),
  sameness: isText,
  expires_at: isTextOrNull,
};

/** The first field that is missing or not what it should be. */
export function misshapenField(document: Fields): string | undefined {
  return Object.keys(FIELDS).find((name) => FIELDS[name]?.(document[name]) !== true);
}
