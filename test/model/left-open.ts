/**
 * Differences from what is expected after a rollback about which docs/spec.md says nothing, or allows both: what depends on settings or rules
 * that are not on the disk any more, what somebody else left behind, and what an undo may take away or leave.
 */
import { isCaptured } from "../support/expected-after-rollback.ts";
import { describeEntry } from "../support/fingerprint-diff.ts";
import { type Fingerprint } from "../support/fingerprint.ts";
import { COPIED } from "./expected-in-part.ts";
import { effective, isUnderOtherRules, type Reach } from "./reach.ts";

interface Seen {
  readonly now: Fingerprint;
  readonly after: Fingerprint;
  /** What the rollback that is taken back had left. */
  readonly left: Fingerprint | undefined;
}

/** Asks about one line of the differences. */
export function leftOpen(target: Fingerprint, reach: Reach, seen: Seen): (line: string) => boolean {
  const isUnderOtherSettings = settingsOf(target) !== settingsOf(seen.after);
  return (line) =>
    (isUnderOtherSettings && isAboutSettings(line)) ||
    isOldLock(line, seen) ||
    isOpenRef(line, target, seen) ||
    isOpenPath(line, target, reach, seen);
}

/**
 * Which entries git looks at is also a matter of settings (sparse checkouts), and those stay; entries and files are compared by themselves.
 * With a branch git deletes its settings, and those do not come back with it.
 */
function isAboutSettings(line: string): boolean {
  return (
    /^status: (?:has|lacks) 1 \.[MD] /.test(line) ||
    /^status: lacks # branch\.(?:upstream|ab) /.test(line)
  );
}

/** A git of the user's that crashed left it, and it stays. */
function isOldLock(line: string, { now }: Seen): boolean {
  const lock = /^lock: has (\S+), should not/.exec(line)?.[1];
  return lock !== undefined && now.git?.locks.includes(lock) === true;
}

function isOpenRef(line: string, target: Fingerprint, { now, after, left }: Seen): boolean {
  const name = /^ref (\S+): is /.exec(line)?.[1];
  if (name === undefined || target.git === undefined) return false;
  // A branch that a rollback had brought back goes with its undo, as it was not there before.
  if (line.includes(": is absent, ") && !target.git.refs.has(name)) return true;
  // So does a branch that it had moved, although HEAD was on another one, where nobody has moved it since.
  if (left === undefined) return false;
  const [was, then, is] = [left, target, after].map(({ git }) => git?.refs.get(name));
  return was === now.git?.refs.get(name) && is === then;
}

function isOpenPath(line: string, target: Fingerprint, reach: Reach, seen: Seen): boolean {
  const { now, after, left } = seen;
  const key = /^(?:path (?=.*?: is )|stat (?=.*?: was ))(.*?): /s.exec(line)?.[1];
  if (key === undefined) return false;
  const goes = line.includes(": is absent, ");
  const comes = line.endsWith("should be absent");
  const extent = effective(reach);
  if ((extent === "paths" || extent === "scoped") && isUnderOtherRules(target, after)) {
    // What was ignored then stays, and the rules of then are not those on the disk.
    if (comes) return true;
    // What is tracked goes, unless the rules of then ignore it: those of now, which were asked, do not count.
    if (goes && now.git?.index.has(key) === true) return true;
  }
  // An ignored file that was in the way is held, and comes back as it was at that moment: in the place of nothing, or of what is held now.
  if (target.paths.has(key)) {
    const isOfItsTime = isAsIn(target, after, key);
    return isOfItsTime && (comes || (isCaptured(now, key) && !isAsIn(now, after, key)));
  }
  // What that rollback brought may go again, although it is ignored.
  if (left !== undefined && goes && isAsIn(left, now, key)) return true;
  // A copy is of what was there: nothing is said about a file that came later.
  return reach.kind === "backup"
    ? key === COPIED
    : reach.kind === "scoped" && reach.copies.size > 0 && key.startsWith("dir/");
}

function isAsIn(one: Fingerprint, other: Fingerprint, key: string): boolean {
  const [left, right] = [one.paths.get(key), other.paths.get(key)];
  return left !== undefined && right !== undefined && describeEntry(left) === describeEntry(right);
}

function settingsOf({ git }: Fingerprint): string {
  const lines = [...(git?.settings ?? [])].map((setting) => JSON.stringify(setting));
  return lines.toSorted((one, other) => (one < other ? -1 : 1)).join("\n");
}
