// Writes the generated parts of docs/configuration.md and schemas/waymark-yml.json from the table of keys in
// src/domain/config-keys.ts. A test fails while they are not what this would write.
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
    const stdin = { contents, resolveDir: join(root, "src/domain"), loader: "ts" };
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

const { configJsonSchema, fillTables } = await load(
  'export { configJsonSchema } from "./config-json-schema.ts";\nexport { fillTables } from "./config-docs.ts";',
);
const page = join(root, "docs/configuration.md");
await writeFile(page, fillTables(await readFile(page, "utf8")));
await writeFile(
  join(root, "schemas/waymark-yml.json"),
  `${JSON.stringify(configJsonSchema(), null, 2)}\n`,
);
