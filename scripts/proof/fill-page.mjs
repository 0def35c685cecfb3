// The places of a page that scripts fill: what is between two comments.
import { readFileSync, writeFileSync } from "node:fs";

/**
 * The page with new content between `<!-- MARK begin -->` and `<!-- MARK end -->`.
 * @param {string} page @param {string} mark @param {string} content
 */
export function fill(page, mark, content) {
  const begin = `<!-- ${mark} begin -->`;
  const from = page.indexOf(begin);
  const to = page.indexOf(`<!-- ${mark} end -->`);
  if (from === -1 || to < from) throw new Error(`the page has no ${begin} … <!-- ${mark} end -->`);
  return `${page.slice(0, from + begin.length)}\n\n${content}\n\n${page.slice(to)}`;
}

/** @param {string} path @param {string} mark @param {string} content */
export function fillFile(path, mark, content) {
  writeFileSync(path, fill(readFileSync(path, "utf8"), mark, content));
}
