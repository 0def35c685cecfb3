/**
 * The id of a work tree: `main`, or the name that git gave the linked one and a digest of when it was made. Git gives the name of a
 * removed work tree to the next one, which must not take over what can be undone in the first.
 *
 * The id is kept in the work tree's git folder before any checkpoint or session has it. Copies and `git worktree move` keep
 * the file; `git worktree remove` takes it away.
 */
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { basename, join } from "node:path";
import { writeDurably } from "../files/durable-write.ts";
import { isMissing } from "../files/errors.ts";
import { statOf } from "../files/file-stat.ts";
import { readRegular } from "../files/regular-file.ts";
import type { Repository } from "./repository.ts";

const FILE = "work-tree-id";

/** Reads only: what nothing is known of yet gets the id that `keepWorkTreeId` would write. */
export function workTreeId({
  gitDir,
  commonDir,
  privateDir,
  sharedDir,
}: Pick<Repository, "gitDir" | "commonDir" | "privateDir" | "sharedDir">): string {
  if (gitDir === commonDir) return "main";
  const kept = keptId(join(privateDir, FILE));
  if (kept !== undefined && isLinkedId(kept)) return kept;
  const name = plainName(basename(gitDir));
  const isNamedOnly = kept === undefined && hasEarlierFiles(privateDir);
  // Names of isolated work trees are random anyway, and the records say which tree is meant by them.
  const isIsolated = existsSync(join(sharedDir, "isolated", `${name}.json`));
  return isNamedOnly || isIsolated ? name : `${name}-${digestOf(gitDir)}`;
}

/** To be called before the id is written to anything that stays. */
export function keepWorkTreeId(
  { privateDir, worktreeId }: Pick<Repository, "privateDir" | "worktreeId">,
  sync: boolean,
): void {
  const path = join(privateDir, FILE);
  if (worktreeId !== "main" && !existsSync(path)) writeDurably(path, `${worktreeId}\n`, sync);
}

function keptId(path: string): string | undefined {
  try {
    return readRegular(path, "latin1").trim();
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

function isLinkedId(id: string): boolean {
  return id !== "main" && /^[a-z0-9][a-z0-9-]{0,40}$/.test(id);
}

/** As one harmless word. Earlier this was the whole id. */
function plainName(name: string): string {
  if (/^[a-z0-9][a-z0-9-]{0,30}$/.test(name) && name !== "main") return name;
  return `wt-${createHash("sha256").update(name).digest("hex").slice(0, 12)}`;
}

/** What work trees have whose checkpoints, sessions or rollbacks are older than kept ids. Since then the id comes first. */
function hasEarlierFiles(privateDir: string): boolean {
  return ["latest.json", "current-session", "last-rollback.json"].some((name) =>
    existsSync(join(privateDir, name)),
  );
}

/** Git writes this file once, when it adds the work tree. */
function digestOf(gitDir: string): string {
  const stat = statOf(join(gitDir, "commondir"));
  const made = `${stat?.mtimeNs ?? ""} ${stat?.ino ?? ""}`;
  return createHash("sha256").update(made).digest("hex").slice(0, 6);
}
