/** The folders in which git looks for objects of a repository: its own, and those that it reads or borrows from. */
import { readFileSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { isMissing } from "../files/errors.ts";
import type { Repository } from "./repository.ts";

export function objectFolders({
  commonDir,
  lender,
}: Pick<Repository, "commonDir" | "lender">): string[] {
  const folders = [join(commonDir, "objects"), ...(lender === undefined ? [] : [lender])];
  for (const folder of folders) {
    for (const line of alternatesOf(folder)) {
      // As git does: a link on the way is followed before `..` goes up.
      const other = isAbsolute(line) ? line : `${folder}/${line}`;
      if (!folders.includes(other)) folders.push(other);
    }
  }
  return folders;
}

function alternatesOf(folder: string): string[] {
  try {
    const text = readFileSync(join(folder, "info/alternates"), "utf8");
    return text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}
