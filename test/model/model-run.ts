/**
 * One run of the model. It remembers by fingerprint what each checkpoint holds and what undo and redo lead to; after every step the project is
 * compared with that. What is compared is written down in support/fingerprint.ts and support/expected-after-rollback.ts.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parentsOf } from "../support/byte-path.ts";
import { sessionState } from "../../src/operations/session-state.ts";
import { implicitSessionId } from "../../src/domain/session.ts";
import { type RollbackOutcome } from "../support/driver.ts";
import {
  type Expectation,
  expectedAfterRollback,
  isCaptured,
} from "../support/expected-after-rollback.ts";
import { differences, strictDifferences } from "../support/fingerprint-diff.ts";
import { type Fingerprint, takeFingerprint, wouldBeIgnored } from "../support/fingerprint.ts";
import { fsckComplaints, rollbackDifferences } from "../support/round-trip.ts";
import { type TempRepository } from "../support/temp-repository.ts";
import { carryElsewhere } from "./carry.ts";
import { chooseVictim, damagedDriver, damageSessions } from "./damage.ts";
import { copiesOf, type Held, partlyDifferences, withCopies } from "./expected-in-part.ts";
import { killedRollback } from "./killed-rollback.ts";
import { leftOpen } from "./left-open.ts";
import { effective, isUnderOtherRules, type Reach } from "./reach.ts";
import { bringBack, collectGarbage, moveToTrash, sweepAll } from "./keeping.ts";
import { inProject, type ModelDriver, modelDriver, orRefused } from "./model-driver.ts";
import { perform } from "./operations.ts";
import { optionsOf, requestOf } from "./requests.ts";
import { type Place } from "./starts.ts";
import { type CreateKind, type Step, type Work } from "./steps.ts";

/** What a rollback led from and to. An undo or redo is about as much of the project as the rollback was. */
interface Trail extends Reach {
  readonly before: Fingerprint;
  readonly after: Fingerprint;
}

/** Counts of what was done, by name; refusals with their code. */
export type Tally = Map<string, number>;

export class ModelRun {
  readonly #repo: TempRepository;
  readonly #place: Place;
  readonly #work: Work;
  #driver: ModelDriver;
  readonly #tally: Tally;
  #checkpoints: Held[] = [];
  #undo: Trail[] = [];
  #redo: Trail[] = [];
  #states = 0;
  #changesAttributes = false;
  /** Something is damaged: then a refusal is an answer, whatever its reason. */
  #mayRefuse = false;

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
    const beside = bystander === undefined ? undefined : await takeFingerprint(bystander.repo);
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
      const touched = differences(await takeFingerprint(bystander.repo), beside);
      this.#expectNone(
        "the one beside it",
        // Files, index and HEAD are never shared; refs are, and the stash is one.
        touched.filter((line) => !(bystander.sharesRefs && /^(?:ref|settings|stash:) /.test(line))),
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
      case "damage":
        return await this.#damage(step, now);
      case "damage-sessions":
        return await this.#damageSessions(now);
      case "delete": {
        const held = this.#checkpoint(step.which);
        return held === undefined ? now : await this.#delete(held, now);
      }
      case "carry": {
        const held = this.#checkpoint(step.which);
        return held === undefined ? now : await this.#carry(held, now);
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
    const done = operations.filter(
      ({ do: kind }) =>
        !(hasCopies && kind === "clean-ignored") &&
        !(kind === "sparse-index" && this.#mayIntendToAdd(now)),
    );
    if (done.some((one) => one.do === "attributes")) this.#changesAttributes = true;
    await perform(this.#repo, done);
    return await takeFingerprint(this.#repo, now);
  }

  /** Git 2.39 crashes where an index with something intended to be added comes back under settings that want it sparse (docs/known-limitations.md). */
  #mayIntendToAdd(now: Fingerprint): boolean {
    const all = [now, ...this.#checkpoints.map(({ fingerprint }) => fingerprint)];
    const ways = [...this.#undo, ...this.#redo].map(({ before }) => before);
    return [...all, ...ways].some(({ git }) =>
      [...(git?.index.values() ?? [])].some((entry) => entry.includes("intent-to-add")),
    );
  }

  async #create(kind: CreateKind, now: Fingerprint): Promise<Fingerprint> {
    const state = kind === "state" ? { model: ++this.#states } : undefined;
    if (kind === "scoped" && !(now.paths.get("dir")?.type === "folder")) return now;
    const { id } = await this.#driver
      .create({ force: true, ...requestOf(kind, state) })
      .catch((error: unknown) => this.#scopeHoldsNothing(kind, error));
    if (id === "") return await this.#unchanged("create", now);
    this.#count(`create ${kind}`);
    const copies = copiesOf(now, kind);
    this.#checkpoints.push({ id, kind, fingerprint: withCopies(now, kind), copies, state });
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
    const reach = { kind: target.kind, extent, copies: target.copies };
    const outcome = await this.#driver.rollBack(target.id, options);
    const after = await takeFingerprint(this.#repo, now);
    const expectation = await this.#expectation(target.fingerprint, now, after);
    const isOpen = isUnderOtherRules(target.fingerprint, now);
    if (this.#isRefused("rollback", outcome, mustWork(reach, expectation, now), isOpen)) {
      this.#expectNone("refused rollback", differences(after, now));
      return after;
    }
    this.#count(`rollback ${effective(reach)}`);
    this.#expectReached("rollback", target.fingerprint, reach, { now, after, expectation });
    if (hasNothingToUndo(outcome)) {
      this.#count("rollback: nothing differs");
      this.#expectNone("rollback without a difference", differences(after, now));
    } else {
      this.#undo.push({ before: now, after, ...reach });
      this.#redo = [];
    }
    const isWhole = effective(reach) === "all";
    if (isWhole) await this.#expectState(target);
    if (!twice) return after;
    const again = await this.#driver.rollBack(target.id, options);
    // A name that is nowhere any more, and of which nothing was held, is taken for a slip of the pen.
    const isSomewhere = extent !== "paths" || hasFolder(after) || holdsOfFolder(target.fingerprint);
    if (this.#isRefused("second rollback", again, isSomewhere)) {
      return await this.#expectSame("refused second rollback", after, after);
    }
    this.#count("rollback twice");
    // The rules of then may be back by now: a file that the first one kept as ignored is one that came later.
    const last = await takeFingerprint(this.#repo, after);
    const expected = await this.#expectation(target.fingerprint, after, last);
    if (!hasNothingToUndo(again)) this.#undo.push({ before: after, after: last, ...reach });
    this.#expectReached("second rollback", target.fingerprint, reach, {
      now: after,
      after: last,
      expectation: expected,
    });
    return last;
  }

  async #expectation(
    target: Fingerprint,
    now: Fingerprint,
    after: Fingerprint,
  ): Promise<Expectation> {
    const ignoredByTarget = await wouldBeIgnored(this.#repo, after, now.paths);
    return expectedAfterRollback(target, now, ignoredByTarget);
  }

  #expectReached(
    what: string,
    target: Fingerprint,
    reach: Reach,
    {
      now,
      after,
      expectation,
      left,
    }: {
      readonly now: Fingerprint;
      readonly after: Fingerprint;
      readonly expectation: Expectation;
      /** What the rollback that is taken back had left. */
      readonly left?: Fingerprint;
    },
  ): void {
    const extent = effective(reach);
    const found =
      extent === "all"
        ? rollbackDifferences(after, expectation)
        : partlyDifferences(after, now, expectation, extent === "scoped" ? "paths" : extent);
    const isOpen = leftOpen(target, reach, { now, after, left });
    this.#expectNone(
      what,
      found.filter((line) => !isOpen(line)),
    );
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
      if (outcome.kind === "refused" && (this.#mayRefuse || NOTHING_TO_DO.test(outcome.reason))) {
        this.#count(`${kind}: nothing to do`);
        return await this.#expectSame(`empty ${kind}`, now, now);
      }
      throw new Error(`${kind} did something although there was nothing to ${kind}`);
    }
    const isAsLeft = differences(now, last.after).length === 0;
    const after = await takeFingerprint(this.#repo, now);
    // Where the checkpoint had no copies, that of the moment before the rollback to it has none.
    const hasCopies = last.copies.size > 0;
    const target = hasCopies ? withCopies(last.before, last.kind) : last.before;
    const expectation = await this.#expectation(target, now, after);
    const mustGo = isAsLeft ? !isLocked(now) : mustWork(last, expectation, now);
    if (this.#isRefused(kind, outcome, mustGo, !isAsLeft && isUnderOtherRules(target, now))) {
      from.push(last);
      this.#expectNone(`refused ${kind}`, differences(after, now));
      return after;
    }
    this.#count(isAsLeft ? kind : `${kind} after more work`);
    if (isAsLeft) {
      const found = differences(after, last.before);
      this.#expectNone(
        kind,
        found.filter((line) => !isUnseenFolder(line, after)),
      );
    }
    if (!isAsLeft) {
      const seen = { now, after, expectation, left: last.after };
      this.#expectReached(`${kind} after more work`, target, last, seen);
    }
    to.push({ ...last, before: now, after });
    return after;
  }

  async #kill(share: number, target: Held, now: Fingerprint): Promise<Fingerprint> {
    if (target.kind === "scoped") return now;
    const outcome = await killedRollback(this.#repo, target.id, share);
    const after = await takeFingerprint(this.#repo, now);
    if (outcome.kind === "killed" && !outcome.isDone) {
      this.#count("killed, taken back");
      this.#expectNone("rollback that was killed and taken back", differences(after, now));
      return after;
    }
    const reach = { kind: target.kind, extent: "all", copies: target.copies } as const;
    const expectation = await this.#expectation(target.fingerprint, now, after);
    if (outcome.kind === "refused") {
      const mustGo = mustWork(reach, expectation, now);
      const isOpen = isUnderOtherRules(target.fingerprint, now);
      this.#isRefused("rollback before its kill", outcome, mustGo, isOpen);
      this.#expectNone("rollback refused before its kill", differences(after, now));
      return after;
    }
    const what =
      outcome.kind === "killed" ? "killed, finished" : "rollback that ended before its kill";
    this.#count(what);
    this.#expectReached(what, target.fingerprint, reach, { now, after, expectation });
    if (!outcome.isDone) {
      this.#expectNone("rollback without a difference", differences(after, now));
      return after;
    }
    this.#undo.push({ before: now, after, ...reach });
    this.#redo = [];
    return after;
  }

  async #damage(
    { harm, object, command, to }: Extract<Step, { do: "damage" }>,
    now: Fingerprint,
  ): Promise<Fingerprint> {
    const victim = await chooseVictim(this.#repo, object);
    const target = this.#checkpoint(to);
    if (victim === undefined || (command === "rollback" && target === undefined)) return now;
    const usual = this.#driver;
    this.#driver = damagedDriver(usual, harm, victim);
    this.#mayRefuse = true;
    try {
      this.#count(`${command} with an object ${harm}`);
      if (command === "undo" || command === "redo") return await this.#goAlong(command, now);
      if (command === "rollback" && target !== undefined)
        return await this.#rollBack(
          { do: "rollback", to, extent: "all", twice: false },
          target,
          now,
        );
      const created = await orRefused(this.#create("plain", now));
      return "kind" in created ? await this.#unchanged("refused create", now) : created;
    } catch (error) {
      throw new Error(`${victim.what} was ${harm}: ${(error as Error).message}`, { cause: error });
    } finally {
      this.#driver = usual;
      this.#mayRefuse = false;
    }
  }

  /** Checkpoints are their own record. */
  async #damageSessions(now: Fingerprint): Promise<Fingerprint> {
    const repair = await damageSessions(this.#repo);
    if (repair === undefined) return now;
    this.#count("create with damaged sessions");
    try {
      return await this.#create("plain", now);
    } finally {
      await repair();
    }
  }

  /** The user's git throws away what nothing holds while the checkpoint is in the trash. */
  async #delete({ id }: Held, now: Fingerprint): Promise<Fingerprint> {
    this.#count("delete");
    await moveToTrash(this.#repo, id);
    await this.#unchanged("delete", now);
    await collectGarbage(this.#repo);
    const collected = await takeFingerprint(this.#repo);
    await bringBack(this.#repo, id);
    return await this.#unchanged("delete --undo", collected);
  }

  async #carry(held: Held, now: Fingerprint): Promise<Fingerprint> {
    const found = await carryElsewhere(this.#repo, held, this.#work.start);
    this.#count(found === undefined ? "not carried: a partial clone" : "carry");
    this.#expectNone("carry", found ?? []);
    return await this.#unchanged("carry", now);
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
    // A plain folder without a checkpoint has nothing of git.
    if (this.#work.fsck && this.#checkpoints.length > 0) {
      const found = await fsckComplaints(this.#repo);
      const reachable = await this.#reachable();
      this.#expectNone(
        "fsck",
        found.filter((line) => !TORN_INDEX.test(line) && !isTornTree(line, reachable)),
      );
    }
    const outside = readFileSync(join(this.#repo.base, "outside", "kept"), "utf8");
    if (outside !== "outside\n") throw new Error("a file outside of the project was changed");
  }

  async #reachable(): Promise<string> {
    const walk = ["rev-list", "--objects", "--all"];
    const walks = [await this.#repo.tryGit(walk), await this.#repo.tryStore(walk)];
    return walks.map(({ stdout }) => stdout.toString("latin1")).join("");
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

  /**
   * True when it was refused. `mustWork`: then that is a failure of the run. `isUnderOtherRules`: what the rules of the target ignore, and
   * so has to stay, nobody could ask, because they are not on the disk.
   */
  #isRefused(
    what: string,
    outcome: RollbackOutcome,
    mustWork: boolean,
    isUnderOtherRules = false,
  ): boolean {
    if (outcome.kind === "refused" && this.#mayRefuse) {
      this.#count("refused: damaged");
      return true;
    }
    if (outcome.kind === "refused") {
      if (NEVER.test(outcome.reason)) throw new Error(`${what} failed: ${outcome.reason}`);
      const isInTheWay = isUnderOtherRules && /\bobstructed\b/.test(outcome.reason);
      if (mustWork && !isInTheWay && !LEGITIMATE.test(outcome.reason)) {
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

/** The project was like the checkpoint already. */
function hasNothingToUndo(outcome: RollbackOutcome): boolean {
  return outcome.kind === "rolled_back" && outcome.undoCheckpointId === undefined;
}

/** A git of the user's that crashed left its lock: nobody takes that away. */
function isLocked({ git }: Fingerprint): boolean {
  return git?.locks.includes("index.lock") === true;
}

function mustWork(reach: Reach, { irreconcilable }: Expectation, now: Fingerprint): boolean {
  return effective(reach) === "all" && irreconcilable.length === 0 && !isLocked(now);
}

/** By git 2.39 itself, when it makes an index sparse with something intended to be added (docs/known-limitations.md). */
const TORN_INDEX = /multiple stage entries for merged file/;

/** The same git leaves a tree behind then that nothing names; all that is ours hangs on a ref. */
function isTornTree(line: string, reachable: string): boolean {
  const tree = /: error in tree ([0-9a-f]+): duplicateEntries: [^;]*$/.exec(line)?.[1];
  return tree !== undefined && !reachable.includes(tree);
}

/** Or nothing at all: by the command, a plain folder without a checkpoint is no project. */
const NOTHING_TO_DO = /nothing_to_|can be (undone|redone)|not_a_repository/;

/** No reason to refuse, whatever was asked for. */
const NEVER = /\b(?:checkpoint_damaged|git_failed|io_failed|internal)\b/;

/** Another work tree has the branch that would have to move. */
const LEGITIMATE = /branch_in_use/;

/** A folder that a rollback made where git ignores it since, and whose files are gone again (docs/known-limitations.md). */
function isUnseenFolder(line: string, { ignored }: Fingerprint): boolean {
  const folder = /^path (.*): is folder, should be absent$/s.exec(line)?.[1];
  return folder !== undefined && [folder, ...parentsOf(folder)].some((key) => ignored.has(key));
}

/** The folder that rollbacks of a part are about. */
function hasFolder({ paths }: Fingerprint): boolean {
  return paths.has("dir");
}

function holdsOfFolder(target: Fingerprint): boolean {
  return [...target.paths.keys()].some((key) => key.startsWith("dir/") && isCaptured(target, key));
}
