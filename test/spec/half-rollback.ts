/** A rollback that died right after it had moved one file away: what the next command finds. */
import { mkdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { deadIntent, oneFile } from "../support/rollback-intent.ts";
import type { RuleProject } from "./project.ts";

/** `held`: options for the checkpoint that it took first. */
export async function leaveHalfRollback(
  project: RuleProject,
  id: string,
  ...held: readonly string[]
): Promise<string> {
  const { repo } = project;
  const folder = await repo.gitPath("waymark");
  const staging = join(folder, "restore", "rb-dead");
  for (const name of ["aside", "later"]) await mkdir(join(staging, name), { recursive: true });
  const lock = await repo.gitPath("index.lock");
  await writeFile(lock, "");
  const { dev, ino } = await stat(lock, { bigint: true });
  const oid = (await repo.git("hash-object", "--no-filters", "b.txt")).trim();
  const safety = await project.create(...held);
  await writeFile(join(staging, "aside", "0"), await repo.read("b.txt"));
  await repo.remove("b.txt");
  const intent = deadIntent({
    rollback_id: "rb-dead",
    target_id: id,
    safety_id: safety,
    lock: { dev: String(dev), ino: String(ino) },
    staging,
    steps: oneFile("b.txt", oid, "0".repeat(40)),
  });
  await writeFile(join(folder, "rollback-intent.json"), JSON.stringify(intent));
  return lock;
}
