import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { asBytePath } from "../../../domain/byte-path.ts";
import { folderOnOtherDisk, otherDisk } from "../other-disk.fixture.ts";
import { sha256Ids } from "../sha256-ids.ts";
import { tempFolder } from "../temp-folder.fixture.ts";
import { FileMover } from "./file-mover.ts";
import { laterFile, makeStaging } from "./staging.ts";

/** Files of git on one disk, what is set aside on another. */
function scene() {
  const git = tempFolder();
  const staging = join(folderOnOtherDisk(), "rb-1");
  makeStaging(staging);
  const landing = join(git, "landing");
  writeFileSync(join(git, "MERGE_HEAD"), "merged\n", { mode: 0o640 });
  const mover = new FileMover({ git }, sha256Ids, landing);
  return { git, staging, landing, mover, later: laterFile(staging, 0) };
}

const PATH = asBytePath("MERGE_HEAD");

describe.skipIf(otherDisk === undefined)("files of git on another disk (needs two)", () => {
  it("come over whole, and back, with their modes", () => {
    const { git, staging, landing, mover, later } = scene();
    expect(mover.takeAway("git", PATH, later)).toBe(true);
    expect(existsSync(join(git, "MERGE_HEAD"))).toBe(false);
    expect(readFileSync(later, "utf8")).toBe("merged\n");
    expect(mover.place("git", PATH, later)).toBe(true);
    expect(readFileSync(join(git, "MERGE_HEAD"), "utf8")).toBe("merged\n");
    expect(statSync(join(git, "MERGE_HEAD")).mode & 0o777).toBe(0o640);
    expect([readdirSync(landing), readdirSync(join(staging, "later"))]).toEqual([[], []]);
  });

  it("come over again when a kill left a copy, or a part of one", () => {
    const { git, staging, mover, later } = scene();
    writeFileSync(later, "merged\n");
    writeFileSync(join(staging, "across"), "mer");
    expect(mover.takeAway("git", PATH, later)).toBe(true);
    expect(readFileSync(later, "utf8")).toBe("merged\n");
    expect(existsSync(join(git, "MERGE_HEAD"))).toBe(false);
    expect(readdirSync(staging).toSorted()).toEqual(["aside", "later", "new"]);
  });

  it("are not put in the place of others, and no other file comes over by a copy", () => {
    const { git, staging, mover } = scene();
    const from = join(staging, "new", "0");
    writeFileSync(from, "ours\n");
    expect(mover.place("git", PATH, from)).toBe(false);
    expect(readFileSync(join(git, "MERGE_HEAD"), "utf8")).toBe("merged\n");
    const project = tempFolder();
    mkdirSync(project, { recursive: true });
    writeFileSync(join(project, "a"), "a");
    const other = new FileMover({ project }, sha256Ids);
    expect(() => other.takeAway("project", asBytePath("a"), laterFile(staging, 1))).toThrow(
      "EXDEV",
    );
  });
});
