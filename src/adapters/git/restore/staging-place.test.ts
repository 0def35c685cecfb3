import { mkdirSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { tempFolder } from "../../files/temp-folder.fixture.ts";
import { isStagingName, stagingName, stagingOf } from "./staging-place.ts";

const ID = "rb-1";

function project() {
  const workTree = tempFolder();
  const gitDir = join(workTree, ".git");
  const privateDir = join(gitDir, "waymark");
  mkdirSync(privateDir, { recursive: true });
  return { workTree, gitDir, privateDir };
}

describe("the staging folder of a rollback", () => {
  it("is named without the place where the project is", () => {
    const places = project();
    const staging = stagingName(places, ID);
    expect(staging).toBe("restore/rb-1");
    expect(isStagingName(staging, ID)).toBe(true);
    expect(stagingOf(places, { staging, rollback_id: ID })).toBe(join(places.privateDir, staging));
  });

  it("may be in the project", () => {
    const places = project();
    const staging = ".checkpoints/restore/rb-1";
    expect(isStagingName(staging, ID)).toBe(true);
    expect(stagingOf(places, { staging, rollback_id: ID })).toBe(join(places.workTree, staging));
  });

  it("is the one of this project, also where an earlier version named that of another place", () => {
    const places = project();
    const other = project();
    const staging = join(other.privateDir, "restore", ID);
    mkdirSync(staging, { recursive: true });
    const own = join(places.privateDir, "restore", ID);
    expect(stagingOf(places, { staging, rollback_id: ID })).toBe(own);
    const inProject = join(places.workTree, ".checkpoints/restore", ID);
    mkdirSync(inProject, { recursive: true });
    expect(stagingOf(places, { staging, rollback_id: ID })).toBe(inProject);
    mkdirSync(own, { recursive: true });
    expect(stagingOf(places, { staging, rollback_id: ID })).toBe(own);
  });

  it.each([".git/waymark/restore", ".checkpoints", ".checkpoints/restore"])(
    "is not reached through a link at %s",
    (link) => {
      const places = project();
      const elsewhere = tempFolder();
      mkdirSync(join(elsewhere, "restore", ID), { recursive: true });
      mkdirSync(dirname(join(places.workTree, link)), { recursive: true });
      const isFolder = link.endsWith("/restore");
      symlinkSync(isFolder ? join(elsewhere, "restore") : elsewhere, join(places.workTree, link));
      const staging = `${link.startsWith(".git") ? "" : ".checkpoints/"}restore/${ID}`;
      expect(() => stagingOf(places, { staging, rollback_id: ID })).toThrow(
        /contains a symbolic link/,
      );
    },
  );

  it.each(["rb-1", "src/restore/rb-1", "../restore/rb-1", "restore/../rb-1", "restore/rb-2"])(
    "is not %s",
    (name) => expect(isStagingName(name, ID)).toBe(false),
  );
});
