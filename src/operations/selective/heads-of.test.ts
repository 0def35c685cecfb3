import { describe, expect, it } from "vitest";
import type { Differ, PassedCommit } from "../../ports/differ.ts";
import { headsOf } from "./heads-of.ts";

/** Commits are numbers, and each has all smaller ones of its line in it: a1, a2, b1. Those of `made` are on no branch. */
function differOf(made: ReadonlyMap<string, number>): Pick<Differ, "commits" | "withoutRef"> {
  const only = (has: string | null, hasNot: string | null): PassedCommit[] => {
    const isWithin = has === hasNot || (has?.[0] === hasNot?.[0] && String(has) < String(hasNot));
    return isWithin ? [] : [{ commit: String(has), subject: "" }];
  };
  return {
    commits: (from, to) => Promise.resolve({ gained: only(to, from), lost: only(from, to) }),
    withoutRef: () => Promise.resolve(made),
  };
}

/** A moment each second, from the first one on. */
async function switchesWith(
  made: Readonly<Record<string, number>>,
  ...moments: readonly [string | null, string][]
): Promise<boolean[]> {
  const heads = await headsOf(
    moments.map(([branch, commit], second) => ({
      branch,
      commit,
      at: new Date(second * 1000 + 500).toISOString(),
    })),
    differOf(new Map(Object.entries(made))),
  );
  return heads.slice(1).map((head, index) => head !== heads[index]);
}

function switches(...moments: readonly [string | null, string][]): Promise<boolean[]> {
  return switchesWith({}, ...moments);
}

describe("whether somebody switched from one moment to the next", () => {
  it("is told by the branch, and not by commits on it", async () => {
    expect(await switches(["main", "a1"], ["main", "a2"], ["other", "a2"], [null, "a2"])).toEqual([
      false,
      true,
      true,
    ]);
  });

  it("is told by commits that do not follow one another where no branch is checked out", async () => {
    expect(await switches([null, "a1"], [null, "a1"], [null, "a2"])).toEqual([false, false]);
    expect(await switches([null, "a2"], [null, "a1"], [null, "b1"])).toEqual([true, true]);
  });

  it("is not told by a commit that was made in between in the place of another", async () => {
    expect(await switchesWith({ b1: 0 }, [null, "a1"], [null, "b1"])).toEqual([false]);
    expect(await switchesWith({ b1: 1 }, [null, "a1"], [null, "a2"], [null, "b1"])).toEqual([
      false,
      false,
    ]);
  });

  it("is told by a commit that is older, or that an earlier moment had, though no branch has it", async () => {
    expect(await switchesWith({ b1: 0 }, [null, "a1"], [null, "a1"], [null, "b1"])).toEqual([
      false,
      true,
    ]);
    expect(await switchesWith({ a1: 9, b1: 0 }, [null, "a1"], [null, "b1"], [null, "a1"])).toEqual([
      false,
      true,
    ]);
  });
});
