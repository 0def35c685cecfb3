import { describe, expect, it } from "vitest";
import { join } from "node:path";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { runFilesSuite } from "../../ports/run-files.suite.ts";
import { DiskRunFiles } from "./disk-run-files.ts";
import { tempFolder } from "./temp-folder.fixture.ts";

function filesIn(root: string): DiskRunFiles {
  const folder = join(root, ".checkpoints");
  return new DiskRunFiles({ root, folder, lock: join(root, "run.lock") }, 1000);
}

describe("files of a run on the disk", () => {
  runFilesSuite(() => {
    const root = tempFolder();
    return { files: filesIn(root), root, mostLogBytes: 2000 };
  });
});

describe("a link that the repository brought along", () => {
  const refused = expect.objectContaining({ code: "obstructed" });

  it("[R174] has nothing written or removed behind it", async () => {
    const [root, outside] = [tempFolder(), tempFolder()];
    mkdirSync(join(root, ".checkpoints"));
    mkdirSync(join(outside, "documents"));
    writeFileSync(join(outside, "documents/own.json"), "{}");
    const files = filesIn(root);
    const place = { sessionId: "documents", step: 1, name: "one", attempt: 1 };
    for (const to of [outside, join(outside, "nowhere")]) {
      const link = join(root, ".checkpoints/runs");
      symlinkSync(to, link);
      for (const use of [
        () => files.openLog(place),
        () => files.writeJson(place, "state", {}),
        () => files.sweep("documents"),
        () => files.forget("documents"),
      ]) {
        expect(use).toThrow(refused);
      }
      expect(readdirSync(outside)).toEqual(["documents"]);
      expect(existsSync(join(outside, "documents/own.json"))).toBe(true);
      unlinkSync(link);
    }
  });

  it("[R174] is not followed to an output", async () => {
    const [root, outside] = [tempFolder(), tempFolder()];
    writeFileSync(join(outside, "config.json"), '{"token": 1}');
    symlinkSync(outside, join(root, "docs"));
    const bad = { kind: "bad", problem: "its folder points outside the project" };
    expect(await filesIn(root).findJson(root, "docs/config.json")).toEqual(bad);
    expect(await filesIn(root).find(root, "docs/config.json")).toEqual(bad);
  });
});
