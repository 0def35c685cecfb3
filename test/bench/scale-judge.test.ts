import { expect, test } from "vitest";
import { judgeUsersGit } from "../../scripts/scale/judge.mjs";
import { usersGitReport } from "../../scripts/scale/users-git-report.mjs";

test("the user's git takes between 0.95 and 1.1 times as long beside checkpoints", () => {
  expect([0.95, 1, 1.1].map(judgeUsersGit)).toEqual(["", "", ""]);
  expect(judgeUsersGit(0.94)).toContain("0.940 times");
  expect(judgeUsersGit(1.104)).toContain("1.104 times");
  expect(judgeUsersGit(NaN)).toContain("0.95 to 1.1 is allowed");
});

test("what passes a bound is wrong in the table and in the figure; a second repository without checkpoints is only shown", () => {
  const sizes = [0, 1000].map((checkpoints) => ({
    history: "HEAD constant" as const,
    checkpoints,
  }));
  const rows = [
    { command: "status", withoutMs: 10, ratios: [2, 1] },
    { command: "gc", withoutMs: 50, ratios: [1, 3] },
    { command: "fetch", withoutMs: 10, ratios: [1, NaN] },
  ];
  const { section, figure, wrong } = usersGitReport(rows, sizes, 5);
  expect([figure.tried, figure.wrong, wrong.length]).toEqual([3, 2, 2]);
  expect(section.rows.slice(0, 2)).toEqual([
    ["status", "10.0", "2.00x", "1.00x"],
    ["gc", "50.0", "1.00x", "3.00x (**wrong**)"],
  ]);
});
