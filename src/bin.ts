/** The command `waymark` (and `git waymark`). */
import { main } from "./interfaces/cli/main.ts";

void main(process.argv);
