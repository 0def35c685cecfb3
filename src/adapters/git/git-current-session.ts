/** The CurrentSession port as a small file in the work tree's git folder. */
import { rmSync } from "node:fs";
import { join } from "node:path";
import type { CurrentSession } from "../../ports/current-session.ts";
import { writeDurably } from "../files/durable-write.ts";
import { isMissing } from "../files/errors.ts";
import { namesIn } from "../files/names-in.ts";
import { readRegular } from "../files/regular-file.ts";
import type { Repository } from "./repository.ts";

const FILE = "current-session";

export class GitCurrentSession implements CurrentSession {
  readonly #path: string;
  readonly #commonDir: string;

  constructor({ privateDir, commonDir }: Repository) {
    this.#path = join(privateDir, FILE);
    this.#commonDir = commonDir;
  }

  get(): string | undefined {
    return sessionIn(this.#path);
  }

  everywhere(): readonly string[] {
    const linked = join(this.#commonDir, "worktrees");
    const gitDirs = [this.#commonDir, ...namesIn(linked).map((name) => join(linked, name))];
    const paths = [this.#path, ...gitDirs.map((gitDir) => join(gitDir, "waymark", FILE))];
    return [...new Set(paths)].flatMap((path) => sessionIn(path) ?? []);
  }

  set(id: string | undefined): void {
    if (id === undefined) rmSync(this.#path, { force: true });
    else writeDurably(this.#path, `${id}\n`, true);
  }
}

function sessionIn(path: string): string | undefined {
  try {
    return readRegular(path, "utf8").trim() || undefined;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}
