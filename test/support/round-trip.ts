/** Create, wreck, roll back, undo, redo: after each step everything is compared, and all differences are told at once. */
import { existsSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Driver, type RollbackOutcome } from "./driver.ts";
import {
  expectedAfterRollback,
  type Expectation,
  isContested,
  withoutOpenQuestions,
} from "./expected-after-rollback.ts";
import { differences, strictDifferences } from "./fingerprint-diff.ts";
import { type Fingerprint, takeFingerprint, wouldBeIgnored } from "./fingerprint.ts";
import { type CommandResult } from "./run-command.ts";
import { type TempRepository } from "./temp-repository.ts";

export interface RoundTripOptions {
  readonly wreck: (repo: TempRepository) => Promise<void>;
  /** Between create and wreck: what must not be there any more for a rollback (a lock that somebody held). */
  readonly afterCreate?: (repo: TempRepository) => Promise<void>;
  /** Differences that are accepted, each with the reason beside it in the row. */
  readonly accepts?: (difference: string) => boolean;
  /** Off where the fixture itself is something that fsck complains about. */
  readonly fsck?: boolean;
}

export interface RoundTrip {
  readonly id: string;
  readonly excluded: readonly { readonly path: string; readonly reason: string }[];
  readonly target: Fingerprint;
  readonly before: Fingerprint;
}

export async function roundTrip(
  repo: TempRepository,
  driver: Driver,
  options: RoundTripOptions,
): Promise<RoundTrip> {
  const problems = new Problems(repo, options);

  const target = await takeFingerprint(repo);
  const { id, excluded } = await driver.create();
  problems.add("create changed", strictDifferences(await takeFingerprint(repo), target));
  problems.throwAny();

  await options.afterCreate?.(repo);
  await options.wreck(repo);
  const before = await takeFingerprint(repo);

  const rolledBack = await driver.rollBack(id);
  const after = await takeFingerprint(repo);
  const ignoredByTarget = await wouldBeIgnored(repo, after, before.paths);
  const expectation = expectedAfterRollback(target, before, ignoredByTarget);
  if (expectation.irreconcilable.length > 0) {
    // Something must stay where something else must come back: refused with nothing changed, or taken back by undo.
    if (rolledBack.kind === "rolled_back") {
      problems.addOutcome("undo", await driver.undo());
    }
    problems.add("irreconcilable", differences(await takeFingerprint(repo), before));
    problems.throwAny();
    return { id, excluded, target, before };
  }
  if (problems.addOutcome("rollback", rolledBack)) {
    problems.add("refused rollback", differences(after, before));
  } else {
    problems.add("rollback", rollbackDifferences(after, expectation));
    problems.add("rollback", await staleEntries(repo, after));
    await problems.addFsck("rollback");
  }
  problems.throwAny();

  const undoRefused = problems.addOutcome("undo", await driver.undo());
  const undone = await takeFingerprint(repo);
  problems.add("undo", differences(undone, undoRefused ? after : before));
  problems.add("undo", await staleEntries(repo, undone));
  problems.throwAny();

  const redoRefused = problems.addOutcome("redo", await driver.redo());
  const redone = await takeFingerprint(repo);
  problems.add("redo", differences(redone, redoRefused ? before : after));
  problems.add("redo", await staleEntries(repo, redone));
  await problems.addFsck("redo");
  problems.throwAny();
  return { id, excluded, target, before };
}

export function rollbackDifferences(after: Fingerprint, expectation: Expectation): string[] {
  const rewritten = [...expectation.untouched].filter(([key, entry]) => {
    const now = after.paths.get(key);
    return (
      !isContested(key, expectation) &&
      now !== undefined &&
      (now.identity.inode !== entry.identity.inode ||
        now.identity.mtimeNs !== entry.identity.mtimeNs)
    );
  });
  return [
    ...differences(
      withoutOpenQuestions(after, expectation),
      withoutOpenQuestions(expectation.fingerprint, expectation),
    ),
    ...rewritten.map(([key]) => `stat ${key}: was written again although it is equal`),
  ];
}

/** What git takes for changed by stat data in the index that is out of date, until `git status` has looked at it. */
export async function staleEntries(
  repo: TempRepository,
  { git }: Pick<Fingerprint, "git">,
): Promise<string[]> {
  const args = ["diff-files", "--name-only", "--no-renames", "-z"];
  const named = await repo.tryGit(args, { env: { GIT_OPTIONAL_LOCKS: "0" } });
  if (git === undefined || named.code !== 0 || git.status.includes("git status fails")) return [];
  const changed = new Set(git.status.flatMap(changedInWorkTree));
  return [...new Set(named.stdout.toString("latin1").split("\0"))]
    .filter((path) => path !== "" && !changed.has(path))
    .map((path) => `stat data of ${path}: git diff-files calls it changed, git status does not`);
}

/** The path of an entry of `git status --porcelain=v2 -z`, if its file differs from the index. */
function changedInWorkTree(entry: string): string[] {
  const fields = { 1: 8, u: 10 }[entry.charAt(0)];
  if (fields === undefined || entry.charAt(3) === ".") return [];
  return [entry.split(" ").slice(fields).join(" ")];
}

export async function fsckComplaints(repo: TempRepository): Promise<string[]> {
  const fsck = ["fsck", "--full", "--no-dangling", "--no-progress"];
  const isRepository = (await repo.tryGit(["rev-parse", "--git-dir"])).code === 0;
  // Git knows of the project, not of the store, that objects of it were never fetched.
  const packs = join(dirname(dirname(repo.storeDir)), "objects/pack");
  const isPartial =
    existsSync(packs) && readdirSync(packs).some((name) => name.endsWith(".promisor"));
  return [
    ...(isRepository ? complaintsIn("git fsck", await repo.tryGit(fsck)) : []),
    ...(isPartial ? [] : complaintsIn("git fsck of the store", await repo.tryStore(fsck))),
  ];
}

function complaintsIn(what: string, { code, stdout, stderr }: CommandResult): string[] {
  const said = `${stdout.toString("latin1")}${stderr}`.split("\n");
  const complaints = said.filter((line) => line !== "" && !line.startsWith("notice: "));
  return code !== 0 || complaints.length > 0
    ? [`${what} ended with ${code}: ${complaints.join("; ")}`]
    : [];
}

class Problems {
  readonly #found: string[] = [];
  readonly #repo: TempRepository;
  readonly #options: RoundTripOptions;

  constructor(repo: TempRepository, options: RoundTripOptions) {
    this.#repo = repo;
    this.#options = options;
  }

  add(step: string, found: readonly string[]): void {
    const open = found.filter((difference) => this.#options.accepts?.(difference) !== true);
    this.#found.push(...open.map((difference) => `${step}: ${difference}`));
  }

  /** True when it was refused: then the project must be as it was. */
  addOutcome(step: string, outcome: RollbackOutcome): boolean {
    if (outcome.kind === "refused") {
      this.#found.push(`${step}: refused: ${outcome.reason}`);
    } else if (!outcome.match) {
      this.#found.push(`${step}: says itself that the result does not match`);
    }
    return outcome.kind === "refused";
  }

  async addFsck(step: string): Promise<void> {
    if (this.#options.fsck === false) {
      return;
    }
    this.#found.push(...(await fsckComplaints(this.#repo)).map((line) => `${step}: ${line}`));
  }

  throwAny(): void {
    if (this.#found.length > 0) {
      const shown = this.#found.slice(0, 40).join("\n");
      throw new Error(`${this.#found.length} differences in ${this.#repo.root}\n${shown}`);
    }
  }
}
