import {
  appendFileSync,
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { asBytePath, type BytePath } from "../../../domain/byte-path.ts";
import type { FileState } from "../../../domain/file-state.ts";
import { sha256Ids } from "../sha256-ids.ts";
import { applyFiles, needsStaging, returnLateSaves, takeBackFiles } from "./apply-files.ts";
import { FileMover, type Presence } from "./file-mover.ts";
import { keepFolder } from "./kept-aside.ts";
import { makeStaging } from "./staging.ts";
import { encodeSteps, type Area, type FileStep, type RestoreSteps } from "./steps.ts";

let root = "";
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "waymark-exchange-"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

/** Somebody who writes the file anew as soon as it was moved away. */
class Hurried extends FileMover {
  override lookAt(at: Buffer | string): Presence {
    writeFileSync(join(root, "project/log.txt"), "a new beginning\n");
    return super.lookAt(at);
  }
}

describe("applyFiles", () => {
  it("[R7] names the place where a save is found, when another one took its path meanwhile", async () => {
    const project = join(root, "project");
    const staging = join(root, "restore", "rb-1");
    mkdirSync(project);
    makeStaging(staging);
    writeFileSync(join(project, "log.txt"), "saved after the safety checkpoint\n");
    const before = { type: "file", oid: "what the safety checkpoint holds", mode: 0o644 } as const;
    const step = {
      area: "project",
      path: asBytePath("log.txt"),
      before,
      target: null,
      number: 0,
    } as const;
    const steps: RestoreSteps = { files: [step], modes: [], folders: [] };
    const mover = new Hurried({ project }, sha256Ids);
    const [kept] = await applyFiles({ mover, staging, steps });
    keepFolder(staging, encodeSteps(steps), "sha256");
    expect(readFileSync(kept?.keptAt ?? "", "utf8")).toBe("saved after the safety checkpoint\n");
    expect(readFileSync(join(project, "log.txt"), "utf8")).toBe("a new beginning\n");
    expect(existsSync(staging)).toBe(false);
  });

  it("[R7] keeps and names what somebody put in the place of a folder, in both directions", async () => {
    const project = join(root, "project");
    mkdirSync(project);
    const mover = new FileMover({ project }, sha256Ids);
    const [made, removed] = ["made", "removed"].map((name) => asBytePath(name));
    for (const name of ["made", "removed"]) writeFileSync(join(project, name), "a save\n");
    const folders = {
      area: "project",
      remove: [[removed, 0o755]],
      make: [[made, 0o755]],
      parents: [],
    };
    const steps = { files: [], modes: [], folders: [folders] } as unknown as RestoreSteps;
    const work = { mover, staging: join(root, "restore"), steps };
    expect(await applyFiles(work)).toEqual([{ path: "made", keptAt: "its path" }]);
    expect(await takeBackFiles(work, neverAsked)).toEqual([
      { path: "removed", keptAt: "its path" },
    ]);
    expect(readFileSync(join(project, "made"), "utf8")).toBe("a save\n");
  });
});

describe("takeBackFiles", () => {
  it("[R6] fails where the folder of the restore is missing, and leaves the files", async () => {
    const { project, staging, steps } = exchanged();
    rmSync(staging, { recursive: true });
    const work = { mover: new FileMover({ project }, sha256Ids), staging, steps };
    await expect(takeBackFiles(work, neverAsked)).rejects.toThrow("ENOENT");
    expect(readFileSync(join(project, "log.txt"), "utf8")).toBe("target\n");
    expect(existsSync(staging)).toBe(false);
  });

  it("[R22] brings the file back where only its mode had another value, with all its names", async () => {
    const { project, staging, steps } = exchanged("same\n", "same\n");
    const [step] = steps.files;
    const file = join(project, "log.txt");
    chmodSync(file, 0o755);
    linkSync(join(staging, "aside", "0"), join(project, "twin.txt"));
    const target = { ...step?.target, mode: 0o755 };
    const mover = new FileMover({ project }, sha256Ids);
    const work = { mover, staging, steps: { ...steps, files: [{ ...step, target } as FileStep] } };
    expect(needsStaging(mover, work.steps)).toBe(true);
    expect(await takeBackFiles(work, neverAsked)).toEqual([]);
    expect(statSync(file).mode & 0o777).toBe(0o644);
    expect(statSync(file).ino).toBe(statSync(join(project, "twin.txt")).ino);
    expect(needsStaging(mover, work.steps)).toBe(false);
    expect(await takeBackFiles(work, neverAsked)).toEqual([]);
  });
});

/** Somebody who saves `log.txt` as it is taken away, by putting a new file in its place. */
class SavedAtTheLastMoment extends FileMover {
  override takeAway(area: Area, path: BytePath, aside: string): boolean {
    const file = join(root, "project/log.txt");
    writeFileSync(`${file}.new`, "saved at the last moment\n");
    renameSync(`${file}.new`, file);
    return super.takeAway(area, path, aside);
  }
}

/** And who saves it again before that can go back. */
class SavedTwice extends SavedAtTheLastMoment {
  override place(area: Area, path: BytePath, from: string): boolean {
    writeFileSync(join(root, "project/log.txt"), "saved again\n");
    return super.place(area, path, from);
  }
}

/** Somebody who still has open what was taken away. */
class WritesOn extends FileMover {
  override takeAway(area: Area, path: BytePath, aside: string): boolean {
    this.#taken = aside;
    return super.takeAway(area, path, aside);
  }

  override place(area: Area, path: BytePath, from: string): boolean {
    if (this.#taken !== undefined) appendFileSync(this.#taken, "one more line\n");
    return super.place(area, path, from);
  }

  #taken: string | undefined;
}

describe("a save during the way back", () => {
  const read = (path: string): string => readFileSync(path, "utf8");

  it("[R7] stays at its path when it replaced the file between the last look and the rename", async () => {
    const { project, staging, steps } = exchanged();
    const mover = new SavedAtTheLastMoment({ project }, sha256Ids);
    const foreign = await takeBackFiles({ mover, staging, steps }, neverAsked);
    expect(foreign).toEqual([{ path: "log.txt", keptAt: "its path" }]);
    expect(read(join(project, "log.txt"))).toBe("saved at the last moment\n");
  });

  it("[R7] is named with its place when another one took its path", async () => {
    const { project, staging, steps } = exchanged();
    const mover = new SavedTwice({ project }, sha256Ids);
    const [kept, ...others] = await takeBackFiles({ mover, staging, steps }, neverAsked);
    expect(others).toEqual([]);
    keepFolder(staging, encodeSteps(steps), "sha256");
    expect(read(kept?.keptAt ?? "")).toBe("saved at the last moment\n");
    expect(read(join(project, "log.txt"))).toBe("saved again\n");
  });

  it("[R7] is named with its place when it went to the file that was taken out", async () => {
    const { project, staging, steps } = exchanged();
    const mover = new WritesOn({ project }, sha256Ids);
    const [kept, ...others] = await takeBackFiles({ mover, staging, steps }, neverAsked);
    expect(others).toEqual([]);
    keepFolder(staging, encodeSteps(steps), "sha256");
    expect(read(kept?.keptAt ?? "")).toBe("target\none more line\n");
    expect(read(join(project, "log.txt"))).toBe("before\n");
  });

  it("[R7] is not overwritten in a folder that a killed way back left", async () => {
    const { project, staging, steps } = exchanged();
    const later = join(staging, "later", "0");
    writeFileSync(later, "saved before the kill\n");
    const mover = new FileMover({ project }, sha256Ids);
    const foreign = await takeBackFiles({ mover, staging, steps }, neverAsked);
    expect(foreign.map(({ path }) => path)).toEqual(["log.txt", "log.txt"]);
    expect(read(later)).toBe("saved before the kill\n");
  });
});

describe("returnLateSaves", () => {
  it("[R7] leaves a newer save at its path, and names the place of the late one", async () => {
    const { project, staging, steps } = exchanged();
    appendFileSync(join(staging, "aside", "0"), "late\n");
    const mover = new SavedAtTheLastMoment({ project }, sha256Ids);
    const [newer, late] = await returnLateSaves({ mover, staging, steps });
    keepFolder(staging, encodeSteps(steps), "sha256");
    expect(newer).toEqual({ path: "log.txt", keptAt: "its path" });
    expect(readFileSync(join(project, "log.txt"), "utf8")).toBe("saved at the last moment\n");
    expect(readFileSync(late?.keptAt ?? "", "utf8")).toBe("before\nlate\n");
  });
});

function neverAsked(): Promise<void> {
  return Promise.reject(new Error("the set-aside file is there"));
}

/** A project in which `log.txt` was exchanged: it has the target's content, and what was there before is aside. */
function exchanged(before = "before\n", target = "target\n") {
  const project = join(root, "project");
  const staging = join(root, "restore", "rb-1");
  mkdirSync(project);
  makeStaging(staging);
  writeFileSync(join(project, "log.txt"), target);
  writeFileSync(join(staging, "aside", "0"), before, { mode: 0o644 });
  const state = (path: string): FileState => ({
    type: "file",
    oid: sha256Ids.ofFile(path),
    mode: 0o644,
  });
  const step: FileStep = {
    area: "project",
    path: asBytePath("log.txt"),
    before: state(join(staging, "aside", "0")),
    target: state(join(project, "log.txt")),
    number: 0,
  };
  const steps: RestoreSteps = { files: [step], modes: [], folders: [] };
  return { project, staging, steps };
}
