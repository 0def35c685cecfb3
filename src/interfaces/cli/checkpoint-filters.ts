/** What `list` and `log` can be limited to. */
import { TRIGGER_FILTERS } from "../../domain/trigger-filter.ts";
import type { OptionSpec } from "./command-spec.ts";
import { triggerFilter } from "./options.ts";

export const CHECKPOINT_FILTERS: readonly OptionSpec[] = [
  { flags: "--task <id>", text: "only those of this task" },
  { flags: "--phase <name>", text: "only those of this phase" },
  { flags: "--agent <name>", text: "only those that this agent's hooks created" },
  {
    flags: "--trigger <trigger>",
    text: "only those with this trigger; phase_transition means pre_phase and post_phase",
    parse: triggerFilter,
    completes: TRIGGER_FILTERS,
  },
];
