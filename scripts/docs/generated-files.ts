/** Every file that is made from the code, by its path from the root of the project. */
import type { PublishedSchema } from "../../src/interfaces/cli/schemas/published-schema.ts";
import { jsonSchemaText } from "./json-schema.ts";

export function generatedFiles(schemas: readonly PublishedSchema[]): ReadonlyMap<string, string> {
  return new Map([
    ...schemas.map((schema) => [`schemas/${schema.name}.json`, jsonSchemaText(schema)] as const),
  ]);
}
