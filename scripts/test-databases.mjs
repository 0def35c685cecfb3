// Gets the database programs that the tests need (`scripts/debian-packages.mjs` says how).
//
//   node scripts/test-databases.mjs
//
// Tests of a database whose programs are missing are skipped, and say so.

import { existsSync } from "node:fs";
import { getPackages, isThere } from "./debian-packages.mjs";

/** By package: programs that it brings. */
const PACKAGES = {
  sqlite3: ["sqlite3"],
  postgresql: ["psql", "pg_dump", "pg_restore"],
  "mariadb-server-core": ["mariadbd", "mariadb-install-db"],
  "mariadb-client": ["mariadb", "mariadb-dump"],
};

function missing() {
  return Object.entries(PACKAGES)
    .filter(([name, programs]) => {
      if (name === "postgresql" && !isThere("postgres") && !existsSync("/usr/lib/postgresql"))
        return true;
      return !programs.every(isThere);
    })
    .map(([name]) => name);
}

getPackages(missing, "tests of those databases");
