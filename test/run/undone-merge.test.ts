/** A merge that somebody undid is no merge: the results are merged again before the session goes on. */
import { expect, it } from "vitest";
import { withSeed } from "../spec/project.ts";

const nodes = (second: string): string => `name: merged twice
type: demo
phases:
  - name: build
    nodes:
      - {name: a, isolate: worktree, run: "echo A > same.txt; echo a > na.txt"}
      - {name: b, isolate: worktree, run: "${second}"}
    verify: "test -f go"
  - {name: last, run: echo l > last.txt}
`;

it("[R82] after an undo of a conflict nothing counts as resolved", async () => {
  await withSeed(async (project) => {
    await project.repo.write("flow.yml", nodes("echo B > same.txt; echo b > nb.txt"));
    await project.repo.write("go", "");
    expect((await project.run("run", "flow.yml")).code).toBe(5);
    await project.ok("undo", "--yes");
    expect((await project.run("resume", "--accept-changes")).code).toBe(5);
    expect(await project.repo.exists("na.txt")).toBe(true);
    await project.repo.write("same.txt", "A and B\n");
    expect((await project.run("resume")).code).toBe(0);
    expect((await project.repo.read("same.txt")).toString("utf8")).toBe("A and B\n");
    for (const name of ["na.txt", "nb.txt", "last.txt"]) {
      expect(await project.repo.exists(name)).toBe(true);
    }
  });
});

it("[R82] after an undo of a merge that fitted, it is merged again", async () => {
  await withSeed(async (project) => {
    await project.repo.write("flow.yml", nodes("echo b > nb.txt"));
    // The check fails at first, so that the session waits after the merge.
    expect((await project.run("run", "flow.yml")).code).toBe(1);
    expect(await project.repo.exists("nb.txt")).toBe(true);
    await project.ok("undo", "--yes");
    expect(await project.repo.exists("nb.txt")).toBe(false);
    await project.repo.write("go", "");
    expect((await project.run("resume", "--accept-changes")).code).toBe(0);
    for (const name of ["na.txt", "nb.txt", "last.txt"]) {
      expect(await project.repo.exists(name)).toBe(true);
    }
  });
});
