/**
 * Tells patterns of the project from absolute paths. Both begin with a slash: `/data` of the settings is from the root of the
 * project, as in `.gitignore`, and `/home/me/settings.json` is what it says.
 */
import { exactPath } from "../../../domain/path-pattern.ts";
import { statOf } from "../file-stat.ts";

interface PatternPlaces {
  readonly inside: readonly string[];
  readonly outside: readonly string[];
}

/**
 * Outside is only a file that is there, and whose first folder the project does not have. Anything else is too easily meant for
 * the project: a `/var/cache/` that is still to come must not be taken for that of the machine.
 */
export function placesOf(root: string, patterns: readonly string[]): PatternPlaces {
  const inside: string[] = [];
  const outside: string[] = [];
  for (const text of patterns) {
    if (text.startsWith(`${root}/`)) inside.push(text.slice(root.length));
    else if (isFileOutside(root, text)) outside.push(text);
    else inside.push(text);
  }
  return { inside, outside };
}

function isFileOutside(root: string, text: string): boolean {
  const path = text.startsWith("/") ? exactPath(text) : undefined;
  const [first, ...more] = path?.split("/") ?? [];
  if (path === undefined || more.length === 0) return false;
  return statOf(`${root}/${first}`) === undefined && statOf(`/${path}`)?.isFile() === true;
}
