/**
 * The objects that a rollback makes the project need: those of its new index, of the commits that refs move to, and of an operation in
 * progress. They may be in the store only by now. The user's git does not see the store, so they are copied before anything names them.
 */
import { gitPartOf } from "../../../domain/checkpoint.ts";
import { Failure } from "../../../domain/failure.ts";
import type { RestoreOrder } from "../../../ports/restorer.ts";
import { parentsOf } from "../commit-object.ts";
import { IndexFile } from "../index-file.ts";
import { readIndex } from "../index-snapshot.ts";
import type { ObjectReader } from "../object-reader.ts";
import type { Quarantine } from "../quarantine.ts";
import { checkpointRef } from "../ref-names.ts";
import type { Repository } from "../repository.ts";
import { runGit } from "../run-git.ts";
import { bringObjects, bringRevisions, userTips } from "../store/copy-objects.ts";
import { TreeSource } from "../tree-source.ts";

const GITLINK = 0o160000;
const FOLDER = 0o040000;

export interface NeededObjects {
  readonly blobs: readonly string[];
  /** Commits, and trees with all that is below them. */
  readonly revisions: readonly string[];
  /** An entry says that a file is to be added. */
  readonly announces: boolean;
}

export async function neededObjects(
  repository: Repository,
  reader: ObjectReader,
  order: RestoreOrder,
  newIndex: Buffer | undefined,
): Promise<NeededObjects> {
  const revisions = new Set<string>();
  const blobs = new Set<string>();
  let announces = false;
  if (repository.isPlain) return { blobs: [], revisions: [], announces };
  if (order.head !== null || order.operation || order.refs.length > 0) {
    const commit = await reader.read(checkpointRef(order.target.id));
    if (commit?.type === "commit") for (const oid of parentsOf(commit.content)) revisions.add(oid);
    const root = await new TreeSource(repository, reader).entries(gitPartOf(order.target)?.digest);
    const kept = root.find(({ name }) => name === "keep");
    const trees = await new TreeSource(repository, reader).entries(kept?.oid);
    for (const { oid } of trees) revisions.add(oid);
  }
  if (newIndex !== undefined) {
    const index = new IndexFile(newIndex, repository.hash);
    const { index: present } = await readIndex(repository);
    const known = new Set<string>();
    for (let entry = 0; entry < (present?.length ?? 0); entry++)
      known.add(present?.oid(entry) ?? "");
    for (let entry = 0; entry < index.length; entry++) {
      const [mode, oid] = [index.mode(entry), index.oid(entry)];
      if (mode === GITLINK || known.has(oid)) continue;
      // Git wants the content of an entry that is only announced too: none.
      if (index.isIntentToAdd(entry)) announces = true;
      else (mode === FOLDER ? revisions : blobs).add(oid);
    }
    for (const { oid } of index.resolveUndo) blobs.add(oid);
  }
  return { blobs: [...blobs], revisions: [...revisions], announces };
}

/** To be called again when the project names them: until then a `git gc` of the user was free to take what was there. */
export async function bringNeeded(
  repository: Repository,
  quarantine: Quarantine,
  { blobs, revisions, announces }: NeededObjects,
): Promise<void> {
  if (announces) {
    await runGit(repository, ["hash-object", "-w", "-t", "blob", "--stdin"], { input: "" });
  }
  const present = await presentIn(repository.store, blobs);
  const isWhole =
    (await bringObjects(repository, quarantine, present)) &&
    ((await reachesAll(repository, revisions)) ||
      (await bringRevisions(repository, quarantine, revisions)) ||
      (await bringObjects(repository, quarantine, await leftOf(repository, revisions))));
  if (isWhole) return;
  throw new Failure("checkpoint_damaged", "objects that the index or a branch needs are damaged", {
    hint: "`waymark rebuild` may repair the checkpoint. Nothing was changed.",
  });
}

/** What is lost everywhere was looked at before: it is committed, or git does not promise to keep it. */
async function presentIn(place: Repository, oids: readonly string[]): Promise<string[]> {
  if (oids.length === 0) return [];
  const input = oids.map((oid) => `${oid}\n`).join("");
  const args = ["cat-file", "--batch-check=%(objectname)", "--buffer"];
  const { stdout } = await runGit(place, args, { input });
  return stdout
    .toString("latin1")
    .split("\n")
    .filter((line) => /^[0-9a-f]+$/.test(line));
}

/** Of a history that has lost objects everywhere, those that are there: the rollback makes it no worse. */
async function leftOf({ store, project }: Repository, commits: readonly string[]) {
  const without = (await userTips(project)).map((oid) => `^${oid}`);
  const input = [...commits, ...without].map((line) => `${line}\n`).join("");
  const args = ["rev-list", "--objects", "--no-object-names", "--missing=print", "--stdin"];
  const { stdout } = await runGit(store, args, { input, accept: [0, 128] });
  return stdout
    .toString("latin1")
    .split("\n")
    .filter((line) => /^[0-9a-f]+$/.test(line));
}

/** What the user's refs lead to is not asked about: where something of it is lost, the rollback makes that no worse. */
async function reachesAll({ project }: Repository, revisions: readonly string[]): Promise<boolean> {
  const tips = await userTips(project);
  const wanted = revisions.filter((oid) => !tips.includes(oid));
  if (wanted.length === 0) return true;
  const input = [...wanted, ...tips.map((oid) => `^${oid}`)].map((line) => `${line}\n`).join("");
  const args = ["rev-list", "--quiet", "--objects", "--stdin"];
  return (await runGit(project, args, { input, accept: [0, 128] })).exitCode === 0;
}
