/** The tool `list_checkpoints`. */
import { lookForUnfinished } from "../../../operations/unfinished-rollback.ts";
import { outOfSightWarning } from "../../../domain/out-of-sight.ts";
import { listDocument } from "../../../operations/documents/list-document.ts";
import { listCheckpoints, type Listed } from "../../../operations/list-checkpoints.ts";
import type { Unfinished } from "../../../ports/restorer.ts";
import type { Answer } from "../answer.ts";
import { given } from "../given.ts";
import { listInput } from "../input-schemas.ts";
import { LOOKS, READ_ONLY, type Call, type Tool } from "../tool.ts";

type Input = ReturnType<typeof listInput.parse>;

export const listCheckpointsTool: Tool<Input> = {
  name: "list_checkpoints",
  title: "List checkpoints",
  description:
    "Lists checkpoints, newest first: id, when, why, phase, and whether each is valid (`valid: false`: it was rolled past; its full id " +
    "still works). Use it to find the checkpoint to compare with or to restore.",
  annotations: READ_ONLY,
  input: listInput,
  kinds: ["checkpoint_list"],
  opens: LOOKS,
  run: list,
};

const USUAL_LIMIT = 20;

async function list({ project, host }: Call, input: Input): Promise<Answer> {
  const found = await listCheckpoints(project, {
    limit: input.limit ?? USUAL_LIMIT,
    ...given({
      sessionId: input.session ?? host.sessionId,
      all: input.all,
      taskId: input.task,
      phase: input.phase,
      trigger: input.trigger,
    }),
  });
  const unreadable: string[] = [];
  const unfinished = lookForUnfinished(project, (said) => unreadable.push(said));
  const { checkpoints } = found;
  return {
    kind: "checkpoint_list",
    document: listDocument(found, { summaries: new Map(), unfinished }),
    lines: [
      ...(checkpoints.length === 0 ? ["no checkpoint matches"] : checkpoints.map(lineOf)),
      ...(unfinished === undefined ? unreadable : [unfinishedLine(unfinished)]),
    ],
  };
}

function unfinishedLine(unfinished: Unfinished): string {
  return unfinished.owner.mayBeAtWork
    ? `warning: ${outOfSightWarning(unfinished)}`
    : "A rollback was interrupted; the next roll_back, undo or redo that is carried out finishes or reverts it first, and so does `waymark recover`.";
}

function lineOf(listed: Listed): string {
  if (listed.kind !== "ok") return `${listed.id} (${listed.kind})`;
  const { document, standing, isCurrent, expired, damage } = listed;
  const marks = [
    ...(isCurrent ? ["current"] : []),
    ...(standing.valid ? [] : ["rolled past"]),
    ...(expired ? ["expired"] : []),
    ...(damage === undefined ? [] : ["damaged"]),
  ];
  const words = [document.phase, document.reason ?? document.description ?? document.name];
  return [
    `${document.id} ${document.created_at} ${document.trigger}`,
    ...words.filter((text) => text !== null).map((text) => JSON.stringify(text)),
    ...(marks.length === 0 ? [] : [`(${marks.join(", ")})`]),
  ].join(" ");
}
