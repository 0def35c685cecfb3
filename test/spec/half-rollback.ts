/** A rollback that died right after it had moved one file away: what the next command finds. */
import { mkdir, stat, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
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
  await mkdir(join(staging, "aside"), { recursive: true });
  const lock = await repo.gitPath("index.lock");
  await writeFile(lock, "");
  const { dev, ino } = await stat(lock, { bigint: true });
  const oid = (await repo.git("hash-object", "--no-filters", "b.txt")).trim();
  const safety = await project.create(...held);
  await writeFile(join(staging, "aside", "0"), await repo.read("b.txt"));
  await repo.remove("b.txt");
  const intent = {
    version: 1,
    rollback_id: "rb-dead",
    owner: { host: hostname(), boot: "another", pid: 1, started: "1" },
    since: new Date().toISOString(),
    phase: "applying",
    target_id: id,
    safety_id: safety,
    lock: { dev: String(dev), ino: String(ino) },
    staging,
    steps: {
      files: [
        {
          area: "project",
          path: "b.txt",
          before: { type: "file", oid, mode: 0o644 },
          target: { type: "file", oid: "0".repeat(40), mode: 0o644 },
          number: 0,
        },
      ],
      modes: [],
      folders: [],
    },
    head: null,
    refs: [],
    new_index: null,
    changes_index: false,
    safety_index: null,
  };
  await writeFile(join(folder, "rollback-intent.json"), JSON.stringify(intent));
  return lock;
}
