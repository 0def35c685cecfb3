// Gets `gh`, which the tests of issues run against a server of their own (`scripts/debian-packages.mjs` says how).
//
//   node scripts/test-gh.mjs

import { fileURLToPath } from "node:url";
import { getPackages, isThere } from "./debian-packages.mjs";

export const missingGh = () => (isThere("gh") ? [] : ["gh"]);

export const getGh = () => getPackages(missingGh, "tests with the real gh");

if (process.argv[1] === fileURLToPath(import.meta.url)) getGh();
