// Gets `gh`, which the tests of issues run against a server of their own (`scripts/debian-packages.mjs` says how).
//
//   node scripts/test-gh.mjs

import { getPackages, isThere } from "./debian-packages.mjs";

getPackages(() => (isThere("gh") ? [] : ["gh"]), "tests with the real gh");
