// Gets programs that tests need, where that can be done without asking: as root on Debian or Ubuntu. Elsewhere it says what is
// missing. WAYMARK_TEST_NO_INSTALL=1: only look.

import { spawnSync } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { join } from "node:path";

const folders = [...(process.env.PATH ?? "").split(":"), "/usr/sbin"];

/** @param {string} program */
export function isThere(program) {
  return folders.some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/** @param {readonly string[]} args */
function run(args) {
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  const { status } = spawnSync("apt-get", args, { stdio: ["ignore", "ignore", "ignore"], env });
  return status === 0;
}

/**
 * @param {() => string[]} missing names of packages
 * @param {string} skipped the tests that are skipped without them
 */
export function getPackages(missing, skipped) {
  const wanted = missing();
  const mayInstall =
    process.getuid?.() === 0 &&
    isThere("apt-get") &&
    process.env.WAYMARK_TEST_NO_INSTALL === undefined;
  if (wanted.length > 0 && mayInstall) {
    console.error(
      `tests: installing ${wanted.join(", ")} (WAYMARK_TEST_NO_INSTALL=1 to skip ${skipped} instead)`,
    );
    const install = ["install", "-y", "-q", "--no-install-recommends", ...wanted];
    if (!run(install)) {
      run(["update", "-q"]);
      run(install);
    }
  }
  const left = missing();
  if (left.length > 0) {
    console.error(
      `tests: without ${left.join(", ")} ${skipped} are skipped (Debian, Ubuntu: apt install ${left.join(" ")})`,
    );
  }
}
