// The official tools that look at MCP servers, for test/agents/mcp-official.test.ts: the inspector and two versions of the conformance suite, for the
// protocol of 2025 and that of 2026. They need Node 22. Installed into a folder of its own below node_modules/.cache/waymark-agents.
//
//   node scripts/mcp-tools.mjs     gets them

import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const folder = join(root, "node_modules/.cache/waymark-agents/mcp");
const platform = `${process.platform}-${process.arch}`;

const PACKAGES = [
  `node-${platform}@22.23.3`,
  "@modelcontextprotocol/inspector@2.12.0",
  "conformance-2025@npm:@modelcontextprotocol/conformance@0.1.16",
  "conformance-2026@npm:@modelcontextprotocol/conformance@0.2.0-alpha.12",
];

/** @param {string} path */
const below = (path) => join(folder, "node_modules", path);

export const MCP_TOOLS = {
  node: below(`node-${platform}/bin/node`),
  inspector: below("@modelcontextprotocol/inspector/clients/launcher/build/index.js"),
  conformance2025: below("conformance-2025/dist/index.js"),
  conformance2026: below("conformance-2026/dist/index.js"),
};

/** True when all of them are there. */
export function hasMcpTools() {
  return Object.values(MCP_TOOLS).every((file) => existsSync(file));
}

/** Undefined when that worked; otherwise what npm said. */
export function installMcpTools() {
  mkdirSync(folder, { recursive: true });
  const manifest = join(folder, "package.json");
  if (!existsSync(manifest)) writeFileSync(manifest, '{ "private": true }\n');
  const words = ["install", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"];
  const run = spawnSync("npm", [...words, "--prefer-offline", "--save-exact", ...PACKAGES], {
    cwd: folder,
    encoding: "utf8",
    timeout: 600_000,
  });
  if (run.status === 0) return undefined;
  return run.stderr.split("\n").find((line) => line.startsWith("npm error")) ?? "npm failed";
}

if (process.argv[1] === fileURLToPath(import.meta.url) && !hasMcpTools()) {
  const failed = installMcpTools();
  if (failed !== undefined) console.error(`tests: the tools for MCP could not be had: ${failed}`);
  process.exitCode = failed === undefined ? 0 : 1;
}
