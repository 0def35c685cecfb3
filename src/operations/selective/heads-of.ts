/** What HEAD was at each moment, so that two that follow each other differ only where somebody switched. */
import type { Differ } from "../../ports/differ.ts";

export interface HeadMoment {
  readonly branch: string | null;
  readonly commit: string | null;
  readonly at: string;
}

/**
 * A detached HEAD moves on with each commit, also with one that takes the place of another (amend, rebase). To a commit that was there
 * before, somebody switched.
 */
export async function headsOf(
  moments: readonly HeadMoment[],
  differ: Pick<Differ, "commits" | "withoutRef">,
): Promise<string[]> {
  const turns: Turn[] = [];
  for (const [index, { branch, commit }] of moments.entries()) {
    const before = moments[index - 1];
    turns.push(
      branch === null && before?.branch === null
        ? await turnOf(before.commit, commit, differ)
        : "switch",
    );
  }
  const asked = moments.flatMap(({ commit }, index) =>
    turns[index] === "aside" && commit !== null ? [commit] : [],
  );
  const made = asked.length === 0 ? new Map<string, number>() : await differ.withoutRef(asked);
  const heads: string[] = [];
  for (const [index, { branch, commit }] of moments.entries()) {
    const isOnward =
      turns[index] === "onward" ||
      (turns[index] === "aside" && isNew(moments.slice(0, index), commit, made));
    // Somebody may come back to the commit that it was called after.
    heads.push(isOnward ? (heads.at(-1) ?? "") : (branch ?? `detached at ${commit}, ${index}`));
  }
  return heads;
}

/** aside: to a commit that neither has the one before in it nor is in it. */
type Turn = "onward" | "aside" | "switch";

async function turnOf(
  from: string | null,
  to: string | null,
  differ: Pick<Differ, "commits">,
): Promise<Turn> {
  const { gained, lost } = await differ.commits(from, to);
  if (lost.length === 0) return "onward";
  return gained.length === 0 ? "switch" : "aside";
}

/** It was made since the last moment: no branch has it, no earlier moment had it, and it is not older. */
function isNew(
  earlier: readonly HeadMoment[],
  commit: string | null,
  made: ReadonlyMap<string, number>,
): boolean {
  const at = commit === null ? undefined : made.get(commit);
  if (at === undefined || earlier.some((moment) => moment.commit === commit)) return false;
  // Git counts whole seconds.
  return at >= Math.floor(Date.parse(earlier.at(-1)?.at ?? "") / 1000);
}
