/** Checks documents against the schemas that are shipped. */
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Ajv2020 } from "ajv/dist/2020.js";

const folder = fileURLToPath(new URL("../../schemas/", import.meta.url));

export const SCHEMA_NAMES: readonly string[] = readdirSync(folder)
  .filter((file) => file.endsWith(".json"))
  .map((file) => file.slice(0, -".json".length));

export function schemaOf(name: string): unknown {
  return JSON.parse(readFileSync(`${folder}${name}.json`, "utf8"));
}

// Formats are words for readers here; what has to hold is said by types, enums and patterns.
const ajv = new Ajv2020({ strict: true, allErrors: true, validateFormats: false });

/** What is wrong with a document; empty when nothing is. */
export function problemsWith(document: unknown, name: string): string[] {
  const schema = schemaOf(name);
  if (typeof schema !== "object" || schema === null) return [`${name} is no schema`];
  const { $id } = schema as { $id?: string };
  const validate = ajv.getSchema($id ?? "") ?? ajv.compile(schema);
  if (validate(document) === true) return [];
  return (validate.errors ?? []).map((error) => `${error.instancePath}: ${error.message ?? ""}`);
}
