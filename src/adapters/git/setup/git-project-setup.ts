/** The ProjectSetup port on a git work tree. */
import {
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  fsyncSync,
  linkSync,
  renameSync,
  rmSync,
} from "node:fs";
import { join } from "node:path";
import { makeFolders } from "../../files/make-folders.ts";
import { openOwn } from "../../files/owner-and-mode.ts";
import type { ConfigFile, DetectedProject, ProjectSetup } from "../../../ports/project-setup.ts";
import { OWN_FILES } from "../../../domain/config-places.ts";
import { uniqueName, writeAll } from "../../files/durable-write.ts";
import { errorCode } from "../../files/errors.ts";
import { disks } from "../../files/disks.ts";
import { statOf } from "../../files/file-stat.ts";
import { fromRoot } from "../../files/real-path.ts";
import { makeTransientFolder, removeTransientFolder } from "../../files/transient-folder.ts";
import type { ObjectReader } from "../object-reader.ts";
import type { Repository } from "../repository.ts";
import { detectProject } from "./detect-project.ts";

export class GitProjectSetup implements ProjectSetup {
  readonly #repository: Repository;
  readonly #reader: ObjectReader;

  constructor(repository: Repository, reader: ObjectReader) {
    this.#repository = repository;
    this.#reader = reader;
  }

  detect(): Promise<DetectedProject> {
    return detectProject(this.#repository, this.#reader);
  }

  configFile(): ConfigFile | undefined {
    for (const name of OWN_FILES) {
      const stat = statOf(this.#path(name));
      if (stat !== undefined) return { name, isPlainFile: stat.isFile() };
    }
    return undefined;
  }

  createConfig(name: string, text: string): boolean {
    const temporary = this.#writeAside(name, text);
    try {
      // Fails where a rename would overwrite.
      linkSync(temporary, this.#path(name));
      return true;
    } catch (error) {
      if (errorCode(error) === "EEXIST") return false;
      throw error;
    } finally {
      this.#removeAside(temporary);
    }
  }

  replaceConfig(name: string, text: string): string {
    const folder = join(this.#repository.ownFolder, "replaced");
    makeFolders(folder, 0o700);
    const copy = join(folder, `${name}.${new Date().toISOString().replaceAll(/[-:]|\.\d+/g, "")}`);
    const temporary = this.#writeAside(name, text);
    try {
      const kept = freeName(copy);
      copyFileSync(this.#path(name), kept, constants.COPYFILE_EXCL);
      renameSync(temporary, this.#path(name));
      return fromRoot(this.#repository.workTree, kept);
    } finally {
      this.#removeAside(temporary);
    }
  }

  /** On the same disk, where the next command sweeps it up if this one is killed; with the permissions of any file. */
  #writeAside(name: string, text: string): string {
    const { privateDir, gitDir, workTree } = this.#repository;
    const { of } = disks();
    const isSameDisk = of(gitDir) === of(workTree);
    const folder = isSameDisk ? join(privateDir, "tmp") : makeTransientFolder(workTree);
    makeFolders(folder, 0o700);
    const temporary = join(folder, `${name}.tmp-${uniqueName()}`);
    const fd = openOwn(temporary, "wx", 0o666);
    try {
      writeAll(fd, Buffer.from(text));
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
    return temporary;
  }

  #removeAside(temporary: string): void {
    rmSync(temporary, { force: true });
    removeTransientFolder(this.#repository.workTree);
  }

  #path(name: string): string {
    return join(this.#repository.workTree, name);
  }
}

function freeName(wanted: string): string {
  let name = wanted;
  for (let number = 2; existsSync(name); number++) name = `${wanted}-${number}`;
  return name;
}
