// One repository's way through a soak run: its chance, what the oracle remembers of it, and what was tried and found.
import { appendFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { differences } from "../faults/fingerprint.mjs";
import { expectedAfterRollback } from "../faults/fixtures.mjs";
import { lostContent, missingFromCheckpoint, reachableObjects } from "../faults/oracle.mjs";
import { waymark } from "../faults/waymark.mjs";
import { Memory, recordedRefs, refsOf, waysOf } from "./memory.mjs";
import { isKept } from "./repositories.mjs";

/** @typedef {import("../faults/fingerprint.mjs").Fingerprint} Fingerprint */
/** @typedef {import("../proof/random.mjs").Random} Random */
/** @typedef {import("./repositories.mjs").Repository} Repository */
/** @typedef {import("./repositories.mjs").Tree} Tree */

/** @typedef {import("../proof/tallies.mjs").Tally} Tally */

const MOST_FINDINGS = 50;

export class Journey {
  /** @type {Map<string, Tally>} */
  tallies = new Map();
  /** Refusals and other answers that are no success, by code. @type {Map<string, number>} */
  answers = new Map();
  /** @type {string[]} */
  findings = [];
  step = 0;
  /** Rollbacks of a part of a project: what undo brings back is not the whole state that was remembered. @type {Set<string>} */
  partial = new Set();
  /** Sessions of agents that called hooks, by work tree. @type {Map<string, Set<string>>} */
  agentSessions = new Map();
  /** The work tree that each remembered checkpoint is of. @type {Map<string, string>} */
  treeOf = new Map();

  /** @param {Repository} repository @param {Random} random */
  constructor(repository, random) {
    this.repository = repository;
    this.random = random;
    this.memory = new Memory(join(repository.folder, "remembered"));
    this.logFile = join(repository.folder, "soak.log");
    writeFileSync(this.logFile, "");
  }

  /** @param {string} text */
  log(text) {
    appendFileSync(this.logFile, `${new Date().toISOString()} ${this.step} ${text}\n`);
  }

  /**
   * One thing that was tried, and what is wrong about it.
   * @param {string} id @param {string} what @param {readonly string[]} problems
   */
  judge(id, what, problems) {
    const tally = this.#tally(id, what);
    tally.tried++;
    if (problems.length > 0) {
      tally.wrong++;
      const text = `${this.repository.name} step ${this.step}, ${id}: ${problems.slice(0, 4).join("; ")}${problems.length > 4 ? ` (and ${problems.length - 4} more)` : ""}`;
      if (this.findings.length < MOST_FINDINGS) this.findings.push(text);
      this.log(`WRONG ${text}`);
    }
  }

  /**
   * Something of the kind of `id` that is neither a success nor wrong: it stands beside the figure.
   * @param {string} id @param {string} what @param {string} word
   */
  besides(id, what, word) {
    const { besides } = this.#tally(id, what);
    besides.set(word, (besides.get(word) ?? 0) + 1);
  }

  /** @param {string} id @param {string} what @returns {Tally} */
  #tally(id, what) {
    const tally = this.tallies.get(id) ?? { what, tried: 0, wrong: 0, besides: new Map() };
    this.tallies.set(id, tally);
    return tally;
  }

  /** @param {string} command @param {{ code: number, document: any }} result */
  answered(command, { code, document }) {
    this.count(`${command}: ${document?.error?.code ?? `exit ${code}`}`);
  }

  /** @param {string} word */
  count(word) {
    this.answers.set(word, (this.answers.get(word) ?? 0) + 1);
  }

  /** @param {Tree} tree @param {readonly string[]} args */
  async waymark(tree, args) {
    const result = await waymark(tree.subject, args);
    this.log(
      `${tree.name} ${args.join(" ")} -> ${result.code} ${result.document?.error?.code ?? ""}`,
    );
    return result;
  }

  /** @param {string} id @param {Tree} tree @param {Fingerprint} state */
  remember(id, tree, state) {
    this.memory.remember(id, state);
    this.treeOf.set(id, tree.name);
  }

  /** Whether a checkpoint holds a state, by plain git. @param {Tree} tree @param {string} id @param {Fingerprint} state */
  missing(tree, id, state) {
    return missingFromCheckpoint(tree.seen, `refs/waymark/cp/${id}`, [state], isKept);
  }

  /** Of a state: what is neither where it was nor reachable. @param {Tree} tree @param {Fingerprint} before @param {Fingerprint} now */
  async lost(tree, before, now) {
    return lostContent(before, now, await reachableObjects(tree.seen), { kept: isKept });
  }

  /**
   * What a rollback to a checkpoint has to make of a project; undefined: nobody remembers all of it. A safety checkpoint also has
   * the refs that its rollback moved.
   * @param {Tree} tree @param {string | undefined} id @param {Fingerprint} before @returns {Promise<Fingerprint | undefined>}
   */
  async expected(tree, id, before) {
    const target = id === undefined || this.partial.has(id) ? undefined : this.memory.recall(id);
    if (id === undefined || target === undefined) return undefined;
    const expected = expectedAfterRollback(target, before, isKept);
    for (const [name, value] of Object.entries(await recordedRefs(tree, id))) {
      if (value === null) expected.refs.delete(name);
      else expected.refs.set(name, value);
    }
    return expected;
  }

  /** What somebody may roll a work tree back to: remembered, still there, and taken in it. @param {Tree} tree */
  async targets(tree) {
    const there = await refsOf(tree, "cp");
    return this.memory.ids().filter((id) => there.has(id) && this.treeOf.get(id) === tree.name);
  }

  /** All that undo and redo of any work tree may go to. */
  async neededForUndo() {
    const lists = await Promise.all(this.repository.trees.map(waysOf));
    const ways = lists.flatMap((list) => [...list.values()]);
    return new Set(ways.flatMap(({ undo, redo }) => [...undo, ...redo]));
  }
}

export const UNTOUCHED =
  "creates and hooks: nothing of the user's was touched, inodes, times and index bytes included";

/** That nothing was touched at all. @param {Fingerprint} wanted @param {Fingerprint} found */
export function touched(wanted, found) {
  return differences(withoutUpkeep(wanted), withoutUpkeep(found), { strict: true });
}

/**
 * Refs are packed now and then, by git gc too, and a kill may leave the file half written until the next command; what refs are is compared by
 * itself. A git gc that is killed in the private repository of a plain folder leaves the note of its process, which the next one takes over.
 * @param {Fingerprint} state @returns {Fingerprint}
 */
function withoutUpkeep(state) {
  const gitFiles = new Map(state.gitFiles);
  for (const name of ["packed-refs", "packed-refs.new", "info/refs", "gc.pid"])
    gitFiles.delete(name);
  return { ...state, gitFiles };
}
