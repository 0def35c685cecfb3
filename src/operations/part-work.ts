/** Capturing, restoring, checking and discarding the parts of a checkpoint that lie beside the work tree. */
import type { BytePath } from "../domain/byte-path.ts";
import { extraPartsOf, type CheckpointDocument, type Exclusion } from "../domain/checkpoint.ts";
import { Failure } from "../domain/failure.ts";
import { revisionOf } from "../domain/local-half.ts";
import { databaseFiles, type ExtraPart } from "../domain/parts.ts";
import type {
  CapturedPart,
  HeldPart,
  PartContent,
  PartDescription,
  PartKeeper,
  PartKept,
  PartPreview,
  PreparedPart,
} from "../ports/part-keeper.ts";
import type { PartAsk } from "../ports/part-keepers.ts";
import type { Project } from "./project.ts";

/** In this order they are restored; the way back is the reverse. */
const ORDER: readonly ExtraPart["type"][] = ["file_backup", "state_snapshot", "database_savepoint"];

function keeperOf(project: Project, part: ExtraPart, sessionId: string): Promise<PartKeeper> {
  return project.parts.keeper(part.type, sessionId);
}

export function heldPart(
  project: Project,
  document: CheckpointDocument,
  part: ExtraPart,
): HeldPart {
  const { id } = document;
  return {
    checkpointId: id,
    part,
    isForeign: !project.checkpoints.isMadeHere(document),
    isHere: () =>
      project.checkpoints.isHere(document, part.type === "file_backup" ? "files" : "database"),
    revision: (name) => revisionOf(document, name),
    read: (name) => project.checkpoints.entry(id, name),
    sha256: (name) => project.checkpoints.entrySha256(id, name),
    extract: (name, to) => project.checkpoints.extractEntry(id, name, to),
    hasFile: (path) => project.workTree.holdsFile(document, path),
    hasFolder: (path) => project.workTree.holdsFolder(document, path),
  };
}

export function heldParts(project: Project, document: CheckpointDocument): HeldPart[] {
  return extraPartsOf(document)
    .map((part) => heldPart(project, document, part))
    .toSorted((left, right) => ORDER.indexOf(left.part.type) - ORDER.indexOf(right.part.type));
}

/** Which parts a rollback restores; `within` says how much of them. */
export interface PartScope {
  readonly filesOnly: boolean;
  readonly stateOnly?: boolean;
  readonly databaseOnly?: boolean;
  readonly paths: readonly BytePath[] | null;
}

/** `putThereBy`: for an undo or redo, what the rollback that is taken back had gone to. */
export function partsInScope(
  project: Project,
  document: CheckpointDocument,
  scope: PartScope,
  putThereBy?: CheckpointDocument,
): HeldPart[] {
  const wanted =
    scope.stateOnly === true
      ? ["state_snapshot"]
      : scope.databaseOnly === true
        ? ["database_savepoint"]
        : scope.filesOnly || scope.paths !== null
          ? ["file_backup"]
          : ORDER;
  const brought = putThereBy === undefined ? [] : heldParts(project, putThereBy);
  return heldParts(project, document)
    .filter(({ part }) => wanted.includes(part.type))
    .map((held) => {
      // Only copied files are looked for by rules that may have changed since.
      const isCopies = held.part.type === "file_backup";
      const broughtBy = isCopies
        ? brought.find(({ part }) => part.type === "file_backup")
        : undefined;
      return broughtBy === undefined ? held : { ...held, broughtBy };
    });
}

/** Files of the project that are databases which these parts bring back. */
export function filesOfDatabases(held: readonly HeldPart[]): ReadonlySet<BytePath> {
  // One from elsewhere brings back none.
  return new Set(databaseFiles(held.filter(({ isForeign }) => !isForeign).map(({ part }) => part)));
}

/** Only of these paths; state has none. */
export function pathsOf(scope: PartScope): readonly BytePath[] | null {
  return scope.stateOnly === true || scope.databaseOnly === true ? null : scope.paths;
}

/** What was captured beside the work tree for one checkpoint that is being made. */
export interface CapturedParts {
  readonly parts: readonly ExtraPart[];
  readonly warnings: readonly string[];
  /** What they were asked for and do not hold, also where no part was made for it. */
  readonly leftOut: readonly Exclusion[];
  entries(): ReadonlyMap<string, PartContent>;
  discard(): void;
}

export const NO_PARTS: CapturedParts = {
  parts: [],
  warnings: [],
  leftOut: [],
  entries: () => new Map(),
  discard: () => undefined,
};

export async function captureParts(
  project: Project,
  sessionId: string,
  asked: { readonly asks: readonly PartAsk[]; readonly like: readonly HeldPart[] },
): Promise<CapturedParts> {
  const captured: CapturedPart[] = [];
  const leftOut: Exclusion[] = [];
  const discard = (): void => {
    for (const part of captured) part.discard();
  };
  try {
    for (const ask of asked.asks) {
      const one = await captureOne(project, sessionId, ask);
      leftOut.push(...(one.leftOut ?? []));
      if (isNeeded(ask, one) && !captured.some((other) => isSameDatabase(one, other)))
        captured.push(one);
      else one.discard();
    }
    for (const held of asked.like) {
      const keeper = await keeperOf(project, held.part, sessionId);
      const one = await keeper.captureLike(held);
      leftOut.push(...(one.leftOut ?? []));
      captured.push(one);
    }
  } catch (error) {
    discard();
    throw error;
  }
  return {
    parts: captured.map(({ part }) => part),
    warnings: captured.flatMap(({ warnings }) => warnings),
    leftOut,
    entries: () => new Map(captured.flatMap(({ entries }) => [...entries])),
    discard,
  };
}

function isNeeded(ask: PartAsk, { isEmpty }: CapturedPart): boolean {
  const isOptional = ask.type === "file_backup" && ask.isOptional === true;
  return !isOptional || isEmpty !== true;
}

/** Named twice, in two ways of writing. */
function isSameDatabase({ part: one }: CapturedPart, { part: other }: CapturedPart): boolean {
  if (one.type !== "database_savepoint" || other.type !== "database_savepoint") return false;
  if (one.engine === "sqlite") return other.engine === "sqlite" && one.label === other.label;
  return one.source === other.source;
}

async function captureOne(
  project: Project,
  sessionId: string,
  ask: PartAsk,
): Promise<CapturedPart> {
  switch (ask.type) {
    case "file_backup":
      return (await project.parts.keeper(ask.type, sessionId)).capture(ask);
    case "state_snapshot":
      return (await project.parts.keeper(ask.type, sessionId)).capture(ask);
    case "database_savepoint":
      return (await project.parts.keeper(ask.type, sessionId)).capture(ask);
    default:
      throw new Failure("usage", `unknown part ${JSON.stringify((ask as PartAsk).type)}`, {
        hint: "It must be file_backup, state_snapshot or database_savepoint. No checkpoint was created.",
      });
  }
}

export interface PlannedPart {
  readonly part: ExtraPart;
  readonly preview: PartPreview;
}

export async function previewParts(
  project: Project,
  sessionId: string,
  parts: readonly HeldPart[],
  scope: PartScope,
): Promise<PlannedPart[]> {
  const planned: PlannedPart[] = [];
  for (const held of parts) {
    const keeper = await keeperOf(project, held.part, sessionId);
    planned.push({ part: held.part, preview: await keeper.preview(held, pathsOf(scope)) });
  }
  return planned;
}

/** The parts of one rollback, ready to be exchanged. */
export interface PartExchange {
  /** Answers with what was kept because it is somebody's work since. */
  apply(): Promise<PartKept[]>;
  mismatches(): Promise<string[]>;
  close(): void;
}

/** Pairs each part to restore with the one of the other checkpoint that is about the same thing. */
export async function prepareParts(
  project: Project,
  sessionId: string,
  to: readonly HeldPart[],
  expected: readonly HeldPart[],
  paths: readonly BytePath[] | null,
): Promise<PartExchange> {
  const prepared: PreparedPart[] = [];
  const close = (): void => {
    for (const part of prepared) part.close();
  };
  try {
    for (const [at, held] of to.entries()) {
      const other = expected[at];
      if (other?.part.type !== held.part.type) {
        throw new Error(`the safety checkpoint does not contain what ${held.part.type} covers`);
      }
      const keeper = await keeperOf(project, held.part, sessionId);
      prepared.push(await keeper.prepare({ to: held, expected: other, paths }));
    }
  } catch (error) {
    close();
    throw error;
  }
  return {
    apply: async () => {
      const kept: PartKept[] = [];
      for (const part of prepared) kept.push(...(await part.apply()));
      return kept;
    },
    mismatches: async () => {
      const wrong: string[] = [];
      for (const part of prepared) wrong.push(...(await part.mismatches()));
      return wrong;
    },
    close,
  };
}

/** Brings parts back to what the safety checkpoint holds, the last one first. */
export async function takeBackParts(
  project: Project,
  sessionId: string,
  safety: readonly HeldPart[],
  target: readonly HeldPart[],
  paths: readonly BytePath[] | null,
): Promise<PartKept[]> {
  const kept: PartKept[] = [];
  try {
    for (const [at, held] of [...safety.entries()].toReversed()) {
      const expected = target[at];
      if (expected === undefined) continue;
      const exchange = await prepareParts(project, sessionId, [held], [expected], paths);
      try {
        kept.push(...(await exchange.apply()));
      } finally {
        exchange.close();
      }
    }
  } catch (error) {
    throw new Failure(
      "recovery_failed",
      `the rollback could not be reverted: ${(error as Error).message}`,
      {
        hint: `Fix the problem, then run \`waymark recover\`. Everything is in checkpoint ${safety[0]?.checkpointId ?? ""}.`,
        cause: error,
      },
    );
  }
  return kept;
}

export async function partProblems(
  project: Project,
  document: CheckpointDocument,
): Promise<{ readonly part: ExtraPart; readonly problems: readonly string[] }[]> {
  const found = [];
  for (const held of heldParts(project, document)) {
    const keeper = await keeperOf(project, held.part, document.session_id);
    found.push({ part: held.part, problems: await keeper.verify(held) });
  }
  return found;
}

export async function describeParts(
  project: Project,
  document: CheckpointDocument,
): Promise<({ readonly type: ExtraPart["type"] } & PartDescription)[]> {
  const described = [];
  for (const held of heldParts(project, document)) {
    const keeper = await keeperOf(project, held.part, document.session_id);
    described.push({ type: held.part.type, ...(await keeper.describe(held)) });
  }
  return described;
}
