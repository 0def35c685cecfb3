import { standingCheckpoint } from "./checkpoint-fields-schema.ts";
import { printedDocument } from "./published-schema.ts";

export const published = printedDocument("checkpoint", "What `waymark show --json` prints.", {
  checkpoint: standingCheckpoint,
});
