/** What documents about the store have in common. */
import * as z from "zod";

export const borrowedCommits = z
  .array(z.looseObject({ ref: z.string(), commit: z.string() }))
  .describe("Commits of the repository, and the refs in it that keep them.");
