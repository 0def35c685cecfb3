/** `rollback` without a checkpoint, on a terminal: pick one and see what would change. */
import type { CheckpointDocument } from "../../domain/checkpoint.ts";
import { Failure } from "../../domain/failure.ts";
import { listCheckpoints } from "../../operations/list-checkpoints.ts";
import type { Project } from "../../operations/project.ts";
import { placeLine, type Row } from "./checkpoint-table.ts";
import type { Context } from "./command-spec.ts";
import { statLines } from "./diff-report.ts";
import { pickCheckpoint } from "./pick-checkpoint.ts";

type Choice = Row<CheckpointDocument>;

export async function chooseTarget(
  context: Context,
  project: Project,
): Promise<CheckpointDocument> {
  const { sessionId, output } = context;
  const list = await listCheckpoints(project, sessionId === undefined ? {} : { sessionId });
  const rows = list.checkpoints
    .filter((listed) => listed.kind === "ok" && listed.standing.valid)
    .map((listed): Choice => ({ listed, summary: undefined }));
  if (rows.length === 0) {
    throw new Failure("checkpoint_not_found", "there is no checkpoint to roll back to", {
      hint: "`waymark create` takes one; `waymark list --all` shows those of other sessions.",
    });
  }
  const { paintTalk: paint } = output;
  const capture = await project.workTree.capture({ policy: project.policy });
  try {
    const preview = async (row: Choice, columns: number): Promise<readonly string[]> => {
      if (row.listed.kind !== "ok") return [];
      const { document } = row.listed;
      const files = await project.differ.files(
        { kind: "now", capture },
        { kind: "checkpoint", document },
        [],
      );
      return files.length === 0
        ? [paint("dim", "the files are the same as now")]
        : statLines(files, columns, paint);
    };
    const place = await project.branches.current();
    const title = `Roll back to which checkpoint?  (${placeLine(list.sessionId, place, rows.length)})`;
    const chosen = await pickCheckpoint({ title, rows, preview, paint, now: project.clock.now() });
    if (chosen?.listed.kind === "ok") return chosen.listed.document;
  } finally {
    capture.discard();
  }
  throw new Failure("needs_confirmation", "no checkpoint was chosen; nothing was changed", {
    hint: "Name one to go without the list: `waymark rollback latest`.",
  });
}
