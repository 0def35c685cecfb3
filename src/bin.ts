/** The command `waymark` (and `git waymark`). */
import { writeSync } from "node:fs";
import { hookWords } from "./interfaces/hooks/hook-words.ts";
import { VERSION } from "./interfaces/cli/version.ts";

const words = hookWords(process.argv);
if (words !== undefined) void import("./interfaces/hooks/main.ts").then(({ hook }) => hook(words));
else if (!printedVersion()) {
  void import("./interfaces/cli/main.ts").then(({ main }) => main(process.argv));
}

/** Asked for alone it needs no parser. False: not asked for, or nobody hears it; then the parser says so. */
function printedVersion(): boolean {
  const [, , asked = "", ...more] = process.argv;
  if (more.length > 0 || (asked !== "--version" && asked !== "-V")) return false;
  const text = `${VERSION}\n`;
  try {
    return writeSync(1, text) === text.length;
  } catch {
    return false;
  }
}
