/**
 * How a schema is published. Each file `<kind>.schema.ts` beside this one exports one as `published`, and
 * `npm run docs` writes it to schemas/<name>.json. Nothing here is loaded by a running command.
 */
import * as z from "zod";

export interface PublishedSchema {
  /** What `waymark schema NAME` takes; for a printed document its `kind`. */
  readonly name: string;
  readonly description: string;
  readonly schema: z.ZodType;
}

/** A document that `--json` prints. Unknown fields are allowed: later versions may add some. */
export function printedDocument(
  kind: string,
  description: string,
  fields: z.ZodRawShape,
): PublishedSchema {
  const schema = z.looseObject({
    schema_version: z.literal(1),
    kind: z.literal(kind),
    ...fields,
  });
  return { name: kind, description, schema };
}

/** A document that is stored in the repository. */
export function storedDocument(
  name: string,
  description: string,
  schema: z.ZodType,
): PublishedSchema {
  return { name, description, schema };
}
