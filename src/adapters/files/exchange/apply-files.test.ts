import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { asBytePath } from "../../../domain/byte-path.ts";
import type { FileState } from "../../../domain/file-state.ts";
import { sha256Ids } from "../sha256-ids.ts";
import { applyFiles, takeBackFiles } from "./apply-files.ts";
import { FileMover, type Presence } from "./file-mover.ts";
import { keepFolder } from "./kept-aside.ts";
import { makeStaging } from "./staging.ts";
import { encodeSteps, type FileStep, type RestoreSteps } from "./steps.ts";

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
  it("[R7] names the place where a save is found, when another one took its path meanwhile", () => {
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
    const [kept] = applyFiles({ mover: new Hurried({ project }, sha256Ids), staging, steps });
    keepFolder(staging, encodeSteps(steps), "sha256");
    expect(readFileSync(kept?.keptAt ?? "", "utf8")).toBe("saved after the safety checkpoint\n");
    expect(readFileSync(join(project, "log.txt"), "utf8")).toBe("a new beginning\n");
    expect(existsSync(staging)).toBe(false);
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
});

function neverAsked(): Promise<void> {
  return Promise.reject(new Error("the set-aside file is there"));
}

/** A project in which `log.txt` was exchanged: it has the target's content, and what was there before is aside. */
function exchanged() {
  const project = join(root, "project");
  const staging = join(root, "restore", "rb-1");
  mkdirSync(project);
  makeStaging(staging);
  writeFileSync(join(project, "log.txt"), "target\n");
  writeFileSync(join(staging, "aside", "0"), "before\n");
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
