// Gets the database programs that the tests need, where that can be done without asking: as root on Debian or Ubuntu.
//
//   node scripts/test-databases.mjs
//
// Elsewhere it says what is missing. Tests of a database whose programs are missing are skipped, and say so.
// WAYMARK_TEST_NO_INSTALL=1: only look.

import { spawnSync } from "node:child_process";
import { accessSync, constants, existsSync } from "node:fs";
import { join } from "node:path";

/** By package: programs that it brings. */
const PACKAGES = {
  sqlite3: ["sqlite3"],
  postgresql: ["psql", "pg_dump", "pg_restore"],
  "mariadb-server-core": ["mariadbd", "mariadb-install-db"],
  "mariadb-client": ["mariadb", "mariadb-dump"],
};

const folders = [...(process.env.PATH ?? "").split(":"), "/usr/sbin"];

function isThere(program) {
  return folders.some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

function missing() {
  return Object.entries(PACKAGES)
    .filter(([name, programs]) => {
      if (name === "postgresql" && !isThere("postgres") && !existsSync("/usr/lib/postgresql"))
        return true;
      return !programs.every(isThere);
    })
    .map(([name]) => name);
}

function run(args) {
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  const { status } = spawnSync("apt-get", args, { stdio: ["ignore", "ignore", "ignore"], env });
  return status === 0;
}

const wanted = missing();
const mayInstall =
  process.getuid?.() === 0 &&
  isThere("apt-get") &&
  process.env.WAYMARK_TEST_NO_INSTALL === undefined;
if (wanted.length > 0 && mayInstall) {
  console.error(
    `tests: installing ${wanted.join(", ")} (WAYMARK_TEST_NO_INSTALL=1 to skip the tests of databases instead)`,
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
    `tests: without ${left.join(", ")} the tests of those databases are skipped (Debian, Ubuntu: apt install ${left.join(" ")})`,
  );
}
