/** Git's own merge of three texts, on raw bytes. */
import { readFileSync, writeFileSync } from "node:fs";
import { runGit, type GitLocation } from "../run-git.ts";

/** As git does: a NUL among the first bytes makes it no text. */
const LOOKED_AT = 8000;

/** `merge-file` answers with the number of conflicts, up to this. */
const ANSWERS = Array.from({ length: 128 }, (_, conflicts) => conflicts);

export interface Sides {
  readonly ours: Buffer;
  readonly base: Buffer;
  readonly theirs: Buffer;
}

/** Undefined where the same lines were changed, or one of them is no text. `place` names a file of ours for each side. */
export async function mergeContent(
  git: GitLocation,
  sides: Sides,
  place: (name: string) => string,
): Promise<Buffer | undefined> {
  const { ours, base, theirs } = sides;
  if ([ours, base, theirs].some((content) => content.subarray(0, LOOKED_AT).includes(0))) {
    return undefined;
  }
  const files = Object.entries({ ours, base, theirs }).map(([name, content]) => {
    const path = place(`merge-${name}`);
    writeFileSync(path, content, { mode: 0o600 });
    return path;
  });
  const { exitCode } = await runGit(git, ["merge-file", "-q", ...files], {
    accept: ANSWERS,
    durability: "fast",
  });
  return exitCode === 0 ? readFileSync(place("merge-ours")) : undefined;
}
