// The user's own git beside creates and rollbacks: commit, stash, rebase, gc --prune=now, work trees and branches that come and go.
import { appendFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { blobId, differences } from "../faults/fingerprint.mjs";
import { expectedAfterRollback } from "../faults/fixtures.mjs";
import { notOneOf } from "../faults/held.mjs";
import { IDENTITY, run } from "../faults/process.mjs";
import { said } from "../faults/waymark.mjs";
import { heldFiles, look } from "../soak/memory.mjs";
import { isKept } from "../soak/repositories.mjs";
import { Generations } from "./generations.mjs";
import { wrongStaged } from "./staged.mjs";

/** @typedef {import("../soak/journey.mjs").Journey} Journey */
/** @typedef {import("../soak/repositories.mjs").Tree} Tree */
/** @typedef {import("../faults/fingerprint.mjs").Fingerprint} Fingerprint */
/** @typedef {Awaited<ReturnType<Journey["waymark"]>>} Answer */

/** Each leaves the branch and the files that it began with; $n is new each time. @type {Readonly<Record<string, string>>} */
const COMMANDS = {
  commit: "git commit -qam work-$n",
  stash: "git stash push -q -- src && git stash pop -q",
  rebase:
    "git commit -qam before-$n --allow-empty && git checkout -q -b topic-$n HEAD~1 && git commit -q --allow-empty -m topic && git rebase -q main && git checkout -q main && git branch -q -D topic-$n",
  gc: "git gc -q --prune=now",
  "reflog and gc": "git reflog expire --expire=now --all && git gc -q --prune=now",
  "work tree": "git worktree add -q --detach ../side-$n && git worktree remove --force ../side-$n",
  branch: "git branch branch-$n && git branch -q -D branch-$n",
  amend: "git commit -q --amend --allow-empty -m amended-$n",
};

/** All that the user edits between two commands, and so all that they stage and commit. */
const EDITED = "src/f2.txt";

/** A lock of ours that is there for longer than this stays. */
const LONGEST_LOCK_MS = 60_000;

/** @param {Journey} journey @param {Tree} main @param {Tree} linked @param {number} rounds @param {string} side */
export async function usersGit(journey, main, linked, rounds, side) {
  const over = new AbortController();
  const file = join(main.subject.place.project, EDITED);
  /** @type {import("./staged.mjs").Work} */
  const work = { began: await look(main), path: EDITED, versions: new Set() };
  work.versions.add(blobId(readFileSync(file)));
  const user = (async () => {
    await userCommand(journey, main, "commit", 0);
    for (let number = 1; !over.signal.aborted; number++) {
      const content = Buffer.concat([readFileSync(file), Buffer.from(`line ${number}\n`)]);
      work.versions.add(blobId(content));
      appendFileSync(file, `line ${number}\n`);
      await userCommand(journey, main, journey.random.pick(Object.keys(COMMANDS)), number);
    }
  })();
  try {
    await Promise.all([
      createBeside(journey, main, rounds, side, work),
      rollBackBeside(journey, linked, rounds),
    ]);
  } finally {
    over.abort();
    await user;
  }
}

/** @param {Journey} journey @param {Tree} tree @param {string} name @param {number} number */
async function userCommand(journey, tree, name, number) {
  const { project, env } = tree.subject.place;
  const text = COMMANDS[name] ?? "";
  const until = Date.now() + LONGEST_LOCK_MS;
  for (;;) {
    const result = await run("sh", ["-ec", text], {
      cwd: project,
      env: { ...env, ...IDENTITY, n: String(number) },
      timeoutMs: 300_000,
    });
    const isLocked = /\.lock['"]?: File exists|Another git process|cannot lock ref/.test(
      result.stderr,
    );
    if (isLocked && Date.now() < until) {
      await new Promise((resolve) => setTimeout(resolve, 300));
      continue;
    }
    const isNothing = name === "commit" && result.code === 1;
    journey.judge(
      `user's ${name}`,
      `the user's git beside creates and rollbacks (${name}): works, at the latest when a lock is gone`,
      result.code === 0 || isNothing ? [] : [`${text}: ${result.stderr.trim()}`],
    );
    return;
  }
}

/** What a command is told while the repository keeps changing. */
const BUSY = 6;

const CREATE =
  "creates beside the user's git: complete with exactly the agent's files, an index and a commit that were there, or refused because the repository keeps changing";

/**
 * @param {Journey} journey @param {Tree} tree @param {number} rounds @param {string} side
 * @param {import("./staged.mjs").Work} work
 */
async function createBeside(journey, tree, rounds, side, work) {
  const files = new Generations(tree.subject.place.project, "beside", side);
  let done = 0;
  for (let round = 1; round <= rounds; round++) {
    files.next();
    const result = await journey.waymark(tree, ["create", "--force", "--json"]);
    if (result.code === BUSY) {
      journey.besides("create beside git", CREATE, refusal(result));
      continue;
    }
    if (result.code === 0) done++;
    const id = result.document?.checkpoint?.id;
    const wrong =
      result.code === 0
        ? [
            ...files.problems(await heldFiles(tree, id), round, round),
            ...(await wrongStaged(tree.seen, `refs/waymark/cp/${id}`, work)),
          ]
        : [said(result)];
    journey.judge("create beside git", CREATE, wrong);
  }
  if (done === 0) journey.judge("create beside git", CREATE, ["none succeeded"]);
}

const ROLLBACK =
  "rollbacks in a linked work tree beside the user's git: exact, or refused and nothing changed";
const UNDO = "undos of those: exact, or refused and nothing changed";

/** @param {Journey} journey @param {Tree} tree @param {number} rounds */
async function rollBackBeside(journey, tree, rounds) {
  const created = await journey.waymark(tree, ["create", "--force", "--json"]);
  const id = created.document?.checkpoint?.id;
  if (created.code !== 0) {
    journey.judge("rollback beside git", ROLLBACK, [`no checkpoint: ${said(created)}`]);
    return;
  }
  const target = await look(tree);
  // Nobody else works in this work tree.
  const held = await notOneOf(tree.seen, `refs/waymark/cp/${id}`, [target], isKept);
  journey.judge("rollback beside git", ROLLBACK, held);
  const done = { rollback: 0, undo: 0 };
  for (let round = 0; round < Math.ceil(rounds / 2); round++) {
    appendFileSync(join(tree.subject.place.project, "src/f3.txt"), `round ${round}\n`);
    const before = await look(tree);
    const expected = expectedAfterRollback(target, before, isKept);
    const back = await journey.waymark(tree, ["rollback", id, "--yes", "--json"]);
    await judgeBeside(journey, tree, ["rollback beside git", ROLLBACK], back, [before, expected]);
    if (back.code !== 0) continue;
    done.rollback++;
    const there = await look(tree);
    const undone = await journey.waymark(tree, ["undo", "--yes", "--json"]);
    await judgeBeside(journey, tree, ["undo beside git", UNDO], undone, [there, before]);
    if (undone.code === 0) done.undo++;
  }
  if (done.rollback === 0) journey.judge("rollback beside git", ROLLBACK, ["none succeeded"]);
  else if (done.undo === 0) journey.judge("undo beside git", UNDO, ["none succeeded"]);
}

/**
 * @param {Journey} journey @param {Tree} tree @param {[id: string, what: string]} figure @param {Answer} answer
 * @param {[before: Fingerprint, after: Fingerprint]} states
 */
async function judgeBeside(journey, tree, [id, what], answer, [before, after]) {
  if (answer.code === BUSY) journey.besides(id, what, refusal(answer));
  const now = await look(tree);
  const expected = ownOf(answer.code === 0 ? after : before, now);
  journey.judge(id, what, [
    ...(answer.code === 0 || answer.code === BUSY ? [] : [said(answer)]),
    ...differences(expected, now),
  ]);
}

/**
 * Other branches and the stash are the user's, who works on; this work tree's files, index, HEAD, branch and operation are its own.
 * @param {Fingerprint} state @param {Fingerprint} now @returns {Fingerprint}
 */
function ownOf(state, now) {
  const refs = new Map(now.refs);
  const branch = /^ref: (.*)\n$/.exec(state.head)?.[1] ?? "";
  const tip = state.refs.get(branch);
  if (tip !== undefined) refs.set(branch, tip);
  return { ...state, refs, stash: now.stash, exclude: now.exclude };
}

/** @param {Answer} answer */
const refusal = ({ document }) => `refused (${document?.error?.code})`;
