// What `npm test` runs first: says which programs it would install and how to skip that, then installs them.
//
//   node scripts/test-setup.mjs
//
// WAYMARK_TEST_NO_INSTALL=1: installs nothing; the tests that need a missing program are skipped, and say so.

import { getBacklog, problemWithBacklog } from "./test-backlog.mjs";
import { getDatabases, missingDatabases } from "./test-databases.mjs";
import { getGh, missingGh } from "./test-gh.mjs";
import { getTemplates, hasTemplates } from "./test-templates.mjs";

const packages = [...missingDatabases(), ...missingGh()];
const fromNpm = [
  ...(problemWithBacklog() === undefined ? [] : ["backlog.md"]),
  ...(hasTemplates() ? [] : ["framework templates"]),
];
const isRoot = process.getuid?.() === 0;
if (process.env.WAYMARK_TEST_NO_INSTALL === undefined && packages.length + fromNpm.length > 0) {
  const lines = [
    "Some tests need programs that are not here. Before the tests run, this installs:",
    ...(packages.length > 0 && isRoot ? [`  with apt-get: ${packages.join(", ")}`] : []),
    ...(fromNpm.length > 0 ? [`  from npm, into node_modules/.cache: ${fromNpm.join(", ")}`] : []),
    "To install nothing and skip those tests: WAYMARK_TEST_NO_INSTALL=1 npm test",
  ];
  console.error(lines.join("\n"));
}
getDatabases();
getGh();
getBacklog();
getTemplates();
