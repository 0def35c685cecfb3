// A fault during export: the file is the old one or the new one, whole, and the repository is what it was.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { takeFingerprint } from "../fingerprint.mjs";
import { inject } from "../inject.mjs";
import { brokenRepository, leftovers, readCheckpoints, readStore } from "../oracle.mjs";
import { must, run } from "../process.mjs";
import { said, waymark } from "../waymark.mjs";
import { changes, storeOf } from "./store.mjs";
import { checkOther } from "./others.mjs";
import { add, checkValid, scattered, outcomeOf } from "./verdict.mjs";

/** @typedef {import("./verdict.mjs").Context} Context */
/** @typedef {import("./verdict.mjs").Verdict} Verdict */

/** @param {Context} context @returns {Promise<Verdict>} */
export async function judgeExport(context) {
  const { from, at, findings } = context;
  const { subject } = from;
  const { place } = subject;
  const { file = "", stays } = storeOf(from);
  const old = readFileSync(file);
  const injected = await inject(context);
  const { result } = injected;
  const verdict = {
    ...outcomeOf(context, injected),
    settled: /** @type {Verdict["settled"]} */ ("neither"),
  };
  if (result.timedOut) return { ...verdict, findings: [{ column: "broken", detail: "hangs" }] };
  await checkOther(context, injected, [context.before]);
  add(findings, "half", changes(context, injected, await takeFingerprint(place)));

  if (!existsSync(file)) add(findings, "lost", ["the file that was there"]);
  else if (readFileSync(file).equals(old)) verdict.settled = "before";
  else {
    verdict.settled = "after";
    add(findings, result.code === 0 ? "exit0" : "half", await wrongArchive(context, file));
  }
  if (result.code === 0 && verdict.settled === "before")
    add(findings, "exit0", ["reported success, and the file is the old one"]);

  const args = scattered(at) % 2 === 0 ? ["create", "--force", "-m", "next", "--json"] : from.args;
  for (const line of [args, from.args]) {
    const next = await waymark(subject, line);
    if (next.code !== 0) add(findings, "broken", [`then ${line[0]}: ${said(next)}`]);
    const left = leftovers(place);
    add(findings, "locks", left.locks);
    add(findings, "litter", left.litter);
  }
  add(
    findings,
    "litter",
    readdirSync(dirname(file)).filter((name) => join(dirname(file), name) !== file),
  );
  add(findings, "broken", await wrongArchive(context, file));
  add(findings, "broken", await brokenRepository(place));
  add(findings, "half", changes(context, injected, await takeFingerprint(place)));
  const found = await readStore(place);
  for (const [id, { oid, at: where }] of stays)
    if (where !== "gone" && found.get(id)?.[where] !== oid) add(findings, "lost", [id]);
  if (scattered(at) % 4 === 0) await checkValid(subject, "broken", findings);
  return verdict;
}

/**
 * By plain git, in a repository that has nothing: every checkpoint is in it, with all that it needs.
 * @param {Context} context @param {string} file @param {(id: string) => boolean} [mayLack] which checkpoints it need not hold
 */
export async function wrongArchive({ slot, from }, file, mayLack = () => false) {
  const { env } = from.subject.place;
  const cwd = join(slot.side, "elsewhere");
  await must("rm", ["-rf", cwd]);
  await must("git", ["init", "-q", "--bare", cwd], { env });
  const fetched = await run("git", ["fetch", "-q", file, "refs/*:refs/*"], { cwd, env });
  if (fetched.code !== 0) return [`the file is not whole: ${fetched.stderr.trim()}`];
  const checked = await run("git", ["fsck", "--full", "--strict", "--no-dangling"], { cwd, env });
  if (checked.code !== 0) return [`the file is not whole: ${checked.stderr.trim()}`];
  const inside = await readCheckpoints(cwd, env);
  return [...storeOf(from).stays]
    .filter(([id, { oid }]) => inside.get(id)?.cp !== oid && !mayLack(id))
    .map(([id]) => `the file does not hold ${id}`);
}
