/**
 * What this user made or agreed to on this machine: checkpoints that were taken here, and commands of sessions that were started or confirmed
 * here. Refs and their documents can come by `git fetch`, an archive or a copied repository; these marks are in files that no fetch and no
 * import writes, and each is bound to the machine, the user and the very content.
 */
import { cpSync, existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { CheckpointDocument } from "../../domain/checkpoint.ts";
import type { WorkflowDefinition } from "../../domain/session.ts";
import { writeDurably } from "../files/durable-write.ts";
import { machineAndUser } from "../files/machine-and-user.ts";
import { readRegular } from "../files/regular-file.ts";
import { idOfRef, sessionRef } from "./ref-names.ts";
import type { Repository } from "./repository.ts";
import { sha256 } from "./sha256.ts";

type Shared = Pick<Repository, "sharedDir">;
type Identity = Pick<CheckpointDocument, "id" | "checksum">;

export const MARK_FOLDERS = [
  join("made-here", "checkpoints"),
  join("made-here", "sessions"),
] as const;
const [CHECKPOINTS, SESSIONS] = MARK_FOLDERS;

/** A session goes on by other texts of its file only when somebody chooses so each time. */
const MAX_TEXTS = 50;

/** Written before the checkpoint can be seen. Without `sync` a power cut may take the mark; then the checkpoint is checked like any other. */
export function markMadeHere(repository: Shared, document: Identity, sync: boolean): void {
  writeDurably(join(repository.sharedDir, CHECKPOINTS, document.id), markOf(document), sync);
}

export function isMadeHere(repository: Shared, document: Identity): boolean {
  return readMarks(join(repository.sharedDir, CHECKPOINTS, document.id)).includes(markOf(document));
}

export function forgetMadeHere(repository: Shared, ids: readonly string[]): void {
  for (const id of ids) rmSync(join(repository.sharedDir, CHECKPOINTS, id), { force: true });
}

/** From now on this session may run the commands of this text, whatever else changes in its document. */
export function trustCommands(
  repository: Shared,
  sessionId: string,
  definition: WorkflowDefinition,
): void {
  const path = trustPath(repository, sessionId);
  const mark = trustMark(sessionId, definition);
  const others = readMarks(path).filter((other) => other !== mark);
  writeDurably(path, [...others, mark].slice(-MAX_TEXTS).join(""), true);
}

export function areCommandsTrusted(
  repository: Shared,
  sessionId: string,
  definition: WorkflowDefinition,
): boolean {
  return readMarks(trustPath(repository, sessionId)).includes(trustMark(sessionId, definition));
}

export function forgetTrust(repository: Shared, sessionId: string): void {
  rmSync(trustPath(repository, sessionId), { force: true });
}

/** For the private repository of a plain folder that has become a git work tree. */
export function takeOverMarks(from: Shared, to: Shared): void {
  for (const folder of MARK_FOLDERS) {
    const source = join(from.sharedDir, folder);
    if (existsSync(source))
      cpSync(source, join(to.sharedDir, folder), { recursive: true, force: false });
  }
}

function trustPath({ sharedDir }: Shared, sessionId: string): string {
  return join(sharedDir, SESSIONS, idOfRef(sessionRef(sessionId)));
}

function markOf({ id, checksum }: Identity): string {
  return mark(["checkpoint", id, checksum]);
}

function trustMark(sessionId: string, { path, text }: WorkflowDefinition): string {
  return mark(["commands", sessionId, path, text]);
}

function mark(about: readonly string[]): string {
  return `${sha256(JSON.stringify([...machineAndUser(), ...about]))}\n`;
}

function readMarks(path: string): string[] {
  try {
    return readRegular(path, "latin1").split(/(?<=\n)/);
  } catch {
    // Missing or unreadable: nothing is known to be from here.
    return [];
  }
}
