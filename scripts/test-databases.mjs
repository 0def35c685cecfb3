// Gets the database programs that the tests need (`scripts/debian-packages.mjs` says how).
//
//   node scripts/test-databases.mjs
//
// Tests of a database whose programs are missing are skipped, and say so.

import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { getPackages, isThere } from "./debian-packages.mjs";

/** By package: programs that it brings. */
const PACKAGES = {
  sqlite3: ["sqlite3"],
  postgresql: ["psql", "pg_dump", "pg_restore"],
  "mariadb-server-core": ["mariadbd", "mariadb-install-db"],
  "mariadb-client": ["mariadb", "mariadb-dump"],
};

export function missingDatabases() {
  return Object.entries(PACKAGES)
    .filter(([name, programs]) => {
      if (name === "postgresql" && !isThere("postgres") && !existsSync("/usr/lib/postgresql"))
        return true;
      return !programs.every(isThere);
    })
    .map(([name]) => name);
}

export const getDatabases = () => getPackages(missingDatabases, "tests of those databases");

if (process.argv[1] === fileURLToPath(import.meta.url)) getDatabases();
