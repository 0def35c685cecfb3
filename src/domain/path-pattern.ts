/**
 * Patterns for paths, as .gitignore has them: `*.bin` at any depth, `/data` and `papers/*.pdf` from the root, `cache/` folders
 * only, `**` any number of folders, `?`, `[a-z]`, `\` before a special character. What matches a folder covers what is in it.
 *
 * Matched by hand, in time that grows with pattern times path: a pattern of a repository must not be able to hang anybody.
 */
import { decodeUtf8, type BytePath } from "./byte-path.ts";

export type PathMatcher = (path: BytePath, isFolder: boolean) => boolean;

type Token =
  | { readonly type: "literal"; readonly character: string }
  | { readonly type: "any" }
  | { readonly type: "many" }
  | { readonly type: "class"; readonly isNegated: boolean; readonly ranges: readonly Range[] };

type Range = readonly [from: string, to: string];

interface Pattern {
  readonly foldersOnly: boolean;
  /** One list of tokens for each part between slashes; "deep": any number of parts. */
  readonly parts: readonly (readonly Token[] | "deep")[];
}

/** Why this is no pattern; undefined when it is one. */
export function patternProblem(text: string): string | undefined {
  const parsed = parse(text);
  return typeof parsed === "string" ? parsed : undefined;
}

export interface MatchOptions {
  readonly ignoreCase?: boolean;
}

/** Matches when any of the patterns does; a text that is no pattern matches nothing. */
export function pathMatcher(patterns: readonly string[], options: MatchOptions = {}): PathMatcher {
  const fold = (text: string): string => (options.ignoreCase === true ? text.toLowerCase() : text);
  const parsed = patterns.flatMap((text) => {
    const pattern = parse(fold(text));
    return typeof pattern === "string" ? [] : [pattern];
  });
  if (parsed.length === 0) return () => false;
  return (path, isFolder) => {
    const names = fold(decodeUtf8(path) ?? path).split("/");
    return parsed.some((pattern) => covers(pattern, names, isFolder));
  };
}

/** Whether anything below a folder could match, as far as the folder's own path tells. */
export function mayMatchBelow(patterns: readonly string[]): (folder: BytePath) => boolean {
  const parsed = patterns.flatMap((text) => {
    const pattern = parse(text);
    return typeof pattern === "string" ? [] : [pattern];
  });
  return (folder) => {
    const names = folder === "" ? [] : (decodeUtf8(folder) ?? folder).split("/");
    return parsed.some((pattern) => leadsOn(pattern.parts, names));
  };
}

/** True when some beginning of the parts matches all the names: the rest, or what is below a match, may follow. */
function leadsOn(parts: Pattern["parts"], names: readonly string[]): boolean {
  let reached = new Set([0]);
  for (const name of names) {
    const next = new Set<number>();
    for (const at of reached) {
      const part = parts[at];
      // All parts are used up: what is in a folder that matched matches too.
      if (part === undefined) return true;
      if (part === "deep") return true;
      if (matchesName(part, name)) next.add(at + 1);
    }
    reached = next;
  }
  return reached.size > 0;
}

/** The text as a pattern that matches nothing else. */
export function literalPattern(text: string): string {
  return text.replaceAll(/[\\*?[\]]/g, "\\$&").replace(/^!/, "\\!");
}

/** The folder, as far as no wildcard comes before it, below which everything is that can match: `""` when it can be anywhere. */
export function fixedFolder(text: string): string {
  const body = text.replace(/\/$/, "");
  if (!body.includes("/")) return "";
  const names = body.replace(/^\//, "").split("/").slice(0, -1);
  const wild = names.findIndex((name) => /[*?[\\]/.test(name));
  return (wild < 0 ? names : names.slice(0, wild)).join("/");
}

/** The one path that a pattern without wildcards names. */
export function exactPath(text: string): string | undefined {
  const pattern = parse(text);
  if (typeof pattern === "string" || pattern.foldersOnly) return undefined;
  const names: string[] = [];
  for (const part of pattern.parts) {
    if (part === "deep") return undefined;
    let name = "";
    for (const token of part) {
      if (token.type !== "literal") return undefined;
      name += token.character;
    }
    names.push(name);
  }
  return names.join("/");
}

/** Such a pattern says what it does not match: `[!a]*`. */
export function hasNegatedClass(text: string): boolean {
  const pattern = parse(text);
  if (typeof pattern === "string") return false;
  return pattern.parts.some(
    (part) => part !== "deep" && part.some((token) => token.type === "class" && token.isNegated),
  );
}

function covers(pattern: Pattern, names: readonly string[], isFolder: boolean): boolean {
  for (let depth = 1; depth <= names.length; depth++) {
    const isFolderHere = depth < names.length || isFolder;
    if (pattern.foldersOnly && !isFolderHere) continue;
    if (matchesNames(pattern, names.slice(0, depth))) return true;
  }
  return false;
}

function matchesNames(pattern: Pattern, names: readonly string[]): boolean {
  return matchesAll(
    pattern.parts,
    names,
    (part) => part === "deep",
    (part, name) => part !== "deep" && matchesName(part, name),
  );
}

function matchesName(tokens: readonly Token[], name: string): boolean {
  return matchesAll(tokens, [...name], (token) => token.type === "many", matchesCharacter);
}

function matchesCharacter(token: Token, character: string): boolean {
  switch (token.type) {
    case "literal":
      return token.character === character;
    case "any":
      return true;
    case "many":
      return false;
    case "class": {
      const isIn = token.ranges.some(([from, to]) => from <= character && character <= to);
      return isIn !== token.isNegated;
    }
  }
}

/** Wildcards over any kind of item: only the last wildcard ever has to be tried again. */
function matchesAll<Part, Item>(
  parts: readonly Part[],
  items: readonly Item[],
  isMany: (part: Part) => boolean,
  matches: (part: Part, item: Item) => boolean,
): boolean {
  let part = 0;
  let item = 0;
  let lastMany = -1;
  let resumeAt = 0;
  while (item < items.length) {
    const wanted = parts[part];
    if (wanted !== undefined && isMany(wanted)) {
      lastMany = part++;
      resumeAt = item;
    } else if (wanted !== undefined && matches(wanted, items[item] as Item)) {
      part++;
      item++;
    } else if (lastMany >= 0) {
      part = lastMany + 1;
      item = ++resumeAt;
    } else {
      return false;
    }
  }
  return parts.slice(part).every(isMany);
}

function parse(text: string): Pattern | string {
  if (text.startsWith("!")) return "a pattern cannot begin with !";
  const foldersOnly = text.endsWith("/");
  const body = foldersOnly ? text.slice(0, -1) : text;
  const names = body.replace(/^\//, "").split("/");
  const parts: (readonly Token[] | "deep")[] = [];
  if (names.length === 1 && !body.startsWith("/")) parts.push("deep");
  for (const name of names) {
    if (name === "" || name === "." || name === "..") {
      return "a pattern is a path inside the project";
    }
    const tokens = name === "**" ? "deep" : tokenize(name);
    if (typeof tokens === "string" && tokens !== "deep") return tokens;
    parts.push(tokens);
  }
  // `data/**` is what is in the folder, not the folder.
  if (parts.at(-1) === "deep" && names.length > 1) parts.push([{ type: "many" }]);
  return { foldersOnly, parts };
}

function tokenize(name: string): Token[] | string {
  const tokens: Token[] = [];
  const characters = [...name];
  for (let at = 0; at < characters.length; at++) {
    const character = characters[at] ?? "";
    if (character === "*") {
      if (tokens.at(-1)?.type !== "many") tokens.push({ type: "many" });
    } else if (character === "?") {
      tokens.push({ type: "any" });
    } else if (character === "[") {
      const end = classEnd(characters, at);
      if (end < 0) return "an unclosed [";
      tokens.push(characterClass(characters.slice(at + 1, end)));
      at = end;
    } else if (character === "\\") {
      const next = characters[++at];
      if (next === undefined) return "a trailing \\";
      tokens.push({ type: "literal", character: next });
    } else {
      tokens.push({ type: "literal", character });
    }
  }
  return tokens;
}

/** A `]` right at the beginning is one of the characters. */
function classEnd(characters: readonly string[], start: number): number {
  const isNegated = characters[start + 1] === "!" || characters[start + 1] === "^";
  return characters.indexOf("]", start + (isNegated ? 3 : 2));
}

function characterClass(characters: readonly string[]): Token {
  const isNegated = characters[0] === "!" || characters[0] === "^";
  const inside = isNegated ? characters.slice(1) : characters;
  const ranges: Range[] = [];
  for (let at = 0; at < inside.length; at++) {
    const from = inside[at] ?? "";
    const isRange = inside[at + 1] === "-" && at + 2 < inside.length;
    ranges.push([from, isRange ? (inside[at + 2] ?? "") : from]);
    if (isRange) at += 2;
  }
  return { type: "class", isNegated, ranges };
}
