// Which files of the tests name which rule of docs/spec.md, by the titles of their tests: `it("[R4] saves …")`.
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
/** It has titles in it that are examples. */
const CHECKER = "test/architecture/spec-rules.test.ts";

/** In the order of docs/spec.md. @returns {{ rule: string, files: string[] }[]} */
export function testedRules() {
  const spec = readFileSync(join(ROOT, "docs/spec.md"), "utf8");
  const sources = ["src", "test"]
    .flatMap(filesUnder)
    .filter((path) => /\.(test|suite)\.ts$/.test(path) && path !== CHECKER)
    .map((path) => ({ path, rules: rulesOfTitles(readFileSync(join(ROOT, path), "utf8")) }));
  return [...spec.matchAll(/^\*\*(R\d+)\*\*/gm)].map(([, rule = ""]) => ({
    rule,
    files: sources.filter(({ rules }) => rules.has(rule)).map(({ path }) => path),
  }));
}

/** @param {string} source */
function rulesOfTitles(source) {
  const titles = [...source.matchAll(/(?<!\.(?:skip|todo)\()["'`]((?:\[R\d+\]\s*)+)/g)].map(
    ([, numbers = ""]) => numbers,
  );
  return new Set(titles.flatMap((numbers) => numbers.match(/R\d+/g) ?? []));
}

/** @param {string} folder @returns {string[]} */
const filesUnder = (folder) =>
  readdirSync(join(ROOT, folder), { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? filesUnder(`${folder}/${entry.name}`) : [`${folder}/${entry.name}`],
  );
