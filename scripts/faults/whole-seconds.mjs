// The environment of a process that sees whole seconds: whole-seconds.c says how.
import { compiled } from "./compile.mjs";

/** How many seconds become one: everything in a case fits into it. */
const SLOWER = 30;

/** From now on. @returns {Promise<Record<string, string>>} */
export async function wholeSeconds() {
  const shim = await compiled("whole-seconds", ["-shared", "-fPIC"]);
  if (shim.kind === "unavailable") throw new Error(shim.reason);
  return {
    LD_PRELOAD: shim.path,
    WHOLE_SECONDS_FROM: String(Math.floor(Date.now() / 1000)),
    WHOLE_SECONDS_SLOWER: String(SLOWER),
  };
}
