// Fills the tables of docs/reliability.md. `npm run docs` runs it; a proof script with `--write` brings it new figures.
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { readFigures } from "./figures.mjs";
import { fillPage } from "./render.mjs";
import { testedRules } from "./rules.mjs";

const PAGE = fileURLToPath(new URL("../../docs/reliability.md", import.meta.url));

writeFileSync(PAGE, fillPage(readFileSync(PAGE, "utf8"), readFigures(), testedRules()));
