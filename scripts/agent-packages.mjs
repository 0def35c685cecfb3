// The real agents that `npm run test:agents` drives: which version of which package, and what starts it. Together they are about 2 GB and no
// dependency of anything.

import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { cacheFolder, installPackages } from "./npm-cache.mjs";

const platform = `${process.platform}-${process.arch}`;

/**
 * @typedef {object} AgentPackage
 * @property {string} package
 * @property {string} version
 * @property {string} program below node_modules
 * @property {boolean} [script] it is started with Node 22
 */

/** @satisfies {Record<string, AgentPackage>} */
export const AGENT_PACKAGES = {
  claude: {
    package: "@anthropic-ai/claude-code",
    version: "2.1.325",
    program: `@anthropic-ai/claude-code-${platform}/claude`,
  },
  codex: {
    package: "@openai/codex",
    version: "0.166.0",
    program: "@openai/codex/bin/codex.js",
    script: true,
  },
  gemini: {
    package: "@google/gemini-cli",
    version: "0.61.0",
    program: "@google/gemini-cli/bundle/gemini.js",
    script: true,
  },
  copilot: {
    package: "@github/copilot",
    version: "1.0.102",
    program: `@github/copilot-${platform}/copilot`,
  },
  qwen: {
    package: "@qwen-code/qwen-code",
    version: "0.24.4",
    program: "@qwen-code/qwen-code/cli.js",
    script: true,
  },
  opencode: {
    package: "opencode-ai",
    version: "1.18.33",
    program: `opencode-${platform}/bin/opencode`,
  },
  cline: {
    package: "cline",
    version: "3.0.65",
    program: `@cline/cli-${platform}/bin/cline`,
  },
};

/** Agents that are scripts need a newer Node than we do. */
const NODE = {
  package: `node-${platform}`,
  version: "22.23.3",
  program: `node-${platform}/bin/node`,
};

/** @typedef {keyof typeof AGENT_PACKAGES} RealAgent */

/** @param {string} name @returns {name is RealAgent} */
export function isRealAgent(name) {
  return Object.hasOwn(AGENT_PACKAGES, name);
}

/**
 * What starts the agent, before its own arguments.
 * @param {RealAgent} name
 * @returns {readonly [string, ...string[]]}
 */
export function agentCommand(name) {
  /** @type {AgentPackage} */
  const agent = AGENT_PACKAGES[name];
  const program = join(cacheFolder(name), "node_modules", agent.program);
  return agent.script === true ? [nodeProgram(), program] : [program];
}

function nodeProgram() {
  const major = Number(process.versions.node.split(".")[0]);
  return major >= 22 ? process.execPath : join(cacheFolder("node"), "node_modules", NODE.program);
}

/**
 * Undefined when it runs; otherwise why it does not.
 * @param {RealAgent} name
 */
export function problemWith(name) {
  const [program, ...args] = agentCommand(name);
  for (const file of [program, ...args]) {
    if (!existsSync(file)) return "it is not installed";
  }
  // Its own folder as home: some write there as soon as they start.
  const env = { PATH: process.env.PATH, HOME: cacheFolder(name) };
  const run = spawnSync(program, [...args, "--version"], {
    encoding: "utf8",
    env,
    timeout: 60_000,
  });
  if (run.status === 0 && run.stdout.includes(AGENT_PACKAGES[name].version)) return undefined;
  const said = `${run.stderr ?? ""}${run.stdout ?? ""}`.trim().split("\n").at(0) ?? "";
  return `${said === "" ? "it" : `"${said}"; it`} ended with ${run.status ?? run.signal}`;
}

/**
 * Gets the agent and what it needs. Undefined when that worked; otherwise what npm said.
 * @param {RealAgent} name
 */
export function installAgent(name) {
  /** @type {AgentPackage} */
  const agent = AGENT_PACKAGES[name];
  const needsNode = agent.script === true && !existsSync(nodeProgram());
  return (needsNode ? install("node", NODE) : undefined) ?? install(name, agent);
}

/** @param {string} name @param {AgentPackage} wanted */
const install = (name, wanted) => installPackages(name, [`${wanted.package}@${wanted.version}`]);
