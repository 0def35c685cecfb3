/**
 * Private folders in which objects are prepared. What a killed process left behind is found by its owner's identity
 * and swept by the next command.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { uniqueName } from "../files/durable-write.ts";
import { isMissing } from "../files/errors.ts";
import { isAlive, ownIdentity, type ProcessIdentity } from "../files/process-identity.ts";
import type { Repository } from "./repository.ts";

interface Owner extends ProcessIdentity {
  /** Packs that this process published under the protection of a `.keep` file. */
  readonly keeps: readonly string[];
}

export class Quarantine {
  readonly #repository: Repository;
  #folder: string | undefined;
  #keeps: string[] = [];

  constructor(repository: Repository) {
    this.#repository = repository;
  }

  /** Made with the first use. */
  path(name: string): string {
    if (this.#folder === undefined) {
      this.#folder = join(quarantineFolder(this.#repository), uniqueName());
      mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
      this.#writeOwner();
    }
    return join(this.#folder, name);
  }

  /** Notes a `.keep` file before it is made, so that a sweep can remove it. */
  announceKeep(path: string): void {
    this.#keeps.push(path);
    this.#writeOwner();
  }

  discard(): void {
    for (const keep of this.#keeps) rmSync(keep, { force: true });
    if (this.#folder !== undefined) rmSync(this.#folder, { recursive: true, force: true });
    this.#folder = undefined;
    this.#keeps = [];
  }

  #writeOwner(): void {
    const owner: Owner = { ...ownIdentity(), keeps: this.#keeps };
    writeFileSync(this.path("owner.json"), JSON.stringify(owner), { mode: 0o600 });
  }
}

function quarantineFolder(repository: Repository): string {
  return join(repository.sharedDir, "quarantine");
}

/** Removes what processes that are no longer alive left behind. */
export function sweepQuarantine(repository: Repository): void {
  const folder = quarantineFolder(repository);
  for (const name of namesIn(folder)) {
    const path = join(folder, name);
    const owner = readOwner(join(path, "owner.json"));
    if (owner === "none" ? isYoung(name) : isAlive(owner) !== "dead") continue;
    if (owner !== "none") for (const keep of owner.keeps) rmSync(keep, { force: true });
    rmSync(path, { recursive: true, force: true });
  }
}

/** Killed between making the folder and writing who owns it: nothing is in it, and it goes after a minute. */
const YOUNG_MS = 60_000;

function isYoung(name: string): boolean {
  const at = Number.parseInt(name.split("-")[1] ?? "", 36);
  return Number.isFinite(at) && Date.now() - at < YOUNG_MS;
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

function readOwner(path: string): Owner | "none" {
  try {
    return JSON.parse(readFileSync(path, "utf8")) as Owner;
  } catch {
    return "none";
  }
}
