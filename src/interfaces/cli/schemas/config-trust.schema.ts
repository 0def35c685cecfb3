import * as z from "zod";
import { printedDocument } from "./published-schema.ts";

export const published = printedDocument("config_trust", "What `waymark config trust --json` prints.", {
  project: z
    .string()
    .nullable()
    .describe("The folder that the consent is for; null: nothing was written."),
  file: z.string().nullable().describe("Where it is stored; null: nothing was written."),
  settings: z
    .array(
      z.looseObject({
        file: z.string().describe("Relative to the root of the project."),
        line: z.number().int().positive(),
        key: z.string(),
        value: z
          .union([z.string(), z.number(), z.boolean(), z.array(z.string())])
          .describe("Of a list: the items that need consent."),
        effect: z.string().describe("The effect of the setting."),
        agreed: z.boolean().describe("Whether it is in effect now."),
        was_agreed: z.boolean().describe("Whether it was in effect before this command."),
      }),
    )
    .describe("Every setting of the project's files that needs consent."),
});
