/** One lane of a long search, in a process of its own without vitest: `node search.mjs NUMBER`. Ended by 1 where something was found. */
import { setup } from "../support/clean-environment.ts";
import { Lane } from "./lane.ts";

const tidyUp = await setup();
const lane = new Lane(Number(process.argv[2]));
try {
  await lane.search();
} catch {
  // What was found has been said.
  process.exitCode = 1;
} finally {
  lane.close();
  tidyUp();
}
// Commands that wait for the next one do not hold it up.
process.exit();
