/** `waymark session fail` */
import type { Context } from "../../command-spec.ts";
import { runEnd } from "../../session-end.ts";

export const run = (context: Context): Promise<void> => {
  const { error } = context.options as { error?: string };
  return runEnd(context, {
    action: "fail",
    to: "failed",
    ...(error === undefined ? {} : { error }),
  });
};
