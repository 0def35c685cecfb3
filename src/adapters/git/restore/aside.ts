/**
 * Files that rollbacks moved away stay for a while: a program that still has one open may write to it.
 * When it is swept, each is compared with what the safety checkpoint holds; one that changed stays.
 */
import { existsSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { writeDurably } from "../../files/durable-write.ts";
import { namesIn } from "../../files/names-in.ts";
import { OWN_FOLDER } from "../../files/own-folder-name.ts";
import { statOf } from "../../files/file-stat.ts";
import type { Repository } from "../repository.ts";
import { isState } from "./apply-files.ts";
import { asideFile, FileMover } from "./file-mover.ts";
import type { Intent } from "./intent.ts";
import { decodeSteps, type FileStep } from "./steps.ts";

export const ASIDE_GRACE_MS = 10 * 60 * 1000;

export function keepAside(intent: Intent): void {
  const { staging } = intent;
  if (!existsSync(staging)) return;
  rmSync(join(staging, "new"), { recursive: true, force: true });
  rmSync(join(staging, "index.before"), { force: true });
  const names = ["aside", "later"].flatMap((name) => namesIn(join(staging, name)));
  if (names.length === 0) {
    rmSync(staging, { recursive: true, force: true });
    return;
  }
  // Left by a process that was killed while it wrote the manifest.
  for (const name of namesIn(staging)) {
    if (name.startsWith("manifest.json.tmp-")) rmSync(join(staging, name), { force: true });
  }
  const manifest = { kept_since: new Date().toISOString(), steps: intent.steps };
  writeDurably(join(staging, "manifest.json"), JSON.stringify(manifest), false);
  const kept = join(staging, "..", `kept-${intent.rollback_id}`);
  if (!existsSync(kept)) renameSync(staging, kept);
}

/** Returns the files that somebody wrote to after they were moved away; those stay. */
export function sweepAside(repository: Repository): string[] {
  const changed: string[] = [];
  for (const root of stagingRoots(repository)) {
    for (const name of namesIn(root)) {
      if (!name.startsWith("kept-")) continue;
      changed.push(...sweepOne(repository, join(root, name)));
    }
  }
  return changed;
}

function sweepOne(repository: Repository, folder: string): string[] {
  let manifest: { kept_since: string; steps: unknown };
  try {
    manifest = JSON.parse(readFileSync(join(folder, "manifest.json"), "utf8"));
  } catch {
    return [];
  }
  if (Date.now() - Date.parse(manifest.kept_since) < ASIDE_GRACE_MS) return [];
  const mover = new FileMover(repository);
  const { files } = decodeSteps(manifest.steps);
  const changed = files.filter((step) => wasWritten(mover, folder, step));
  mover.close();
  if (changed.length === 0) rmSync(folder, { recursive: true, force: true });
  return changed.map((step) => asideFile(folder, step.number));
}

function wasWritten(mover: FileMover, folder: string, step: FileStep): boolean {
  const path = asideFile(folder, step.number);
  return statOf(path) !== undefined && !isState(mover.lookAt(path), step.before);
}

/** Beside the git files, or in the project when those are on another file system (renames need one). */
export function stagingRoots(repository: Repository): [preferred: string, other: string] {
  const inGit = join(repository.privateDir, "restore");
  const inProject = join(repository.workTree, OWN_FOLDER, "restore");
  const sameDisk = statOf(repository.gitDir)?.dev === statOf(repository.workTree)?.dev;
  return sameDisk ? [inGit, inProject] : [inProject, inGit];
}
