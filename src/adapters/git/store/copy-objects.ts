/** Copies objects between the project and the store: as one pack, checked by git, moved in when it is whole. */
import { existsSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { makeFolders } from "../../files/make-folders.ts";
import { namesIn } from "../../files/names-in.ts";
import { readRegular } from "../../files/regular-file.ts";
import { isPartialClone } from "../capture/trusted-objects.ts";
import { alternates, IN_PIECES } from "../git-environment.ts";
import { moveIn } from "../publish.ts";
import type { Quarantine } from "../quarantine.ts";
import { resolveRef } from "../read-refs.ts";
import { OWN_REFS, TAG_REFS } from "../ref-names.ts";
import { refValues } from "../ref-values.ts";
import type { Repository } from "../repository.ts";
import { runGit } from "../run-git.ts";

const SETTINGS = ["pack.writeReverseIndex=false", "pack.packSizeLimit=0"].flatMap((setting) => [
  "-c",
  setting,
]);

export interface CopyOrder {
  /** Sees the objects. */
  readonly from: Repository;
  /** Gets them. */
  readonly to: Repository;
  readonly quarantine: Quarantine;
  /** What `git pack-objects` reads: ids, or with `revs` revisions. */
  readonly objects: readonly string[];
  /** Everything that these reach, without what those with a `^` reach. */
  readonly revs: boolean;
}

let copies = 0;

/** Git prepares a pack in its folder for objects: one that fails or is killed leaves its temporary file there, and not in the store. */
export function preparing(from: Repository, folder: string): Record<string, string> {
  makeFolders(join(folder, "pack"), 0o700);
  const { lender } = from;
  const sources = [join(from.commonDir, "objects"), ...(lender === undefined ? [] : [lender])];
  return { GIT_OBJECT_DIRECTORY: folder, ...alternates(...sources) };
}

/** False: an object is missing or damaged; then nothing was copied. */
export async function copyObjects(order: CopyOrder): Promise<boolean> {
  const { from, to, quarantine, objects, revs } = order;
  const base = quarantine.path(`copy${copies++}`);
  const args = [
    ...IN_PIECES,
    ...SETTINGS,
    "pack-objects",
    "-q",
    "--non-empty",
    "--delta-base-offset",
    // No search for deltas: what is compressed already is copied as it is.
    "--window=0",
    ...(revs ? ["--revs"] : []),
    ...(revs && isPartialClone(from) ? ["--missing=allow-any"] : []),
    base,
  ];
  const input = objects.map((object) => `${object}\n`).join("");
  const env = preparing(from, quarantine.path(`objects${copies}`));
  const { exitCode, stdout } = await runGit(from, args, { input, accept: [0, 128], env });
  if (exitCode !== 0) return false;
  const hash = stdout.toString("latin1").trim();
  if (hash === "") return true;
  const pack = `${base}-${hash}.pack`;
  // Git copies compressed objects without a look at their content.
  const verified = await runGit(from, [...IN_PIECES, "index-pack", "--verify", pack], {
    accept: [0, 1, 128],
    env: { GIT_OBJECT_DIRECTORY: dirname(pack) },
  });
  if (verified.exitCode !== 0) {
    for (const name of [pack, pack.replace(/pack$/, "idx")]) rmSync(name, { force: true });
    return false;
  }
  moveIn(to, quarantine, pack, hash, true);
  return true;
}

/** Objects that the project does not have itself, before it is made to need them. False: one is missing or damaged. */
export async function bringObjects(
  { store, project }: Repository,
  quarantine: Quarantine,
  oids: readonly string[],
): Promise<boolean> {
  if (store === project || oids.length === 0) return true;
  const input = oids.map((oid) => `${oid}\n`).join("");
  const args = ["cat-file", "--batch-check", "--buffer"];
  const { stdout } = await runGit(project, args, { input });
  const missing = stdout
    .toString("latin1")
    .split("\n")
    .flatMap((line) => (line.endsWith(" missing") ? [line.slice(0, -" missing".length)] : []));
  if (missing.length === 0) return true;
  return copyObjects({ from: store, to: project, quarantine, objects: missing, revs: false });
}

/** The same for commits with all that they need. */
export async function bringRevisions(
  { store, project }: Repository,
  quarantine: Quarantine,
  commits: readonly string[],
): Promise<boolean> {
  if (store === project || commits.length === 0) return true;
  const without = (await userTips(project)).map((tip) => `^${tip}`);
  const objects = [...commits, ...without];
  return copyObjects({ from: store, to: project, quarantine, objects, revs: true });
}

/** Everything that the user's refs and the HEADs of the work trees lead to. Refs and tags of ours do not count. */
export async function userTips(project: Repository): Promise<string[]> {
  const refs = [...(await refValues(project))];
  const isOurs = (name: string): boolean =>
    name.startsWith(`${OWN_REFS}/`) || name.startsWith(`${TAG_REFS}/`);
  const own = refs.flatMap(([name, oid]) => (isOurs(name) ? [] : [oid]));
  const head = await resolveRef(project, "HEAD");
  return [...new Set([...own, ...(head === undefined ? [] : [head]), ...detachedHeads(project)])];
}

/** Of linked work trees; a branch that one has checked out is among the refs. */
function detachedHeads({ commonDir }: Repository): string[] {
  const folder = join(commonDir, "worktrees");
  return [join(commonDir, "HEAD"), ...namesIn(folder).map((name) => join(folder, name, "HEAD"))]
    .filter((path) => existsSync(path))
    .map((path) => readRegular(path, "latin1").trim())
    .filter((text) => /^[0-9a-f]{40,64}$/.test(text));
}
