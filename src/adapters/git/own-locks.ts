/** The lock files that this program keeps in its own folders, whoever holds them. Git's own are never there. */
import { join } from "node:path";
import { namesIn } from "../files/names-in.ts";
import type { Repository } from "./repository.ts";

/** Also of one who was killed while it took a dead one away. */
const LOCK = /\.lock(?:\.takeover)*$/;

export function ownLocks({ privateDir, sharedDir }: Repository): string[] {
  const folders = new Set([
    privateDir,
    join(privateDir, "agents"),
    join(privateDir, "agents", "sessions"),
    sharedDir,
    join(sharedDir, "isolated"),
  ]);
  return [...folders].flatMap((folder) =>
    namesIn(folder)
      .filter((name) => LOCK.test(name))
      .map((name) => join(folder, name)),
  );
}

/** Held while a workflow, a phase or a rollback begins here. */
export function runLockPath(repository: Repository): string {
  return join(repository.privateDir, "run.lock");
}
