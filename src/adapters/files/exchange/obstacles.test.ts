import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { asBytePath, ROOT } from "../../../domain/byte-path.ts";
import { rootFolder } from "../byte-names.ts";
import { nearestFolders } from "./obstacles.ts";

it("the nearest folder that is there is never one behind a link", () => {
  const root = mkdtempSync(join(tmpdir(), "waymark-obstacles-"));
  onTestFinished(() => rmSync(root, { recursive: true }));
  mkdirSync(join(root, "real/lib"), { recursive: true });
  symlinkSync("real", join(root, "link"));
  const nearest = nearestFolders(rootFolder(root));
  expect(nearest(asBytePath("real/lib/new"))).toBe("real/lib");
  expect(nearest(asBytePath("link/lib"))).toBe(ROOT);
});
