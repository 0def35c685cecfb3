/** A checkpoint through an archive into a repository that has nothing in common with it. */
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { Failure } from "../../src/domain/failure.ts";
import { rollBack } from "../../src/library/roll-back.ts";
import { exportCheckpoints } from "../../src/operations/export-checkpoints.ts";
import { importArchive } from "../../src/operations/import-archive.ts";
import { quoteKey } from "../support/byte-path.ts";
import { isCaptured } from "../support/expected-after-rollback.ts";
import { describeEntry } from "../support/fingerprint-diff.ts";
import { type TempRepository } from "../support/temp-repository.ts";
import { walkTree } from "../support/work-tree-walk.ts";
import { type Held } from "./expected-in-part.ts";
import { inProject } from "./model-driver.ts";
import { gitOfProject } from "./project-git.ts";

/** The differences between what it holds and what is there after a rollback to it. Undefined: a partial or shallow clone does not have what it takes. */
export async function carryElsewhere(
  repo: TempRepository,
  held: Held,
  start: string,
): Promise<string[] | undefined> {
  const file = join(repo.base, "carried.waymark");
  try {
    await inProject(repo, (project) =>
      exportCheckpoints(project, {
        selectors: [held.id],
        file,
        overwrite: true,
        since: [],
        sinceRemotes: false,
        skipDamaged: false,
      }),
    );
  } catch (error) {
    if (error instanceof Failure && lacksHistory(start, error)) return undefined;
    throw error;
  }
  const other = repo.at("elsewhere");
  await rm(other.root, { recursive: true, force: true });
  const format = await gitOfProject(repo, "rev-parse", "--show-object-format");
  const asked = `--object-format=${format.stdout.toString("latin1").trim()}`;
  await repo.git("init", "-q", "-b", "main", asked, other.root);
  await inProject(other, (project) => importArchive(project, { file, dryRun: false }));
  await inProject(other, (project) => rollBack(project, held.id, { discardCommits: true }));
  const there = walkTree(other.root, (key) => key === ".git" || key === ".checkpoints");
  const keys = [...held.fingerprint.paths.keys()].filter(
    (key) =>
      isCaptured(held.fingerprint, key) &&
      // Copies of ignored files stay where they were made.
      !held.copies.has(key) &&
      (held.kind !== "scoped" || key.startsWith("dir/")),
  );
  return keys.flatMap((key) => {
    const entry = held.fingerprint.paths.get(key);
    const found = there.get(key);
    const should = entry === undefined ? "absent" : describeEntry(entry);
    const is = found === undefined ? "absent" : describeEntry(found);
    return is === should ? [] : [`path ${quoteKey(key)}: is ${is}, should be ${should}`];
  });
}

function lacksHistory(start: string, { message }: Failure): boolean {
  if (start.startsWith("a partial clone")) return /missing|promisor/i.test(message);
  return start === "a shallow clone" && message.startsWith("this is a shallow clone");
}
