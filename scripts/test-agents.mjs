// Real agents, end to end, with models that answer from a script on loopback: docs/testing-agents.md.
//
//   node scripts/test-agents.mjs [AGENT…] [-- arguments of vitest]
//
// What cannot be had is named, and its tests are skipped. WAYMARK_TEST_NO_INSTALL=1: use only what is there.

import { AGENT_PACKAGES, installAgent, isRealAgent, problemWith } from "./agent-packages.mjs";
import { hasMcpTools, installMcpTools } from "./mcp-tools.mjs";
import { runVitest } from "./run-vitest.mjs";

const known = Object.keys(AGENT_PACKAGES).filter(isRealAgent);

/** @param {import("./agent-packages.mjs").RealAgent} name */
function prepare(name) {
  if (problemWith(name) === undefined) return undefined;
  if (process.env.WAYMARK_TEST_NO_INSTALL === undefined) {
    const { package: from, version } = AGENT_PACKAGES[name];
    console.error(
      `tests: getting ${from} ${version} (WAYMARK_TEST_NO_INSTALL=1 to skip its tests)`,
    );
    const failed = installAgent(name);
    if (failed !== undefined) return failed;
  }
  return problemWith(name);
}

/** The inspector and the conformance suites, for the tests that are about no single agent. */
function prepareMcp() {
  if (hasMcpTools()) return undefined;
  if (process.env.WAYMARK_TEST_NO_INSTALL !== undefined) return "they are not installed";
  console.error("tests: getting the official tools for MCP servers");
  return installMcpTools();
}

const words = process.argv.slice(2);
const end = words.includes("--") ? words.indexOf("--") : words.length;
const named = words.slice(0, end);
const unknown = named.filter((name) => !isRealAgent(name));
if (unknown.length > 0) {
  console.error(`tests: no agent is called ${unknown.join(", ")}; there are ${known.join(", ")}`);
  process.exit(2);
}

const wanted = named.length === 0 ? known : named.filter(isRealAgent);
const missing = wanted.flatMap((name) => {
  const problem = prepare(name);
  return problem === undefined ? [] : [`tests: ${name} IS NOT TESTED: ${problem}`];
});
const withoutMcp = named.length === 0 ? prepareMcp() : undefined;
if (withoutMcp !== undefined) {
  console.error(`tests: the official tools for MCP ARE NOT USED: ${withoutMcp}`);
}
for (const line of missing) console.error(line);

// All agents: also the tests that are about no single one.
const files = named.length === 0 ? [] : wanted.map((name) => `test/agents/${name}`);
const code = runVitest(["--config", "vitest.agents.config.ts", ...files, ...words.slice(end + 1)]);
// Who asked for an agent by name wants to know that it was not there.
process.exitCode = named.length > 0 && missing.length > 0 ? 1 : code;
