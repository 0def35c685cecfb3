// Makes one file of a program in TypeScript, for long runs: what vitest does to each import costs a quarter of their time.
import { readFile } from "node:fs/promises";
import { fileURLToPath, pathToFileURL } from "node:url";
import * as esbuild from "esbuild";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/**
 * @param {string} entry seen from the root of the repository
 * @param {string} outfile
 */
export async function bundle(entry, outfile) {
  await esbuild.build({
    absWorkingDir: ROOT,
    entryPoints: [entry],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    logLevel: "warning",
    // Packages that are CommonJS ask for modules of node by `require`.
    banner: {
      js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);',
    },
    plugins: [ownPlaces],
  });
}

/** Files look for others beside themselves, wherever the bundle is. @type {import("esbuild").Plugin} */
const ownPlaces = {
  name: "own places",
  setup(build) {
    build.onLoad({ filter: /[/\\]test[/\\].*\.ts$/ }, async ({ path }) => {
      const text = await readFile(path, "utf8");
      const own = JSON.stringify(pathToFileURL(path).href);
      return { contents: text.replaceAll("import.meta.url", own), loader: "ts" };
    });
  },
};
