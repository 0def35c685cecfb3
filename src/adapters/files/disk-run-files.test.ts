import { describe } from "vitest";
import { join } from "node:path";
import { mkdirSync } from "node:fs";
import { runFilesSuite } from "../../ports/run-files.suite.ts";
import { DiskRunFiles } from "./disk-run-files.ts";
import { tempFolder } from "./temp-folder.fixture.ts";

describe("files of a run on the disk", () => {
  runFilesSuite(() => {
    const root = tempFolder();
    const folder = (): string => {
      const own = join(root, ".checkpoints");
      mkdirSync(own, { recursive: true });
      return own;
    };
    const files = new DiskRunFiles({ root, folder, lock: join(root, "run.lock") }, 1000);
    return { files, root, mostLogBytes: 2000 };
  });
});
