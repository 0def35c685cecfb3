/** Settings of git that Waymark was not tested with. */
import { warning, type Finding } from "./health.ts";

export type GitSetting = readonly [name: string, value: string];

/** Names as git prints them: section and key in lower case, the middle as it is. */
export function gitAdvice(settings: readonly GitSetting[]): Finding[] {
  const storage = new Map(settings).get("extensions.refstorage");
  if (storage === undefined || storage === "files") return [];
  return [
    warning(
      `the refs of this repository are stored as ${storage}, which Waymark was not tested with`,
      "git refs migrate --ref-format=files",
    ),
  ];
}
