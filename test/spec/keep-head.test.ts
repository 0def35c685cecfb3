// `--keep-head` and what is in progress.
import { expect, test } from "vitest";
import { items, text } from "../support/json.ts";
import { withSeed, type RuleProject } from "./project.ts";

/** A rebase that stopped at a conflict. */
async function stoppedRebase({ repo }: RuleProject): Promise<void> {
  await repo.git("checkout", "-qb", "part");
  await repo.write("a.txt", "part\n");
  await repo.git("commit", "-qam", "part");
  await repo.git("checkout", "-q", "main");
  await repo.write("a.txt", "main\n");
  await repo.git("commit", "-qam", "main");
  await repo.git("checkout", "-q", "part");
  await repo.tryGit(["rebase", "main"]);
}

test("[R24] --keep-head brings no rebase back onto a branch that has moved on", () =>
  withSeed(async (project) => {
    const { repo } = project;
    await stoppedRebase(project);
    const id = await project.create();
    await repo.git("rebase", "--abort");
    await repo.write("later.txt", "later\n");
    await repo.git("add", "later.txt");
    await repo.git("commit", "-qm", "work after");
    const head = await repo.git("rev-parse", "part");
    await project.ok("rollback", id, "--yes", "--keep-head");
    expect(await repo.exists(".git/rebase-merge")).toBe(false);
    expect((await repo.tryGit(["rebase", "--abort"])).code).not.toBe(0);
    expect(await repo.git("rev-parse", "part")).toBe(head);
  }));

test("[R24] --keep-head takes no rebase away in whose middle HEAD stays", () =>
  withSeed(async (project) => {
    const { repo } = project;
    const id = await project.create();
    await stoppedRebase(project);
    const head = await repo.git("rev-parse", "HEAD");
    await project.ok("rollback", id, "--yes", "--keep-head");
    expect(await repo.git("rev-parse", "HEAD")).toBe(head);
    expect(await repo.exists(".git/rebase-merge")).toBe(true);
  }));

test("[R24] --keep-head leaves a bisect with its refs, and says so", () =>
  withSeed(async (project) => {
    const { repo } = project;
    const id = await project.create();
    for (const name of ["1", "2", "3", "4"]) {
      await repo.write("b.txt", `${name}\n`);
      await repo.git("commit", "-qam", name);
    }
    await repo.git("bisect", "start", "HEAD", "HEAD~3");
    const refs = await repo.git("for-each-ref", "refs/bisect");
    const { json } = await project.ok("rollback", id, "--yes", "--keep-head");
    expect(await repo.git("for-each-ref", "refs/bisect")).toBe(refs);
    expect(items(json, "warnings").join()).toContain("the bisect in progress stays");
    const planned = await project.ok("rollback", id, "--keep-head", "--dry-run");
    expect(text(planned.json, "plan", "operation_left")).toContain("the bisect in progress stays");
  }));
