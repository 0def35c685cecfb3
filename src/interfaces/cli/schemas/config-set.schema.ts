import * as z from "zod";
import { printedDocument } from "./published-schema.ts";

const value = z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]).nullable();

export const published = printedDocument(
  "config_set",
  "What `waymark config set --json` and `waymark config unset --json` print.",
  {
    file: z.string().describe("The file that was changed, relative to the root of the project; your own file with its absolute path."),
    key: z.string(),
    value: value.describe("Null: the setting was removed."),
    before: value.describe("The previous value in that file; null: none."),
    changed: z.boolean().describe("False: the file already has this value and was not written."),
    in_effect: value.describe("The value in effect now, from whichever source, also while a new one waits for consent; null: outside a project."),
    needs_consent: z.boolean().describe("It has no effect before `waymark config trust`."),
    warnings: z.array(z.string()).describe("For example, why the value has no effect."),
  },
);
