import { existsSync, lstatSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** Undefined where the machine has one file system for all that tests may write to. */
export const otherDisk: string | undefined = ["/dev/shm", "/var/tmp"].find(
  (path) => existsSync(path) && lstatSync(path).dev !== lstatSync(tmpdir()).dev,
);

/** A folder on it, which goes with the test. */
export function folderOnOtherDisk(): string {
  const folder = mkdtempSync(join(otherDisk ?? "", "waymark-test-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}
