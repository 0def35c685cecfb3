import { expect, test } from "vitest";
import { judgeUsersGit } from "../../scripts/scale/judge.mjs";
import { usersGitReport } from "../../scripts/scale/users-git-report.mjs";

const sizes = [100, 1000, 10_000].map((checkpoints) => ({ checkpoints, sessions: 10 }));

test("everyday commands of the user are judged beside 100 and 1,000 checkpoints", () => {
  const row = { everyday: true, withoutMs: 20 };
  expect(judgeUsersGit(row, 100, 40)).toBe("");
  expect(judgeUsersGit(row, 1000, 40.1)).toContain("40.0 is the most");
  expect(judgeUsersGit(row, 10_000, 400)).toBeUndefined();
  // Twice a very short time is noise.
  expect(judgeUsersGit({ everyday: true, withoutMs: 3 }, 100, 7.9)).toBe("");
});

test("what reads all refs is judged beside 100", () => {
  const row = { everyday: false, withoutMs: 20 };
  expect(judgeUsersGit(row, 100, 60)).toBe("");
  expect(judgeUsersGit(row, 100, 61)).toContain("60.0 is the most");
  expect(judgeUsersGit(row, 1000, 600)).toBeUndefined();
});

test("what passes a bound is wrong in the table and in the figure, what is only shown counts for nothing", () => {
  const rows = [
    { command: "status", everyday: true, withoutMs: 10, withMs: [10, 30, 300] },
    { command: "gc", everyday: false, withoutMs: 50, withMs: [100, 500, 5000] },
    { command: "fetch", everyday: false, withoutMs: 10, withMs: [NaN, 10, 10] },
  ];
  const { section, figure, wrong } = usersGitReport(rows, sizes, 5);
  expect([figure.tried, figure.wrong, wrong.length]).toEqual([4, 2, 2]);
  expect(section.rows[0]).toEqual([
    "status",
    "10.0",
    "1.00x, 10.0 ms",
    "3.00x, 30.0 ms (**wrong**)",
    "30.00x, 300.0 ms",
  ]);
});
