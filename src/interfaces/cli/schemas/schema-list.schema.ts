import * as z from "zod";
import { printedDocument } from "./published-schema.ts";

export const published = printedDocument(
  "schema_list",
  "What `waymark schema --json` prints when no schema is named.",
  {
    schemas: z.array(
      z.looseObject({
        name: z.string().describe("What `waymark schema NAME` takes."),
        description: z.string(),
        file: z.string().describe("The file that contains it."),
      }),
    ),
  },
);
