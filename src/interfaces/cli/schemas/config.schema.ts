import * as z from "zod";
import type { SettingValue } from "../../../domain/config-keys.ts";
import type { Origin } from "../../../domain/config-resolution.ts";
import { printedDocument } from "./published-schema.ts";

const place = z.number().int().positive().nullable();

const value: z.ZodType<SettingValue> = z.union([
  z.string(),
  z.number(),
  z.boolean(),
  z.array(z.string()),
]);

const origin = z.looseObject({
  source: z.enum(["default", "environment", "file"] satisfies Origin["source"][]),
  file: z.string().nullable().describe("For source file: relative to the root of the project; the user's own file with its absolute path."),
  line: place.describe("For source file."),
  variable: z.string().nullable().describe("For source environment."),
});

const problem = z.looseObject({
  file: z.string().describe("The file, or the name of the variable."),
  line: place,
  column: place,
  key: z.string().nullable().describe("The setting; null: the file as a whole."),
  value: z.unknown().describe("What is written there."),
  message: z.string(),
});

export const published = printedDocument(
  "config",
  "What `waymark config --json` prints; the exit code is 2 when there are problems.",
  {
    values: z
      .array(z.looseObject({ key: z.string().describe("Such as retention.max_age."), value, origin }))
      .describe("All settings, or those that were asked for."),
    files: z.array(z.string()).describe("Files that were read, highest precedence first."),
    warnings: z.array(z.string()).describe("For example, unknown settings."),
    notes: z
      .array(z.string())
      .describe("Settings of other tools' files that have no effect here, and why."),
    consent: z
      .array(
        z.looseObject({
          file: z.string().describe("Relative to the root of the project."),
          line: z.number().int().positive(),
          key: z.string(),
          value: value.describe("Of a list: the items that need consent."),
          effect: z.string().describe("The effect of the setting."),
          agreed: z.boolean().describe("Whether it is in effect."),
        }),
      )
      .describe("Settings of the project's files that need the user's consent."),
    problems: z
      .array(problem)
      .describe("Settings that are wrong; the default is shown in `values` for them."),
  },
);
