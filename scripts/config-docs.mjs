// Writes what is about files that people write: the generated parts of docs/configuration.md and docs/workflow-file.md,
// schemas/waymark-yml.json and schemas/workflow.json, from the tables of keys in src/domain/config-keys.ts and
// src/domain/workflow/file-keys.ts. A test fails while they are not what this would write.
//
//   npm run docs

import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");

/** Node 20 cannot import TypeScript. */
async function load(contents) {
  const folder = await mkdtemp(join(tmpdir(), "waymark-docs-"));
  try {
    const outfile = join(folder, "bundle.mjs");
    const stdin = {
      contents,
      resolveDir: join(root, "src/domain"),
      loader: /** @type {const} */ ("ts"),
    };
    await build({
      stdin,
      bundle: true,
      format: "esm",
      platform: "node",
      outfile,
      logLevel: "error",
    });
    return await import(pathToFileURL(outfile).href);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const { configJsonSchema, fillTables, fillWorkflowTables, workflowJsonSchema } = await load(
  [
    'export { configJsonSchema } from "./config-json-schema.ts";',
    'export { fillTables } from "./config-docs.ts";',
    'export { fillWorkflowTables } from "./workflow/file-docs.ts";',
    'export { workflowJsonSchema } from "./workflow/file-json-schema.ts";',
  ].join("\n"),
);

async function fillPage(path, fill) {
  const page = join(root, path);
  await writeFile(page, fill(await readFile(page, "utf8")));
}

async function writeSchema(name, schema) {
  await writeFile(join(root, `schemas/${name}.json`), `${JSON.stringify(schema, null, 2)}\n`);
}

await fillPage("docs/configuration.md", fillTables);
await fillPage("docs/workflow-file.md", fillWorkflowTables);
await writeSchema("waymark-yml", configJsonSchema());
await writeSchema("workflow", workflowJsonSchema());
