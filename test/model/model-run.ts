/**
 * One run of the model. It remembers by fingerprint what each checkpoint holds and what undo and redo lead to; after every step the project is
 * compared with that. What is compared is written down in support/fingerprint.ts and support/expected-after-rollback.ts.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { RollBackOptions } from "../../src/library/roll-back.ts";
import { sessionState } from "../../src/operations/session-state.ts";
import { implicitSessionId } from "../../src/domain/session.ts";
import { type RollbackOutcome } from "../support/driver.ts";
import { expectedAfterRollback } from "../support/expected-after-rollback.ts";
import { differences, strictDifferences } from "../support/fingerprint-diff.ts";
import { type Fingerprint, takeFingerprint, wouldBeIgnored } from "../support/fingerprint.ts";
import { fsckComplaints, rollbackDifferences } from "../support/round-trip.ts";
import { type TempRepository } from "../support/temp-repository.ts";
import { carryElsewhere } from "./carry.ts";
import { COPIED, type Held, partlyDifferences, withCopies } from "./expected-in-part.ts";
import { killedRollback } from "./killed-rollback.ts";
import { deleteAndBringBack, sweepAll } from "./keeping.ts";
import { inProject, type ModelDriver, modelDriver } from "./model-driver.ts";
import { perform } from "./operations.ts";
import { type Place } from "./starts.ts";
import { type CreateKind, type Step, type Work } from "./steps.ts";

/** What a rollback led from and to. */
interface Trail {
  readonly before: Fingerprint;
  readonly after: Fingerprint;
}

/** Counts of what was done, by name; refusals with their code. */
export type Tally = Map<string, number>;

export class ModelRun {
  readonly #repo: TempRepository;
  readonly #place: Place;
  readonly #work: Work;
  readonly #driver: ModelDriver;
  readonly #tally: Tally;
  #checkpoints: Held[] = [];
  #undo: Trail[] = [];
  #redo: Trail[] = [];
  #states = 0;
  #changesAttributes = false;

  constructor(place: Place, work: Work, tally: Tally) {
    this.#repo = place.repo;
    this.#place = place;
    this.#work = work;
    this.#driver = modelDriver(place.repo, work.by);
    this.#tally = tally;
    this.#changesAttributes = place.converts;
  }

  async run(): Promise<void> {
    const { bystander } = this.#place;
    if (this.#work.refreshed) await this.#repo.tryGit(["update-index", "-q", "--refresh"]);
    const beside = bystander === undefined ? undefined : await takeFingerprint(bystander);
    let now = await takeFingerprint(this.#repo);
    for (const [number, step] of this.#work.steps.entries()) {
      try {
        now = await this.#take(step, now);
      } catch (error) {
        throw new Error(`step ${number + 1} (${step.do}): ${(error as Error).message}`, {
          cause: error,
        });
      }
    }
    await this.#end();
    if (bystander !== undefined && beside !== undefined) {
      // Refs and settings are shared with a linked work tree; files, index and HEAD are not.
      const touched = differences(await takeFingerprint(bystander), beside);
      this.#expectNone(
        "the other work tree",
        touched.filter((line) => !/^(?:ref|settings) /.test(line)),
      );
    }
  }

  #count(what: string): void {
    this.#tally.set(what, (this.#tally.get(what) ?? 0) + 1);
  }

  async #take(step: Step, now: Fingerprint): Promise<Fingerprint> {
    switch (step.do) {
      case "work":
        return await this.#userWorks(step, now);
      case "create":
        return await this.#create(step.kind, now);
      case "create-same":
        return await this.#createSame(now);
      case "undo":
      case "redo":
        return await this.#goAlong(step.do, now);
      case "cleanup":
        return await this.#cleanUp(now);
      case "rollback": {
        const target = this.#checkpoint(step.to);
        return target === undefined ? now : await this.#rollBack(step, target, now);
      }
      case "kill": {
        const target = this.#checkpoint(step.to);
        return target === undefined ? now : await this.#kill(step.share, target, now);
      }
      case "delete":
      case "carry": {
        const held = this.#checkpoint(step.which);
        if (held === undefined) return now;
        this.#count(step.do);
        if (step.do === "delete") await deleteAndBringBack(this.#repo, held.id);
        else this.#expectNone("carry", await carryElsewhere(this.#repo, held));
        return await this.#unchanged(step.do, now);
      }
    }
  }

  /** Counted back from the newest. */
  #checkpoint(number: number): Held | undefined {
    const count = this.#checkpoints.length;
    return count === 0 ? undefined : this.#checkpoints[count - 1 - (number % count)];
  }

  async #userWorks(
    { operations }: Extract<Step, { do: "work" }>,
    now: Fingerprint,
  ): Promise<Fingerprint> {
    const hasCopies = this.#checkpoints.some(({ kind }) => kind === "backup");
    // `git clean -x` takes the copies of ignored files away, which are Waymark's own.
    const done = operations.filter((one) => !(hasCopies && one.do === "clean-ignored"));
    if (done.some((one) => one.do === "attributes")) this.#changesAttributes = true;
    await perform(this.#repo, done);
    return await takeFingerprint(this.#repo, now);
  }

  async #create(kind: CreateKind, now: Fingerprint): Promise<Fingerprint> {
    const state = kind === "state" ? { model: ++this.#states } : undefined;
    if (kind === "scoped" && !(now.paths.get("dir")?.type === "folder")) return now;
    const { id } = await this.#driver
      .create({ force: true, ...requestOf(kind, state) })
      .catch((error: unknown) => this.#scopeHoldsNothing(kind, error));
    if (id === "") return await this.#unchanged("create", now);
    this.#count(`create ${kind}`);
    this.#checkpoints.push({ id, kind, fingerprint: withCopies(now, kind), state });
    return await this.#unchanged("create", now);
  }

  /** A folder in which there is nothing to hold is no scope. */
  #scopeHoldsNothing(kind: CreateKind, error: unknown): { readonly id: string } {
    if (kind !== "scoped" || !/matches nothing|nothing to/.test(String(error))) throw error;
    this.#count("create scoped: nothing in it");
    return { id: "" };
  }

  async #createSame(now: Fingerprint): Promise<Fingerprint> {
    const first = await this.#driver.create({});
    const second = await this.#driver.create({});
    this.#count("create twice");
    if (first.id !== second.id || !second.unchanged) {
      throw new Error(`two checkpoints of one moment: ${first.id}, ${second.id}`);
    }
    return await this.#unchanged("create twice", now);
  }

  async #rollBack(
    { extent, twice }: Extract<Step, { do: "rollback" }>,
    target: Held,
    now: Fingerprint,
  ): Promise<Fingerprint> {
    const options = optionsOf(extent);
    const outcome = await this.#driver.rollBack(target.id, options);
    const after = await takeFingerprint(this.#repo, now);
    const expectation = expectedAfterRollback(
      target.fingerprint,
      now,
      await wouldBeIgnored(this.#repo, after, now.paths),
    );
    const isWhole = extent === "all" && target.kind !== "scoped";
    const mustWork = isWhole && expectation.irreconcilable.length === 0 && !isLocked(now);
    if (this.#isRefused("rollback", outcome, mustWork)) {
      this.#expectNone("refused rollback", differences(after, now));
      return after;
    }
    this.#count(`rollback ${target.kind === "scoped" ? "scoped" : extent}`);
    this.#undo.push({ before: now, after });
    this.#redo = [];
    if (expectation.irreconcilable.length > 0) return after;
    const found = isWhole
      ? rollbackDifferences(after, expectation)
      : partlyDifferences(after, now, expectation, target.kind === "scoped" ? "paths" : extent);
    // A copy is of what was there: nothing is said about a file that came later.
    const isOpen = (line: string): boolean =>
      target.kind === "backup" &&
      !target.fingerprint.paths.has(COPIED) &&
      line.startsWith(`path ${COPIED}:`);
    this.#expectNone(
      "rollback",
      found.filter((line) => !isOpen(line)),
    );
    if (isWhole) await this.#expectState(target);
    if (!twice) return after;
    const again = await this.#driver.rollBack(target.id, options);
    if (this.#isRefused("second rollback", again, true)) return after;
    this.#count("rollback twice");
    this.#undo.push({ before: after, after });
    return await this.#expectSame("second rollback", after, after);
  }

  async #expectState({ state }: Held): Promise<void> {
    if (state === undefined) return;
    const now = await inProject(this.#repo, (project) =>
      sessionState(project, implicitSessionId(project.workTree.id), "state"),
    );
    if (JSON.stringify(now) === JSON.stringify(state)) return;
    throw new Error(`the state is ${JSON.stringify(now)}, should be ${JSON.stringify(state)}`);
  }

  /** Undo leads back to exactly what was there before, if nothing was done since; and redo to what was there before the undo. */
  async #goAlong(kind: "undo" | "redo", now: Fingerprint): Promise<Fingerprint> {
    const [from, to] = kind === "undo" ? [this.#undo, this.#redo] : [this.#redo, this.#undo];
    const outcome = await this.#driver.step(kind);
    const last = from.pop();
    if (last === undefined) {
      if (outcome.kind === "refused" && /nothing_to_|can be (undone|redone)/.test(outcome.reason)) {
        this.#count(`${kind}: nothing to do`);
        return await this.#expectSame(`empty ${kind}`, now, now);
      }
      throw new Error(`${kind} did something although there was nothing to ${kind}`);
    }
    const isAsLeft = differences(now, last.after).length === 0;
    if (this.#isRefused(kind, outcome, isAsLeft && !isLocked(now))) {
      from.push(last);
      return await this.#expectSame(`refused ${kind}`, now, now);
    }
    this.#count(isAsLeft ? kind : `${kind} after more work`);
    const after = await takeFingerprint(this.#repo, now);
    if (isAsLeft) this.#expectNone(kind, differences(after, last.before));
    to.push({ before: now, after });
    return after;
  }

  async #kill(share: number, target: Held, now: Fingerprint): Promise<Fingerprint> {
    if (target.kind === "scoped") return now;
    const isOver = await killedRollback(this.#repo, target.id, share);
    const after = await takeFingerprint(this.#repo, now);
    const isAsBefore = differences(after, now).length === 0;
    if (isAsBefore && !isOver) {
      this.#count("killed, taken back");
      return after;
    }
    const expectation = expectedAfterRollback(
      target.fingerprint,
      now,
      await wouldBeIgnored(this.#repo, after, now.paths),
    );
    if (expectation.irreconcilable.length > 0 && isAsBefore) return after;
    this.#count(isOver ? "killed too late" : "killed, finished");
    if (expectation.irreconcilable.length === 0) {
      this.#expectNone("killed rollback", rollbackDifferences(after, expectation));
    }
    this.#undo.push({ before: now, after });
    this.#redo = [];
    return after;
  }

  async #cleanUp(now: Fingerprint): Promise<Fingerprint> {
    const left = await sweepAll(this.#repo);
    this.#count("cleanup");
    this.#checkpoints = this.#checkpoints.filter(({ id }) => left.has(id));
    return await this.#unchanged("cleanup", now);
  }

  async #end(): Promise<void> {
    const results = await inProject(this.#repo, (project) =>
      project.checkpoints.verify(this.#checkpoints.map(({ id }) => id)),
    );
    const bad = results.filter(({ problems }) => problems.length > 0);
    this.#expectNone(
      "validate",
      bad.map(({ id, problems }) => `${id}: ${problems.join(", ")}`),
    );
    if (results.length !== this.#checkpoints.length) throw new Error("checkpoints are missing");
    if (this.#work.fsck) this.#expectNone("fsck", await fsckComplaints(this.#repo));
    const outside = readFileSync(join(this.#repo.base, "outside", "kept"), "utf8");
    if (outside !== "outside\n") throw new Error("a file outside of the project was changed");
  }

  /** Waymark did something that is no business of the project's files. */
  async #unchanged(what: string, now: Fingerprint): Promise<Fingerprint> {
    const after = await takeFingerprint(this.#repo, now);
    this.#expectNone(`${what} changed`, strictDifferences(after, now));
    return after;
  }

  async #expectSame(what: string, now: Fingerprint, expected: Fingerprint): Promise<Fingerprint> {
    const after = await takeFingerprint(this.#repo, now);
    this.#expectNone(what, differences(after, expected));
    return after;
  }

  /** True when it was refused. `mustWork`: then that is a failure of the run. */
  #isRefused(what: string, outcome: RollbackOutcome, mustWork: boolean): boolean {
    if (outcome.kind === "refused") {
      if (mustWork && !LEGITIMATE.test(outcome.reason)) {
        throw new Error(`${what} was refused: ${outcome.reason}`);
      }
      this.#count(`refused ${/[a-z]+_[a-z_]+|usage/.exec(outcome.reason)?.[0] ?? "otherwise"}`);
      return true;
    }
    if (!outcome.match) throw new Error(`${what} says itself that the result does not match`);
    return false;
  }

  #expectNone(what: string, found: readonly string[]): void {
    const wrong = found.filter(
      (difference) =>
        // A file that was clean by its time stamp alone, under attributes that came later, is compared by content once it
        // has been written again: git then calls it modified. Its bytes, mode and index entry are still compared.
        !(this.#changesAttributes && difference.startsWith("status:")),
    );
    if (wrong.length === 0) return;
    throw new Error(`${what}: ${wrong.length} differences\n${wrong.slice(0, 20).join("\n")}`);
  }
}

/** A git of the user's that crashed left its lock: nobody takes that away. */
function isLocked({ git }: Fingerprint): boolean {
  return git?.locks.includes("index.lock") === true;
}

/** Another work tree has the branch that would have to move. */
const LEGITIMATE = /branch_in_use/;

function optionsOf(extent: Extract<Step, { do: "rollback" }>["extent"]): RollBackOptions {
  switch (extent) {
    case "all":
      return {};
    case "files-only":
      return { filesOnly: true };
    case "keep-head":
      return { keepHead: true };
    case "paths":
      return { paths: ["dir"] };
  }
}

function requestOf(kind: CreateKind, state: Held["state"]): object {
  switch (kind) {
    case "plain":
      return {};
    case "scoped":
      return { scope: ["dir"] };
    case "backup":
      return {
        parts: [
          {
            type: "file_backup",
            patterns: ["/i.log"],
            outside: [],
            includeSecrets: [],
            isOptional: true,
          },
        ],
      };
    case "state":
      return {
        parts: [
          {
            type: "state_snapshot",
            documents: [{ name: "state", kind: "value", value: state }],
            keys: null,
          },
        ],
      };
  }
}
