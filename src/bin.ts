/** The command `waymark` (and `git waymark`). */
import module from "node:module";
import { hookWords } from "./interfaces/hooks/hook-words.ts";

// Node 22.1 and newer keep the compiled form of what is loaded from here on, for the next start.
(module as { enableCompileCache?: () => void }).enableCompileCache?.();

const words = hookWords(process.argv);
void (words === undefined
  ? import("./interfaces/cli/main.ts").then(({ main }) => main(process.argv))
  : import("./interfaces/hooks/main.ts").then(({ hook }) => hook(words)));
