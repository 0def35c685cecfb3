import * as z from "zod";
import { printedDocument } from "./published-schema.ts";

export const published = printedDocument(
  "observer",
  "What `waymark observe --json` prints for commands of its own.",
  {
    command: z.string(),
    commands: z
      .array(z.looseObject({ command: z.string(), text: z.string() }))
      .optional()
      .describe("`*help`: every command."),
    checkpoint_id: z.string().optional().describe("`*manual-restore`: where the steps lead."),
    lines: z.array(z.string()).optional().describe("`*manual-restore`: the steps, for a shell."),
  },
);
