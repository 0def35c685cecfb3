/** `waymark diff` */
import { StringDecoder } from "node:string_decoder";
import { showPath } from "../../../domain/byte-path.ts";
import { secretText } from "../../../domain/secrets/secret-text.ts";
import { diffCheckpoints, type Difference } from "../../../operations/diff-checkpoints.ts";
import { diffDocument } from "../../../operations/documents/diff-document.ts";
import type { CheckpointDocument } from "../../../domain/checkpoint.ts";
import type { Project } from "../../../operations/project.ts";
import { hiddenFiles } from "../../../operations/safe-patch.ts";
import type { Context } from "../command-spec.ts";
import {
  commitLines,
  notComparedLines,
  patchLine,
  partLines,
  statLines,
  valueSections,
} from "../diff-report.ts";
import type { Output } from "../output.ts";
import { openPager } from "../pager.ts";
import { oneLine } from "../printable.ts";
import { inProject } from "../project-path.ts";
import { painter, type Paint } from "../style.ts";

interface Options {
  stat?: boolean;
  patch?: boolean;
  state?: boolean;
  paths?: string[];
}

export async function run(context: Context): Promise<void> {
  const { output, sessionId } = context;
  const [from = "latest", to] = rangeOf(context.args as [string?, string?]);
  const options = context.options as Options;
  const project = await context.openProject();
  const paths = (options.paths ?? []).map((path) =>
    inProject(project.workTree.root, context.directory, path),
  );
  const request = { from, to, paths, ...(sessionId === undefined ? {} : { sessionId }) };
  await diffCheckpoints(project, request, async (difference) => {
    const found = options.patch === true ? await hiddenFiles(project, difference) : undefined;
    const hidden = [...(found?.secrets.values() ?? [])];
    for (const secret of hidden) {
      output.warn(`not shown: ${showPath(secret.path)} (${secretText(secret)})`);
    }
    const tooLarge = found?.tooLarge ?? [];
    for (const path of tooLarge) {
      output.warn(`not shown: ${showPath(path)} (too large to be searched for secrets)`);
    }
    const within = difference.isScoped ? difference.files.map(({ path }) => path) : paths;
    const shown = { paths: within, leaveOut: [...hidden.map(({ path }) => path), ...tooLarge] };
    if (options.patch === true && !output.options.json) {
      await printPatch(project, output, difference, shown);
      return;
    }
    const patch = options.patch === true ? await patchText(project, difference, shown) : undefined;
    const shownPatch = patch === undefined ? undefined : { patch, notShown: hidden };
    output.result("diff", diffDocument(difference, shownPatch), lines(difference, options, output));
  });
}

/** `A..B` is `A B`, as in git. */
function rangeOf([from, to]: readonly [string?, string?]): readonly (string | undefined)[] {
  const [, start, end] = /^(.+)\.\.(.*)$/.exec(from ?? "") ?? [];
  if (start === undefined || to !== undefined) return [from, to];
  return [start, end === "" ? undefined : end];
}

function lines(difference: Difference, options: Options, output: Output): string[] {
  const { files, notCompared, parts, values, commits, indexDiffers } = difference;
  const all = options.stat !== true && options.state !== true;
  const stat = [
    ...statLines(files, output.columns, output.paint),
    ...partLines(parts, output.paint),
    ...notComparedLines(notCompared, output.paint),
  ];
  const state = [
    ...valueSections(values, output.paint),
    ...commitLines(commits, output.paint),
    ...(indexDiffers ? ["the index (staged changes) differs"] : []),
  ];
  const found = [
    ...(all || options.state === true ? state : []),
    ...(all || options.stat === true ? stat : []),
  ];
  if (found.length === 0) output.say(`${lookedAt(options)} differs from ${difference.from.id}`);
  return all && found.length > 0 ? [...sideLines(difference, output), ...found] : found;
}

function sideLines({ from, to }: Difference, { paint }: Output): string[] {
  const side = (document: CheckpointDocument | undefined): string => {
    if (document === undefined) return "now";
    const { id, step, phase } = document;
    const place = [...(step === null ? [] : [`step ${step}`]), ...(phase === null ? [] : [phase])];
    return place.length === 0 ? id : `${id} (${oneLine(place.join(" "))})`;
  };
  return [`${paint("bold", "from")} ${side(from)}`, `${paint("bold", "to")}   ${side(to)}`];
}

/** What was not asked for may differ all the same. */
function lookedAt({ stat, state }: Options): string {
  if (stat === state) return "nothing";
  return state === true ? "no state" : "no file";
}

type Shown = Omit<Parameters<Project["differ"]["patch"]>[2], "isColored">;

async function printPatch(
  project: Project,
  output: Output,
  difference: Difference,
  shown: Shown,
): Promise<void> {
  if (hasNothingToShow(difference)) return;
  const { color } = output.options;
  const { differ } = project;
  const pager = await openPager(output, () => differ.pager());
  try {
    if (!process.stdout.isTTY) {
      const options = { isColored: color, ...shown };
      await differ.patch(...difference.moments, options, pager.write);
      return;
    }
    const lines = new PatchLines(painter(color && pager.hasColor), pager.write);
    const options = { isColored: false, ...shown };
    await differ.patch(...difference.moments, options, (piece) => lines.write(piece));
  } finally {
    await pager.end();
  }
}

/** A patch for a terminal, whose lines may come in pieces. */
class PatchLines {
  readonly #paint: Paint;
  readonly #to: (piece: Buffer) => Promise<void>;
  readonly #decoder = new StringDecoder("utf8");
  #begun = "";

  constructor(paint: Paint, to: (piece: Buffer) => Promise<void>) {
    this.#paint = paint;
    this.#to = to;
  }

  async write(piece: Buffer): Promise<void> {
    const text = this.#decoder.write(piece);
    this.#begun += text;
    if (!text.includes("\n")) return;
    const lines = this.#begun.split("\n");
    this.#begun = lines.pop() ?? "";
    await this.#to(Buffer.from(lines.map((line) => `${patchLine(line, this.#paint)}\n`).join("")));
  }
}

/** Without a path git would show all of them. */
function hasNothingToShow({ isScoped, files }: Difference): boolean {
  return isScoped && files.length === 0;
}

async function patchText(project: Project, difference: Difference, shown: Shown): Promise<string> {
  const pieces: Buffer[] = [];
  if (hasNothingToShow(difference)) return "";
  await project.differ.patch(...difference.moments, { isColored: false, ...shown }, (piece) => {
    pieces.push(piece);
    return Promise.resolve();
  });
  return Buffer.concat(pieces).toString("utf8");
}
