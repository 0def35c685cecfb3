// The official tools that look at MCP servers, for test/agents/mcp-official.test.ts: the inspector and two versions of the conformance suite, for the
// protocol of 2025 and that of 2026. They need Node 22.
//
//   node scripts/mcp-tools.mjs     gets them

import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { cacheFolder, installPackages } from "./npm-cache.mjs";

const platform = `${process.platform}-${process.arch}`;

const PACKAGES = [
  `node-${platform}@22.23.3`,
  "@modelcontextprotocol/inspector@2.12.0",
  "conformance-2025@npm:@modelcontextprotocol/conformance@0.1.16",
  "conformance-2026@npm:@modelcontextprotocol/conformance@0.2.0-alpha.12",
];

/** @param {string} path */
const below = (path) => join(cacheFolder("mcp"), "node_modules", path);

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
export const installMcpTools = () => installPackages("mcp", PACKAGES);

if (process.argv[1] === fileURLToPath(import.meta.url) && !hasMcpTools()) {
  const failed = installMcpTools();
  if (failed !== undefined) console.error(`tests: the tools for MCP could not be had: ${failed}`);
  process.exitCode = failed === undefined ? 0 : 1;
}
