/** The states of a project that cases start from. */
import { deleteObject } from "../../support/damage.ts";
import { SECRET_FILE } from "../../secrets/fake-secrets.ts";
import { leaveHalfRollback } from "../../spec/half-rollback.ts";
import type { RuleProject } from "../../spec/project.ts";
import { ALICE, BOB, SharedTree } from "../../selective/shared-tree.ts";

/** A checkpoint, then a change: what most cases start from. */
export async function checkpointAndChange(project: RuleProject): Promise<void> {
  await project.take({ phase: "implement", step: 4, trigger: "pre_phase" });
  await project.repo.write("b.txt", "beta, changed since\n");
  await project.repo.write("later.txt", "not there then\n");
}

/** With a task of Backlog.md that was finished since. */
export async function taskSince(project: RuleProject): Promise<void> {
  const file = (status: string): string => `---\nid: TASK-1\nstatus: ${status}\nlabels: [a]\n---\n`;
  await project.repo.write("backlog/tasks/task-1 - One.md", file("To Do"));
  await project.create("--task", "1");
  await project.repo.remove("backlog/tasks/task-1 - One.md");
  await project.repo.write("backlog/completed/task-1 - One.md", file("Done"));
}

export async function secretsAround({ repo }: RuleProject): Promise<void> {
  await repo.write(".env", "A=1\n");
  await repo.write("tools/deploy.ts", SECRET_FILE);
}

export async function secretsHeld(project: RuleProject): Promise<void> {
  await secretsAround(project);
  await project.create("--include-secrets", ".env", "tools");
}

export async function withScope(project: RuleProject): Promise<void> {
  await project.create("--scope", "dir", "*.log");
  await project.repo.write("trace.log", "changed since\n");
  await project.repo.write("later.log", "not there then\n");
}

export async function rolledBack(project: RuleProject): Promise<void> {
  await checkpointAndChange(project);
  await project.ok("rollback", "latest", "--yes");
}

export async function undone(project: RuleProject): Promise<void> {
  await rolledBack(project);
  await project.ok("undo", "--yes");
}

/** The same files without git. */
export async function plainFolder({ repo }: RuleProject): Promise<void> {
  await repo.remove(".git");
}

export async function plainCheckpoint(project: RuleProject): Promise<void> {
  await plainFolder(project);
  await checkpointAndChange(project);
}

export async function damaged(project: RuleProject): Promise<void> {
  const id = await project.create();
  const ref = `refs/waymark/cp/${id}:worktree/untracked.txt`;
  await deleteObject(project.repo, (await project.repo.store("rev-parse", ref)).trim());
  await project.repo.remove("untracked.txt");
}

/** As damaged, but the file that was held is still in the project. */
export async function repairable(project: RuleProject): Promise<void> {
  const content = await project.repo.read("untracked.txt");
  await damaged(project);
  await project.repo.write("untracked.txt", content);
}

/** The commit has the right tree and no document. */
export async function withoutDocument(project: RuleProject): Promise<void> {
  const { repo } = project;
  const ref = `refs/waymark/cp/${await project.create("-m", "why")}`;
  const old = (await repo.store("rev-parse", ref)).trim();
  const head = await repo.head();
  const commit = await repo.store("commit-tree", `${ref}^{tree}`, "-p", head, "-m", "garbage");
  await repo.store("update-ref", ref, commit.trim());
  await deleteObject(repo, old);
}

export async function oneWholeOneDamaged(project: RuleProject): Promise<void> {
  await damaged(project);
  await project.create();
}

/** A damaged one that is no commit of ours at all. */
export async function unreadable(project: RuleProject): Promise<void> {
  await project.create();
  await withoutRefs(project);
  const head = await project.repo.head();
  await project.repo.store("update-ref", "refs/waymark/cp/cp-damaged", head);
}

export async function wrongSettings(project: RuleProject): Promise<void> {
  const lines = ["strategy: clever", "retention:", "  max_age: soon", "  maxage: 3d", ""];
  await project.repo.write("waymark.yml", lines.join("\n"));
}

export async function threeCheckpoints(project: RuleProject): Promise<void> {
  for (let at = 0; at < 3; at++) await project.create();
}

export async function pinned(project: RuleProject): Promise<void> {
  await project.create("--pin");
}

export async function deletedOne(project: RuleProject): Promise<string> {
  const id = await project.create();
  await project.ok("delete", id, "--yes", "-m", "not needed");
  return id;
}

export async function exported(project: RuleProject): Promise<void> {
  await checkpointAndChange(project);
  await project.ok("rollback", "latest", "--yes");
  await project.ok("export", "-o", "../all.bundle");
}

/** What `exported` wrote, in a project that has nothing of it. */
export async function archiveOfAnother(project: RuleProject): Promise<void> {
  await exported(project);
  await withoutRefs(project);
}

/** An empty store. */
async function withoutRefs({ repo }: RuleProject): Promise<void> {
  const refs = await repo.storeRefs("--format=delete %(refname)", "refs/waymark");
  await repo.storeWithInput(refs, "update-ref", "--stdin");
}

export async function archiveWithConflict(project: RuleProject): Promise<void> {
  await exported(project);
  const refs = await project.repo.storeRefs("--format=%(refname)", "refs/waymark/cp");
  const head = await project.repo.head();
  await project.repo.store("update-ref", refs.split("\n")[0] ?? "", head);
}

export async function nothingChanged(project: RuleProject): Promise<void> {
  await project.repo.git("reset", "-q", "--hard");
  await project.repo.git("clean", "-qfd");
  await project.create();
}

export async function halfMerged(project: RuleProject): Promise<void> {
  const { repo } = project;
  await repo.git("reset", "-q", "--hard");
  await repo.git("checkout", "-q", "other");
  await repo.write("b.txt", "beta of the other side\r\n");
  await repo.git("commit", "-q", "-am", "other side");
  await repo.git("merge", "-q", "--no-commit", "main");
  // Git does not bring these line ends back.
  await repo.write(".gitattributes", "*.txt text eol=lf\n");
  await repo.write("crlf.txt", "one\r\n");
  await project.create();
}

export async function conflicted(project: RuleProject): Promise<void> {
  const { repo } = project;
  await repo.git("reset", "-q", "--hard");
  await repo.git("checkout", "-q", "other");
  await repo.write("a.txt", "other side\n");
  await repo.git("commit", "-q", "-am", "other side");
  await repo.gitStops("merge", "main");
  await project.create();
}

export async function halfRolledBack(project: RuleProject): Promise<void> {
  await leaveHalfRollback(project, await project.create());
}

export async function committedSince(project: RuleProject): Promise<void> {
  await project.create();
  await project.repo.commit("since");
}

/** A session of an agent has changed a file and made one. */
export async function workedInSession(project: RuleProject): Promise<void> {
  const tree = new SharedTree(project.repo);
  await tree.writes(ALICE, "b.txt", "alice\n");
  await tree.writes(ALICE, "alice.txt", "alice\n");
}

/** Somebody else has gone on with what it made. */
export async function workedOnByOthers(project: RuleProject): Promise<void> {
  const tree = new SharedTree(project.repo);
  await tree.writes(ALICE, "alice.txt", "alice\n");
  await tree.writes(BOB, "alice.txt", "alice and bob\n");
}
