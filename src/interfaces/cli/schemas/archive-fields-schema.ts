/** What the documents about archives have in common. */
import * as z from "zod";

export const archive = {
  file: z.string().describe("The absolute path of the archive."),
  bytes: z.number().int().nonnegative().describe("Its size."),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
};

export const basis = z
  .array(z.string())
  .describe("Commits that the archive builds on and does not contain; empty: it contains everything.");
