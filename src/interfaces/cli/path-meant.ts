/** For `diff notes.txt` and `rollback CHECKPOINT notes.txt`, where git takes a path: names the option that does here. */
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { quoteForShell } from "../../domain/shell-quote.ts";
import type { CommandSpec } from "./command-spec.ts";

/** Undefined: none of the words is a path, or the command takes none. */
export function pathMeant(
  { name, options = [] }: CommandSpec,
  words: readonly unknown[],
  directory: string,
): string | undefined {
  if (!options.some(({ flags }) => flags.startsWith("--paths "))) return undefined;
  const given = words.flatMap((word) => (typeof word === "string" && word !== "" ? [word] : []));
  const path = given.find((word) => existsSync(resolve(directory, word)));
  if (path === undefined) return undefined;
  const [checkpoint = "latest"] = given.filter((word) => word !== path);
  return `${path} is a path: \`waymark ${name} ${checkpoint} --paths ${quoteForShell(path)}\`.`;
}
