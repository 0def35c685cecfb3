// The user's own git beside creates and rollbacks: commit, stash, rebase, gc --prune=now, work trees and branches that come and go.
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { differences } from "../faults/fingerprint.mjs";
import { expectedAfterRollback } from "../faults/fixtures.mjs";
import { IDENTITY, run } from "../faults/process.mjs";
import { said } from "../faults/waymark.mjs";
import { heldFiles, look } from "../soak/memory.mjs";
import { isKept } from "../soak/repositories.mjs";
import { Generations } from "./generations.mjs";

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

/** A lock of ours that is there for longer than this stays. */
const LONGEST_LOCK_MS = 60_000;

/** @param {Journey} journey @param {Tree} main @param {Tree} linked @param {number} rounds @param {string} side */
export async function usersGit(journey, main, linked, rounds, side) {
  const over = new AbortController();
  const user = (async () => {
    await userCommand(journey, main, "commit", 0);
    for (let number = 1; !over.signal.aborted; number++) {
      appendFileSync(join(main.subject.place.project, "src/f2.txt"), `line ${number}\n`);
      await userCommand(journey, main, journey.random.pick(Object.keys(COMMANDS)), number);
    }
  })();
  try {
    await Promise.all([
      createBeside(journey, main, rounds, side),
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
  "creates beside the user's git: complete with exactly the agent's files, or refused because the repository keeps changing";

/** @param {Journey} journey @param {Tree} tree @param {number} rounds @param {string} side */
async function createBeside(journey, tree, rounds, side) {
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
      result.code === 0 ? files.problems(await heldFiles(tree, id), round, round) : [said(result)];
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
  const expected = answer.code === 0 ? after : before;
  journey.judge(id, what, [
    ...(answer.code === 0 || answer.code === BUSY ? [] : [said(answer)]),
    ...differences(expected, await look(tree), { only: "files" }),
  ]);
}

/** @param {Answer} answer */
const refusal = ({ document }) => `refused (${document?.error?.code})`;
