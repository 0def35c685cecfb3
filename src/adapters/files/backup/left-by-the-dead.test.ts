import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, it } from "vitest";
import { asBytePath } from "../../../domain/byte-path.ts";
import { uniqueName } from "../durable-write.ts";
import { FileMover } from "../exchange/file-mover.ts";
import { makeStaging } from "../exchange/staging.ts";
import type { RestoreSteps } from "../exchange/steps.ts";
import { sha256Ids } from "../sha256-ids.ts";
import { tempFolder } from "../temp-folder.fixture.ts";
import { returnFromDead, writeGroups } from "./left-by-the-dead.ts";

const NONE: RestoreSteps = { files: [], modes: [], folders: [] };

const stagingsIn = (root: string): string => join(root, ".git/waymark/restore");

/** Killed when it had moved away a file that somebody had just saved: `saved.txt`, in a mounted folder of the project. */
function killedRestore() {
  const base = tempFolder();
  const root = join(base, "project");
  const name = `part-${uniqueName()}`;
  mkdirSync(join(root, ".git"), { recursive: true });
  const main = join(stagingsIn(root), name);
  const beside = join(root, "mounted", `.waymark-${name}`);
  for (const staging of [main, beside]) makeStaging(staging);
  const before = { type: "file", oid: "what the safety backup holds", mode: 0o644 } as const;
  const path = asBytePath("mounted/saved.txt");
  const step = { area: "project", path, before, target: null, number: 0 } as const;
  writeFileSync(join(beside, "aside", "0"), "saved right before\n");
  writeGroups(root, [
    { staging: main, steps: NONE },
    { staging: beside, steps: { ...NONE, files: [step] } },
  ]);
  return { base, root, main, record: join(main, "steps.json") };
}

function returned(root: string) {
  const mover = new FileMover({ project: root, outside: "/" }, sha256Ids);
  return returnFromDead(root, stagingsIn(root), mover);
}

describe("what a killed restore moved away", () => {
  it("comes back in a project that was moved since", () => {
    const { base, root, record } = killedRestore();
    expect(readFileSync(record, "utf8")).not.toContain(root);
    const moved = join(base, "moved");
    renameSync(root, moved);
    expect(returned(moved)).toEqual(["mounted/saved.txt"]);
    expect(readFileSync(join(moved, "mounted", "saved.txt"), "utf8")).toBe("saved right before\n");
    expect(existsSync(root)).toBe(false);
  });

  it("stays named by its whole path outside of the project", () => {
    const { base, root, main, record } = killedRestore();
    const outside = join(base, "elsewhere", ".waymark-part");
    mkdirSync(outside, { recursive: true });
    writeGroups(root, [
      { staging: main, steps: NONE },
      { staging: outside, steps: NONE },
    ]);
    expect(readFileSync(record, "utf8")).toContain(JSON.stringify(outside));
  });

  it("[R6] is not looked for in a folder that only the record calls one of the restore", () => {
    const { base, root, main } = killedRestore();
    const photos = join(base, "photos");
    mkdirSync(photos);
    writeFileSync(join(photos, "thesis.txt"), "years of work\n");
    writeGroups(root, [
      { staging: main, steps: NONE },
      { staging: photos, steps: NONE },
    ]);
    returned(root);
    expect(existsSync(join(photos, "thesis.txt"))).toBe(true);
  });

  it.each(["outside", "project"] as const)(
    "[R6] is brought neither to folders of the user nor to git's (%s)",
    (area) => {
      const { base, root, main } = killedRestore();
      const place =
        area === "outside" ? join(base, "profile") : join(root, ".git/hooks/pre-commit");
      mkdirSync(join(place, ".."), { recursive: true });
      const path = asBytePath(area === "outside" ? place.slice(1) : ".git/hooks/pre-commit");
      const before = { type: "file", oid: "another", mode: 0o755 } as const;
      writeFileSync(join(main, "aside", "0"), "echo planted\n");
      writeGroups(root, [
        {
          staging: main,
          steps: { ...NONE, files: [{ area, path, before, target: null, number: 0 }] },
        },
      ]);
      expect(returned(root)).toEqual([]);
      expect(existsSync(place)).toBe(false);
      const kept = join(main, "..", `kept-${basename(main)}`, "aside", "0");
      expect(readFileSync(kept, "utf8")).toBe("echo planted\n");
    },
  );
});
