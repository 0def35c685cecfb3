/** Finds secrets in patches that show whole files: a key of many lines is cut up by the marks of a patch. */
import { asBytePath, parsePath, type BytePath } from "../byte-path.ts";
import { originalName } from "../stored-name.ts";
import { findSecret } from "./find-secret.ts";

/** One file of a patch. */
export interface PatchSection {
  /** Undefined: it shows no lines, such as that of a binary file. */
  readonly path: BytePath | undefined;
  /** The rule that found a secret on one of the two sides. */
  readonly ruleId: string | undefined;
}

const SECTION = /^diff --git /m;

/** Of a patch without colours, with the prefixes `a/` and `b/` and with every line of its files. */
export function searchPatch(patch: string): PatchSection[] {
  return patch
    .split(SECTION)
    .slice(1)
    .map((section) => {
      const start = section.indexOf("\n@@ ");
      if (start < 0) return { path: undefined, ruleId: undefined };
      const sides = sidesOf(section.slice(start + 1));
      return {
        path: pathOf(section.slice(0, start)),
        ruleId: findSecret(sides.before) ?? findSecret(sides.after),
      };
    });
}

function pathOf(header: string): BytePath | undefined {
  const names = header
    .split("\n")
    .filter((line) => line.startsWith("--- ") || line.startsWith("+++ "))
    .map((line) => parsePath(line.slice(4).replace(/\t$/, "")))
    .filter((name) => name !== "/dev/null");
  const [name] = names;
  return name === undefined
    ? undefined
    : asBytePath(name.slice(2).split("/").map(originalName).join("/"));
}

function sidesOf(hunks: string): { readonly before: string; readonly after: string } {
  const before: string[] = [];
  const after: string[] = [];
  for (const line of hunks.split("\n")) {
    const text = line.slice(1);
    if (!line.startsWith("+")) before.push(text);
    if (!line.startsWith("-")) after.push(text);
  }
  return { before: before.join("\n"), after: after.join("\n") };
}
