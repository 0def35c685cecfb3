/** The bytes of a commit. Written by us: `git commit-tree` would need an identity and could sign. */
export interface CommitParts {
  readonly tree: string;
  readonly parents: readonly string[];
  readonly at: Date;
  readonly message: string;
}

export function encodeCommit(parts: CommitParts): Buffer {
  const who = `Waymark <waymark@localhost> ${Math.floor(parts.at.getTime() / 1000)} +0000`;
  const lines = [
    `tree ${parts.tree}`,
    ...parts.parents.map((parent) => `parent ${parent}`),
    `author ${who}`,
    `committer ${who}`,
  ];
  return Buffer.from(`${lines.join("\n")}\n\n${parts.message}`, "utf8");
}

export function messageOf(commit: Buffer): string {
  const end = commit.indexOf("\n\n");
  return end < 0 ? "" : commit.toString("utf8", end + 2);
}

export function parentsOf(commit: Buffer): string[] {
  const end = commit.indexOf("\n\n");
  const head = commit.toString("latin1", 0, end < 0 ? commit.length : end);
  return [...head.matchAll(/^parent ([0-9a-f]+)$/gm)].map(([, parent = ""]) => parent);
}
