/** What documents say about a session that cannot be read. */
import * as z from "zod";

export const unreadableSession = z.looseObject({
  message: z.string().describe("Which one, and what is wrong with it."),
  hint: z.string().describe("What to do about it."),
});
