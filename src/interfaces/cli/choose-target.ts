/** `rollback` without a checkpoint, on a terminal: pick one and see what would change. */
import { showPath, type BytePath } from "../../domain/byte-path.ts";
import type { CheckpointDocument } from "../../domain/checkpoint.ts";
import { cancelled, Failure } from "../../domain/failure.ts";
import { secretText } from "../../domain/secrets/secret-text.ts";
import { redact } from "../../domain/secrets/redact.ts";
import { foldListed, listCheckpoints, type Listed } from "../../operations/list-checkpoints.ts";
import type { Project } from "../../operations/project.ts";
import { stepChanges } from "../../operations/step-changes.ts";
import type { Capture } from "../../ports/work-tree.ts";
import { placeLine, type Row } from "./checkpoint-table.ts";
import type { Context } from "./command-spec.ts";
import { patchLine, statLines } from "./diff-report.ts";
import { pickCheckpoint } from "./pick-checkpoint.ts";
import { oneLine, printable } from "./printable.ts";
import { SILENT } from "./progress.ts";
import type { Paint } from "./style.ts";
import { cut } from "./table.ts";

type Choice = Row<CheckpointDocument>;

/** More of a patch nobody reads in a preview. */
const MOST_LINES = 2000;
const CONTEXT_LINES = 3;
/** As many of the newest are compared with now to find the first that differs. */
const MOST_EQUAL = 20;
/** What each of the newest changed is part of its row. */
const MOST_COMPARED = 100;

export async function chooseTarget(
  context: Context,
  project: Project,
  paths: readonly BytePath[],
): Promise<CheckpointDocument> {
  const { sessionId, output } = context;
  const list = await listCheckpoints(project, sessionId === undefined ? {} : { sessionId });
  const found = list.checkpoints.filter((listed) => listed.kind === "ok");
  const folds = foldListed(found);
  const changes = await stepChanges(project, list, folds.slice(0, MOST_COMPARED));
  const below = new Map<Choice, readonly Listed[]>();
  const rows = folds.map(({ row, folded }): Choice => {
    const checkpoints = folded.length === 0 ? undefined : folded.length + 1;
    const choice = { listed: row, summary: undefined, change: changes.get(row.id), checkpoints };
    below.set(choice, folded);
    return choice;
  });
  const expanded =
    folds.length === found.length
      ? undefined
      : found.map((listed): Choice => ({ listed, summary: undefined }));
  const changesOf = (shown: readonly Choice[]) =>
    stepChanges(
      project,
      list,
      shown.map((choice) => ({ row: choice.listed, folded: below.get(choice) ?? [] })),
    );
  if (rows.length === 0) {
    throw new Failure("checkpoint_not_found", "no checkpoint to roll back to", {
      hint: "`waymark create` creates one; `waymark list --all` shows those of other sessions.",
    });
  }
  const { paintTalk: paint } = output;
  const capture = await project.workTree.capture({ policy: project.policy });
  try {
    const preview = (row: Choice, columns: number): Promise<readonly string[]> =>
      row.listed.kind === "ok"
        ? patchLines(project, { document: row.listed.document, capture, paths }, columns, paint)
        : Promise.resolve([]);
    const place = await project.branches.current();
    const only =
      paths.length === 0 ? "" : `only ${paths.map((path) => showPath(path)).join(", ")}, `;
    const title = `Roll back to which checkpoint?  (${only}${placeLine(list, place, found.length)})`;
    const look = { paint, now: project.clock.now(), short: output.shortIds() };
    const first = await firstThatDiffers(project, rows, capture, paths);
    const chosen = await pickCheckpoint({
      title,
      rows,
      expanded,
      first,
      preview,
      changes: changesOf,
      ...look,
    });
    if (chosen?.listed.kind === "ok") return chosen.listed.document;
  } finally {
    capture.discard();
  }
  throw cancelled();
}

/** Going back to one that equals the present changes nothing; 0 where all of them do. */
async function firstThatDiffers(
  project: Project,
  rows: readonly Choice[],
  capture: Capture,
  paths: readonly BytePath[],
): Promise<number> {
  for (const [at, { listed }] of rows.slice(0, MOST_EQUAL).entries()) {
    if (listed.kind !== "ok") return at;
    const { document } = listed;
    const isEqual =
      paths.length === 0
        ? (await project.workTree.contentHashWith(capture, document)) === document.content_hash
        : (await filesBetween(project, { document, capture, paths })).length === 0;
    if (!isEqual) return at;
  }
  return 0;
}

interface Step {
  readonly document: CheckpointDocument;
  readonly capture: Capture;
  readonly paths: readonly BytePath[];
}

function filesBetween({ differ }: Project, { document, capture, paths }: Step) {
  return differ.files({ kind: "now", capture }, { kind: "checkpoint", document }, paths);
}

/** What a rollback would change in the files: a line for each, then the patch, without secrets. */
async function patchLines(
  project: Project,
  { document, capture, paths }: Step,
  columns: number,
  paint: Paint,
): Promise<readonly string[]> {
  const now = { kind: "now", capture } as const;
  const then = { kind: "checkpoint", document } as const;
  const files = await filesBetween(project, { document, capture, paths });
  if (files.length === 0) return [paint("dim", "the files are the same as now")];
  const { hiddenFiles } = await import("../../operations/safe-patch.ts");
  const between = { from: document, to: undefined, files, moments: [then, now] } as const;
  const { secrets, tooLarge } = await hiddenFiles(
    // The screen is taken.
    { ...project, progress: SILENT },
    between,
  );
  const reasons = new Map<BytePath, string>([
    ...[...secrets].map(([path, secret]) => [path, secretText(secret)] as const),
    ...tooLarge.map((path) => [path, "too large to be searched for secrets"] as const),
  ]);
  const leaveOut = [...reasons.keys()];
  const pieces: Buffer[] = [];
  if (files.some(({ path }) => !reasons.has(path))) {
    const options = { isColored: false, paths, leaveOut, contextLines: CONTEXT_LINES };
    await project.differ.patch(now, then, options, (piece) => {
      pieces.push(piece);
      return Promise.resolve();
    });
  }
  const patch = redact(Buffer.concat(pieces).toString("utf8")).split("\n").slice(0, MOST_LINES);
  return [
    ...statLines(files, columns - 1, paint),
    ...[...reasons].map(([path, why]) =>
      paint("dim", cut(`not shown: ${oneLine(showPath(path))} (${why})`, columns - 1)),
    ),
    "",
    ...patch.map((line) =>
      patchLine(cut(printable(line.replaceAll("\t", "    ")), columns - 1), paint),
    ),
  ];
}
