// Writes what is made from the code: schemas/*.json, man/, docs/cli.md.
//
//   node scripts/docs.mjs           writes them
//   node scripts/docs.mjs --check   names those that are stale, exit code 1
import { mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const SCHEMAS = "src/interfaces/cli/schemas";

/** The generators are TypeScript and need every schema file, so they are bundled together and run. */
async function generate() {
  const schemas = readdirSync(join(root, SCHEMAS)).filter((name) => name.endsWith(".schema.ts"));
  const lines = [
    ...schemas.map((name, at) => `import { published as p${at} } from "./${SCHEMAS}/${name}";`),
    'import { generatedFiles } from "./scripts/docs/generated-files.ts";',
    `export const files = generatedFiles([${schemas.map((_, at) => `p${at}`).join(", ")}]);`,
  ];
  const folder = mkdtempSync(join(tmpdir(), "waymark-docs-"));
  try {
    const outfile = join(folder, "docs.mjs");
    await build({
      stdin: { contents: lines.join("\n"), resolveDir: root, loader: "ts" },
      bundle: true,
      platform: "node",
      format: "esm",
      target: "node20",
      outfile,
      logLevel: "warning",
      // Commander is CommonJS and calls require().
      banner: {
        js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);',
      },
    });
    return (await import(pathToFileURL(outfile).href)).files;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** @param {string} path */
function current(path) {
  try {
    return readFileSync(join(root, path), "utf8");
  } catch {
    return undefined;
  }
}

/** @type {ReadonlyMap<string, string>} */
const files = await generate();
const stale = [...files].filter(([path, content]) => current(path) !== content);
const leftOver = readdirSync(join(root, "schemas"), { withFileTypes: true })
  .map((entry) => `schemas/${entry.name}`)
  .filter((path) => !files.has(path) && current(path)?.includes('"urn:waymark:'));

if (process.argv.includes("--check")) {
  for (const [path] of stale) console.error(`${path} is stale`);
  for (const path of leftOver) console.error(`${path} has no source any more`);
  if (stale.length + leftOver.length > 0) {
    console.error("Run `npm run docs` and commit the result.");
    process.exitCode = 1;
  }
} else {
  for (const [path, content] of stale) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), content);
    console.log(`wrote ${path}`);
  }
  for (const path of leftOver) {
    rmSync(join(root, path));
    console.log(`removed ${path}`);
  }
}
