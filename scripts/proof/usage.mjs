// `--help` of scripts whose first comment says how they are used, and numbers that are none.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** Prints the first comment of a script, and ends. @param {string} url of the script @returns {never} */
export function showUsage(url) {
  const [, comment = ""] = /\/\*\*(.*?)\*\//s.exec(readFileSync(fileURLToPath(url), "utf8")) ?? [];
  console.log(comment.replaceAll(/^[ *]+/gm, "").trim());
  process.exit(0);
}

/**
 * A number that is none would be a run that tries nothing, and nobody would notice.
 * @param {string} script @param {string} option @param {string | undefined} value
 */
export function requireNumber(script, option, value) {
  if (value === undefined || /^\d+(\.\d+)?$/.test(value)) return;
  console.error(`${script}: --${option} takes a number, not "${value}"`);
  process.exit(2);
}
