/** The bytes of commits and tags. Written by us: `git commit-tree` and `git tag` would need an identity and could sign. */
export interface CommitParts {
  readonly tree: string;
  readonly parents: readonly string[];
  readonly at: Date;
  readonly message: string;
}

export function encodeCommit(parts: CommitParts): Buffer {
  const who = signature(parts.at);
  const lines = [
    `tree ${parts.tree}`,
    ...parts.parents.map((parent) => `parent ${parent}`),
    `author ${who}`,
    `committer ${who}`,
  ];
  return Buffer.from(`${lines.join("\n")}\n\n${parts.message}`, "utf8");
}

export interface TagParts {
  /** Full name of the ref. */
  readonly ref: string;
  readonly at: Date;
  readonly message: string;
}

/** An annotated tag of a commit. */
export function encodeTag(commit: string, parts: TagParts): Buffer {
  const lines = [
    `object ${commit}`,
    "type commit",
    `tag ${parts.ref.replace(/^refs\/tags\//, "")}`,
    `tagger ${signature(parts.at)}`,
  ];
  return Buffer.from(`${lines.join("\n")}\n\n${parts.message}\n`, "utf8");
}

function signature(at: Date): string {
  return `Waymark <waymark@localhost> ${Math.floor(at.getTime() / 1000)} +0000`;
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

export function committedAt(commit: Buffer): Date {
  const seconds = /^committer .* (\d+) [+-]\d{4}$/m.exec(commit.toString("latin1"))?.[1];
  return new Date(Number(seconds ?? 0) * 1000);
}
