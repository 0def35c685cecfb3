/**
 * The record of what the store borrows, `bases.json`, and whether all of it is still kept. `protect-commits.ts` changes it.
 */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { isText, listOf, recordOf, recordWith } from "../../../domain/json-shape.ts";
import { writeDurably } from "../../files/durable-write.ts";
import { isMissing } from "../../files/errors.ts";
import { A_MINUTE, takeLock } from "../../files/owned-lock.ts";
import { readRegular } from "../../files/regular-file.ts";
import { KEEP_REFS } from "../ref-names.ts";
import { refsBelow } from "../ref-values.ts";
import type { Repository } from "../repository.ts";

export interface Bases {
  /** Borrowed commits by the ref that keeps each. */
  readonly borrowed: Readonly<Record<string, string>>;
  /** Commits with a history that is borrowed or in the store; the newest last. */
  readonly stored: readonly string[];
  /** Where the history of the project ended when this was written: `shallow` and grafts. */
  readonly cuts: string;
  /** The store borrows nothing (`waymark store own`). */
  readonly owns?: boolean;
  /** Checkpoints that were moved here from the refs of an earlier version, and the refs that could not be. */
  readonly takenOver?: {
    readonly at: string;
    readonly checkpoints: number;
    readonly left: readonly string[];
  };
  /** Borrowed commits that a rewrite of the history took away. */
  readonly rewritten?: readonly string[];
}

const NO_BASES: Bases = { borrowed: {}, stored: [], cuts: "" };
const basesProblem = recordWith({
  borrowed: recordOf(isText),
  stored: listOf(isText),
  cuts: isText,
});

const LOCK_WAIT_MS = 30_000;

export function readBases(store: Repository): Bases {
  try {
    const read: unknown = JSON.parse(readRegular(basesPath(store), "utf8"));
    return isBases(read) ? read : NO_BASES;
  } catch (error) {
    if (isMissing(error) || error instanceof SyntaxError) return NO_BASES;
    throw error;
  }
}

/** The file may have come with a copied repository: refs of other names are none of ours. */
function isBases(read: unknown): read is Bases {
  if (basesProblem(read) !== undefined) return false;
  return Object.keys((read as Bases).borrowed).every((name) => KEEP_REF.test(name));
}

export const KEEP_REF = /^refs\/waymark\/keep\/\d+$/;

export function writeBases(store: Repository, bases: Bases): void {
  writeDurably(basesPath(store), `${JSON.stringify(bases, null, 1)}\n`, true);
}

export function basesPath({ commonDir }: Repository): string {
  return join(commonDir, "bases.json");
}

export function lockBases(store: Repository) {
  const path = join(store.sharedDir, "bases.lock");
  return takeLock(path, "recording what the store borrows", LOCK_WAIT_MS, A_MINUTE);
}

/** Whether all that is borrowed is kept as it was recorded. Costs a look at a few files. */
export async function areKept(store: Repository, bases = readBases(store)): Promise<boolean> {
  const { borrowed, cuts } = bases;
  const entries = Object.entries(borrowed);
  if (cuts !== cutsOf(store.project) && bases.stored.length > 0) return false;
  if (entries.length === 0) return true;
  if (hasAlternates(store.project)) return false;
  const refs = await keepRefs(store.project);
  return entries.every(([ref, commit]) => refs.get(ref) === commit);
}

export function keepRefs(project: Repository): Promise<Map<string, string>> {
  return refsBelow(project, [KEEP_REFS]);
}

export function hasAlternates({ commonDir }: Repository): boolean {
  const text = contentOf(join(commonDir, "objects", "info", "alternates"));
  return text.split("\n").some((line) => line !== "" && !line.startsWith("#"));
}

/** Empty: the history of the project is whole. */
export function cutsOf({ commonDir }: Repository): string {
  const texts = ["shallow", "info/grafts"].map((name) => contentOf(join(commonDir, name)));
  return texts.every((text) => text === "")
    ? ""
    : createHash("sha256").update(texts.join("\0")).digest("hex");
}

/** Empty where there is none. */
export function contentOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (isMissing(error)) return "";
    throw error;
  }
}
