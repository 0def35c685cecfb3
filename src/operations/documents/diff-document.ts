/** What differs, as the document `diff`. */
import { showPath } from "../../domain/byte-path.ts";
import type { CheckpointDocument } from "../../domain/checkpoint.ts";
import type { HeldSecret } from "../../ports/held-secrets.ts";
import { secretDocument } from "../check-secrets.ts";
import type { Difference } from "../diff-checkpoints.ts";

interface ShownPatch {
  readonly patch: string;
  /** Files that look like secrets, and are not in the patch. */
  readonly notShown: readonly HeldSecret[];
}

export function diffDocument(
  difference: Difference,
  shown: ShownPatch | undefined,
): Record<string, unknown> {
  const { files, values, commits } = difference;
  const sum = (pick: (file: (typeof files)[number]) => number | null): number =>
    files.reduce((total, file) => total + (pick(file) ?? 0), 0);
  return {
    from: side(difference.from),
    to: difference.to === undefined ? null : side(difference.to),
    files: files.map((file) => ({ ...file, path: showPath(file.path) })),
    not_compared: difference.notCompared.map(({ path, reason, detail }) => ({
      path,
      reason,
      ...(detail === undefined ? {} : { detail }),
    })),
    parts: difference.parts,
    totals: {
      files: files.length,
      lines_added: sum((file) => file.added),
      lines_removed: sum((file) => file.removed),
    },
    state: values.map(({ key, from, to }) => ({ key, from: from ?? null, to: to ?? null })),
    commits,
    index_differs: difference.indexDiffers,
    ...(shown === undefined
      ? {}
      : { patch: shown.patch, not_shown: shown.notShown.map(secretDocument) }),
  };
}

function side(document: CheckpointDocument): Record<string, unknown> {
  const { id, phase, step, created_at, git } = document;
  return { id, phase, step, created_at, commit: git.commit, branch: git.branch };
}
