import { describe, expect, it } from "vitest";
import { compareResults, parseTap, passedOf, reasonOf } from "../../scripts/git-suite/tap.mjs";

const TAP = `Initialized empty Git repository in /tmp/trash
ok 1 - setup
not ok 2 - adds a # sign
#
#	git add . &&
#	false
#
not ok 3 - is known # TODO known breakage
ok 4 - was known # TODO known breakage vanished
ok 5 # skip needs a file system without case (missing CASE_INSENSITIVE_FS)
# failed 1 among remaining 4 test(s)
1..5
`;

describe("results of git's test scripts", () => {
  it("are read as test-lib.sh means them", () => {
    const { tests, planned } = parseTap(TAP);
    expect(planned).toBe(5);
    expect(tests).toEqual([
      { number: 1, title: "setup", outcome: "passed" },
      { number: 2, title: "adds a # sign", outcome: "failed" },
      { number: 3, title: "is known", outcome: "known breakage" },
      { number: 4, title: "was known", outcome: "breakage fixed" },
      {
        number: 5,
        title: "needs a file system without case (missing CASE_INSENSITIVE_FS)",
        outcome: "skipped",
      },
    ]);
    expect(passedOf({ tests, planned })).toBe(1);
  });

  it("have no plan where the script was stopped", () => {
    expect(parseTap("ok 1 - setup\n").planned).toBeUndefined();
  });

  it("differ where one ends otherwise, and where one is not there", () => {
    const without = parseTap("ok 1 - a\nok 2 - b\nnot ok 3 - c\n1..3\n");
    expect(compareResults(without, without)).toEqual([]);
    expect(compareResults(without, parseTap("ok 1 - a\nnot ok 2 - b\n"))).toEqual([
      { number: 2, title: "b", without: "passed", with: "failed" },
      { number: 3, title: "c", without: "failed", with: "no result" },
    ]);
    expect(compareResults(parseTap("ok 1 - a\n"), parseTap("ok 1 - a\nok 2 - b\n"))).toEqual([
      { number: 2, title: "b", without: "no result", with: "passed" },
    ]);
  });

  it("may differ for a reason that is written down, in that test and that mode", () => {
    const known = [{ test: "t1.sh", title: /^counts/, mode: "create", reason: "more objects" }];
    const difference = { number: 1, title: "counts", without: "passed", with: "failed" } as const;
    expect(reasonOf(known, "t1.sh", "create", difference)).toBe("more objects");
    expect(reasonOf(known, "t1.sh", "wreck", difference)).toBeUndefined();
    expect(reasonOf(known, "t2.sh", "create", difference)).toBeUndefined();
    expect(
      reasonOf(known, "t1.sh", "create", { ...difference, title: "does not count" }),
    ).toBeUndefined();
  });
});
