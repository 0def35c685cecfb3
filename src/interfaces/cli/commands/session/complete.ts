/** `waymark session complete` */
import type { Context } from "../../command-spec.ts";
import { runEnd } from "../../session-end.ts";

export const run = (context: Context): Promise<void> =>
  runEnd(context, { action: "complete", to: "completed" });
