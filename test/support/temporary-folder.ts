/**
 * Where the tests work: in memory where that is possible, because most of what a disk does for them is to wait. WAYMARK_TEST_TMPDIR names another
 * folder: `WAYMARK_TEST_TMPDIR=/var/tmp npm test` is the same on a disk.
 */
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const IN_MEMORY = "/dev/shm";
const PREFIX = "waymark-tests-";
/** The tests need a tenth of it at most times. */
const ENOUGH_BYTES = 4 * 2 ** 30;

/** A new folder for this run, open to other users as every such folder is: database servers refuse to run as root. */
export function temporaryFolder(): string {
  const given = process.env["WAYMARK_TEST_TMPDIR"];
  const inMemory = given === undefined ? folderInMemory() : undefined;
  const folder = inMemory ?? mkdtempSync(join(given ?? tmpdir(), PREFIX));
  chmodSync(folder, 0o1777);
  return folder;
}

/** None where there is little memory, or where no program may be started from it, as in many containers. */
function folderInMemory(): string | undefined {
  try {
    const { bavail, bsize } = statfsSync(IN_MEMORY);
    if (bavail * bsize < ENOUGH_BYTES) return undefined;
    removeLeftovers();
    const folder = join(IN_MEMORY, `${PREFIX}${process.pid}`);
    mkdirSync(folder);
    const program = join(folder, "program");
    writeFileSync(program, "#!/bin/sh\n", { mode: 0o755 });
    if (spawnSync(program).status === 0) return folder;
    rmSync(folder, { recursive: true });
  } catch {
    // The disk will do.
  }
  return undefined;
}

/** Of runs that were killed: memory is not given back by itself. */
function removeLeftovers(): void {
  for (const name of readdirSync(IN_MEMORY)) {
    const pid = Number(name.slice(PREFIX.length));
    if (!name.startsWith(PREFIX) || !Number.isInteger(pid) || isRunning(pid)) continue;
    rmSync(join(IN_MEMORY, name), { recursive: true, force: true });
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}
