/** The Guards port as small files: one lock for each work tree, one mark in the repository's git folder for each guard. */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { guardsAround } from "../../domain/guard.ts";
import { Failure } from "../../domain/failure.ts";
import type { GuardMark, GuardPlace, Guards } from "../../ports/guards.ts";
import { uniqueName, writeDurably } from "../files/durable-write.ts";
import { isMissing } from "../files/errors.ts";
import { namesIn } from "../files/names-in.ts";
import { takeLock } from "../files/owned-lock.ts";
import { isAlive, ownIdentity, type ProcessIdentity } from "../files/process-identity.ts";
import { readRegular } from "../files/regular-file.ts";
import { HeldGitFolder } from "./held-git-folder.ts";
import type { Repository } from "./repository.ts";

/** As it is written. */
interface StoredMark {
  readonly version: 1;
  readonly owner: ProcessIdentity;
  readonly checkpoint_id: string;
  readonly worktree_id: string;
  readonly since: string;
}

export class GitGuards implements Guards {
  readonly #repository: Repository;
  readonly #environment: NodeJS.ProcessEnv;

  constructor(repository: Repository, environment: NodeJS.ProcessEnv) {
    this.#repository = repository;
    this.#environment = environment;
  }

  async enter(within: string | undefined): Promise<GuardPlace> {
    const around = [...guardsAround(this.#environment), ...(within === undefined ? [] : [within])];
    const { privateDir } = this.#repository;
    const lock = await takeLock(
      join(privateDir, `${this.#innermostHere(around) ?? "guard"}.lock`),
      "guarding a command",
      0,
    );
    const files: string[] = [];
    let held: HeldGitFolder | undefined;
    return {
      around,
      bringBackGit: () => {
        const back = held?.bringBack();
        if (back === undefined) return { kind: "there" };
        return back.isWhole ? { ...back, kind: "put_back" } : { kind: "lost" };
      },
      protect: (checkpointId) => {
        const mark: StoredMark = {
          version: 1,
          owner: ownIdentity(),
          checkpoint_id: checkpointId,
          worktree_id: this.#repository.worktreeId,
          since: new Date().toISOString(),
        };
        const path = join(this.#folder(), `${checkpointId}.json`);
        files.push(path);
        writeDurably(path, JSON.stringify(mark), true);
        held = new HeldGitFolder(this.#repository, path);
      },
      report: (content) => {
        const path = join(privateDir, `guard-report.tmp-${uniqueName()}`);
        files.push(path);
        writeDurably(path, Buffer.from(content), false);
        return path;
      },
      leave: () => {
        held?.close();
        for (const file of files) rmSync(file, { force: true });
        lock.release();
      },
    };
  }

  inUse(): readonly string[] {
    return this.#marks().map((mark) => mark.checkpoint_id);
  }

  killed(): readonly GuardMark[] {
    return this.#marks()
      .filter(({ owner }) => isAlive(owner) === "dead")
      .map((mark) => ({
        checkpointId: mark.checkpoint_id,
        worktreeId: mark.worktree_id,
        since: mark.since,
      }));
  }

  forget(checkpointId: string): void {
    const dead = this.#marks().some(
      (mark) => mark.checkpoint_id === checkpointId && isAlive(mark.owner) === "dead",
    );
    if (dead) {
      rmSync(join(this.#folder(), `${checkpointId}.json`), { recursive: true, force: true });
    }
  }

  /** The guard of this work tree that a new one would be inside of. */
  #innermostHere(around: readonly string[]): string | undefined {
    const here = this.#marks()
      .filter((mark) => mark.worktree_id === this.#repository.worktreeId)
      .filter(({ owner }) => isAlive(owner) !== "dead")
      .map((mark) => mark.checkpoint_id);
    return around.findLast((id) => here.includes(id));
  }

  #marks(): StoredMark[] {
    return namesIn(this.#folder())
      .filter((name) => name.endsWith(".json"))
      .flatMap((name) => this.#read(name.slice(0, -".json".length)));
  }

  /** One that ends meanwhile is gone; one that cannot be read protects its checkpoint all the same. */
  #read(checkpointId: string): StoredMark[] {
    try {
      const text = readRegular(join(this.#folder(), `${checkpointId}.json`), "utf8");
      return [parseMark(text, checkpointId) ?? unreadableMark(checkpointId)];
    } catch (error) {
      if (isMissing(error)) return [];
      if (error instanceof Failure && error.code === "obstructed")
        return [unreadableMark(checkpointId)];
      throw error;
    }
  }

  #folder(): string {
    return join(this.#repository.sharedDir, "guards");
  }
}

function parseMark(text: string, checkpointId: string): StoredMark | undefined {
  try {
    const mark = JSON.parse(text) as Partial<StoredMark> | null;
    const isWhole =
      mark?.checkpoint_id === checkpointId &&
      typeof mark.worktree_id === "string" &&
      typeof mark.since === "string" &&
      typeof mark.owner?.pid === "number";
    return isWhole ? (mark as StoredMark) : undefined;
  } catch {
    return undefined;
  }
}

/** What a power cut left of a mark: whoever wrote it is gone. */
function unreadableMark(checkpointId: string): StoredMark {
  const owner = { ...ownIdentity(), boot: "an earlier one", pid: 0 };
  return { version: 1, owner, checkpoint_id: checkpointId, worktree_id: "", since: "" };
}
