import * as z from "zod";
import { printedDocument } from "./published-schema.ts";

const words = z.array(z.string());

export const published = printedDocument("rebuild", "What `waymark rebuild --json` prints.", {
  id: z.string(),
  state: z
    .enum(["whole", "repaired", "rebuilt"])
    .describe(
      "whole: nothing was damaged. repaired: it is identical to the original. rebuilt: parts of it were reconstructed.",
    ),
  rebuilt: z.boolean().describe("True when parts of it were reconstructed."),
  repaired: z
    .array(
      z.looseObject({
        object: z.string().nullable().describe("The object's id; null for the ref."),
        type: z.enum(["commit", "tree", "blob", "ref"]),
        path: z.string().describe("Its path in the checkpoint."),
        source: z.string().describe("Where it was found."),
      }),
    )
    .describe("Objects that were found again."),
  missing: z
    .array(
      z.looseObject({
        object: z.string(),
        type: z.enum(["commit", "tree", "blob"]),
        path: z.string(),
      }),
    )
    .describe("Empty: where something is missing the command fails, and `error.details` has it."),
  remade: words.describe("Parts that were reconstructed: document, index.raw, worktree.json."),
  unknown: words.describe("What could not be recovered."),
  unverified: words.describe("Fields of the damaged document that were copied unchecked."),
  journaled: z.boolean().describe("False when the session is damaged too and could not be written."),
});
