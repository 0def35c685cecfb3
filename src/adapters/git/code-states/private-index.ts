/** An index file of our own with the files of a tree, as `git read-tree` makes it. */
import { readFileSync } from "node:fs";
import { IndexFile } from "../index-file.ts";
import type { Repository } from "../repository.ts";
import { runGit } from "../run-git.ts";
import type { LeafChange } from "../tree-source.ts";

/** Whatever the user's settings make of new index files: one that holds everything itself. */
const PLAIN = [
  "core.splitIndex=false",
  "index.sparse=false",
  "index.skipHash=false",
  "index.version=2",
];

const SETTINGS = PLAIN.flatMap((setting) => ["-c", setting]);

export async function makeIndex(
  repository: Repository,
  path: string,
  tree: string,
  added: readonly LeafChange[] = [],
): Promise<IndexFile> {
  const env = { GIT_INDEX_FILE: path };
  await runGit(repository, [...SETTINGS, "read-tree", "--no-sparse-checkout", tree], { env });
  if (added.length > 0) {
    const lines = added.map(({ path: name, after }) => `${after?.mode} ${after?.oid} 0\t${name}\0`);
    await runGit(repository, [...SETTINGS, "update-index", "-z", "--index-info"], {
      env,
      input: Buffer.from(lines.join(""), "latin1"),
    });
  }
  return new IndexFile(readFileSync(path), repository.hash);
}
