/** Every file that is made from the code, by its path from the root of the project. */
import type { PublishedSchema } from "../../src/interfaces/cli/schemas/published-schema.ts";
import { cliPage } from "./cli-page.ts";
import { jsonSchemaText } from "./json-schema.ts";
import { MAN_LINK, manPage } from "./man-page.ts";

export function generatedFiles(schemas: readonly PublishedSchema[]): ReadonlyMap<string, string> {
  const files = new Map([
    ["docs/cli.md", cliPage()],
    ["man/git-waymark.1", manPage()],
    ["man/waymark.1", MAN_LINK],
  ]);
  for (const schema of schemas) files.set(`schemas/${schema.name}.json`, jsonSchemaText(schema));
  return files;
}
