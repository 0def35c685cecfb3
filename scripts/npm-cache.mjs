// Programs from npm that are no dependency of anything: each in a folder of its own below node_modules/.cache/waymark-agents.
//
// npm does not run the install scripts of packages here, so nothing may rely on them: programs are started by what is in the packages.

import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");

/** @param {string} name */
export const cacheFolder = (name) => join(root, "node_modules/.cache/waymark-agents", name);

/**
 * Undefined when that worked; otherwise what npm said.
 * @param {string} name of the folder
 * @param {readonly string[]} packages with their versions
 */
export function installPackages(name, packages) {
  const folder = cacheFolder(name);
  mkdirSync(folder, { recursive: true });
  const manifest = join(folder, "package.json");
  if (!existsSync(manifest)) writeFileSync(manifest, '{ "private": true }\n');
  const words = ["install", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"];
  const run = spawnSync("npm", [...words, "--prefer-offline", "--save-exact", ...packages], {
    cwd: folder,
    encoding: "utf8",
    timeout: 600_000,
  });
  if (run.status === 0) return undefined;
  const said = run.stderr?.split("\n").find((line) => line.startsWith("npm error"));
  return said ?? `npm ended with ${run.status ?? run.signal ?? run.error?.message}`;
}
