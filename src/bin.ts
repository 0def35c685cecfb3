/** The command `waymark` (and `git waymark`). */
import module from "node:module";

// Node 22.1 and newer keep the compiled form of what is loaded from here on, for the next start.
(module as { enableCompileCache?: () => void }).enableCompileCache?.();

void import("./interfaces/cli/main.ts").then(({ main }) => main(process.argv));
