/** Blocks of code of a page in docs/, and their output without what differs from run to run. */
import { readFile } from "node:fs/promises";

const ROOT = new URL("../../", import.meta.url);

export interface PageBlock {
  readonly language: string;
  readonly text: string;
  /** The heading that it is under. */
  readonly heading: string;
}

export async function pageBlocks(page: string): Promise<PageBlock[]> {
  const content = await readFile(new URL(page, ROOT), "utf8");
  const blocks: PageBlock[] = [];
  let heading = "";
  for (const [, title, language = "", text = ""] of content.matchAll(
    /^(?:#+ (.*)|```([\w -]*)\n([\s\S]*?)^```)$/gm,
  )) {
    if (title === undefined) blocks.push({ language, text, heading });
    else heading = title;
  }
  return blocks;
}

/** Ids, times, durations, commits and process numbers are others each time. */
export function withoutChance(output: string): string {
  return output
    .replaceAll(/\b(\w[\w-]*)-\d{8}-\d{6}-[0-9a-f]{4}\b/g, "$1-ID")
    .replaceAll(/_\d{8}_\d{6}(?:_\d+)?\b/g, "_TIME")
    .replaceAll(/\b\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(?:\.\d+)?(?: [+-]\d{4}|Z)?/g, "TIME")
    .replaceAll(/\b(?:\d+m ?)?\d+(?:\.\d+)? ?m?s\b/g, "DURATION")
    .replaceAll(/\b(?:just now|(?:\d+|an?) \w+ ago)/g, "AGO")
    .replaceAll(/\bprocess \d+( on \S+?)(?=[,)])/g, "PROCESS")
    .replaceAll(/\b[0-9a-f]{8}\b/g, "COMMIT")
    .replaceAll(/ {2,}/g, "  ");
}
