/** The CurrentSession port as a small file in the work tree's git folder. */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { Failure } from "../../domain/failure.ts";
import type { CurrentSession } from "../../ports/current-session.ts";
import { writeDurably } from "../files/durable-write.ts";
import { isMissing } from "../files/errors.ts";
import { namesIn } from "../files/names-in.ts";
import { readRegular } from "../files/regular-file.ts";
import type { Repository } from "./repository.ts";
import { keepWorkTreeId } from "./work-tree-id.ts";

const FILE = "current-session";

export class GitCurrentSession implements CurrentSession {
  readonly #path: string;
  readonly #repository: Repository;

  constructor(repository: Repository) {
    this.#path = join(repository.privateDir, FILE);
    this.#repository = repository;
  }

  get(): string | undefined {
    return sessionIn(this.#path);
  }

  everywhere(): readonly string[] {
    const { commonDir } = this.#repository;
    const linked = join(commonDir, "worktrees");
    const gitDirs = [commonDir, ...namesIn(linked).map((name) => join(linked, name))];
    const paths = [this.#path, ...gitDirs.map((gitDir) => join(gitDir, "waymark", FILE))];
    return [...new Set(paths)].flatMap((path) => sessionIn(path) ?? []);
  }

  set(id: string | undefined): void {
    if (id === undefined) {
      rmSync(this.#path, { force: true });
      return;
    }
    keepWorkTreeId(this.#repository, true);
    writeDurably(this.#path, `${id}\n`, true);
  }
}

function sessionIn(path: string): string | undefined {
  try {
    return readRegular(path, "utf8").trim() || undefined;
  } catch (error) {
    // Something else in its place says nothing.
    const isOther = error instanceof Failure && error.code === "obstructed";
    if (isMissing(error) || isOther) return undefined;
    throw error;
  }
}
