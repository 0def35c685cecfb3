/** Looks upwards for a plain folder that is a project, as git looks for a repository. */
import { existsSync, statSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { realOrSame } from "../../files/real-path.ts";
import { hasPrivateRepository } from "./private-place.ts";

export interface Above {
  /** The nearest folder with a private repository. */
  readonly plain: string | undefined;
  /** The nearest `.git` that is not further away; git decides whether it is a repository. */
  readonly gitEntry: string | undefined;
}

export function lookAbove(directory: string): Above {
  const start = realOrSame(directory);
  const limit = searchLimit(start);
  let gitEntry: string | undefined;
  for (let folder = start; ; folder = dirname(folder)) {
    const entry = join(folder, ".git");
    if (gitEntry === undefined && existsSync(entry)) gitEntry = entry;
    if (hasPrivateRepository(folder)) return { plain: folder, gitEntry };
    if (folder === dirname(folder) || limit(dirname(folder))) return { plain: undefined, gitEntry };
  }
}

/** Whether the search stops below this folder: the rules and the variables are git's. */
function searchLimit(start: string): (folder: string) => boolean {
  const ceilings = (process.env["GIT_CEILING_DIRECTORIES"] ?? "")
    .split(delimiter)
    .filter((path) => path !== "")
    .map(realOrSame);
  const crosses = /^(?:1|true|yes|on)$/i.test(process.env["GIT_DISCOVERY_ACROSS_FILESYSTEM"] ?? "");
  const device = deviceOf(start);
  return (folder) => ceilings.includes(folder) || (!crosses && deviceOf(folder) !== device);
}

/** Undefined for a folder that cannot be looked at. */
export function deviceOf(folder: string): number | undefined {
  try {
    return statSync(folder).dev;
  } catch {
    return undefined;
  }
}
