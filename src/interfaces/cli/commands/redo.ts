/** `waymark redo` */
import { redo } from "../../../operations/undo.ts";
import type { Context } from "../command-spec.ts";
import { runStep } from "../undo-step.ts";

export const run = (context: Context): Promise<void> => runStep(context, "redo", redo);
