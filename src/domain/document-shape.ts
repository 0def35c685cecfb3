/**
 * What of a document every command relies on. A checksum says that it is as it was written, not that it was written by Waymark. This is on the path of
 * every command: the whole of it is checked by `validate`.
 */
import {
  isAnyRecord,
  isBoolean,
  isText,
  listOf,
  orNull,
  recordWith,
  type Shape,
} from "./json-shape.ts";

const isTextOrNull = orNull(isText);
const isTexts = listOf(isText);

export const documentProblem: Shape = recordWith({
  session_id: isText,
  worktree_id: isText,
  trigger: isText,
  created_at: isText,
  created_by: isAnyRecord,
  git: recordWith({
    branch: isTextOrNull,
    detached: isBoolean,
    commit: isTextOrNull,
    operation: isText,
    stats: isAnyRecord,
    refs: isAnyRecord,
  }),
  parts: listOf(recordWith({ type: isText })),
  coverage: recordWith({ excluded: listOf(isAnyRecord), unstable: isTexts }),
  metrics: isAnyRecord,
  files: recordWith({ created: isTexts, modified: isTexts, deleted: isTexts }),
  sameness: isText,
  expires_at: isTextOrNull,
});
