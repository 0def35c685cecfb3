/** One published schema as the text of schemas/<name>.json. */
import * as z from "zod";
import type { PublishedSchema } from "../../src/interfaces/cli/schemas/published-schema.ts";

export function jsonSchemaText({ name, description, schema }: PublishedSchema): string {
  const { $schema, ...rest } = z.toJSONSchema(schema, {
    target: "draft-2020-12",
    override: ({ jsonSchema }) => {
      // What zod adds for its own checks says nothing to a reader: the range of safe integers, the grammar of dates.
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      if (jsonSchema.format === "date-time") delete jsonSchema.pattern;
    },
  });
  const document = {
    $schema,
    $id: `urn:waymark:schema:${name}`,
    title: name,
    description,
    ...rest,
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}
