// Finds every import of a source file: static, type-only, re-export, dynamic, require.

import { tokenize, type Token } from "./source-tokens.ts";

export interface Import {
  /** Undefined when the name is computed: `import(name)`. */
  readonly specifier: string | undefined;
  /** Nothing of it is left at run time. */
  readonly isTypeOnly: boolean;
  /** `export * from`. */
  readonly isStar: boolean;
  readonly line: number;
}

export function importsOf(source: string): Import[] {
  const tokens = tokenize(source);
  return tokens.flatMap((token, index) => {
    if (token.kind !== "word" || isText(tokens[index - 1], ".")) return [];
    switch (token.text) {
      case "import":
        return isText(tokens[index + 1], "(")
          ? callAt(tokens, index)
          : statementAt(tokens, index, "import");
      case "export":
        return statementAt(tokens, index, "export");
      case "require":
        return isText(tokens[index + 1], "(") ? callAt(tokens, index) : [];
      default:
        return [];
    }
  });
}

/** `import("x")`, `require("x")`, `import(name)`, but not a method that happens to be called import. */
function callAt(tokens: Token[], index: number): Import[] {
  const line = tokens[index]?.line ?? 0;
  const argument = tokens[index + 2];
  if (argument?.kind === "string") {
    return [{ specifier: argument.text, isTypeOnly: false, isStar: false, line }];
  }
  const next = tokens[closingParenthesis(tokens, index + 1) + 1];
  const isDeclaration = isText(next, "{") || isText(next, ":");
  if (isDeclaration || isText(tokens[index - 1], "function")) return [];
  return [{ specifier: undefined, isTypeOnly: false, isStar: false, line }];
}

/** `import … from "x"`, `import "x"`, `export … from "x"`. */
function statementAt(tokens: Token[], index: number, keyword: "import" | "export"): Import[] {
  const line = tokens[index]?.line ?? 0;
  const first = tokens[index + 1];
  if (keyword === "import" && first?.kind === "string") {
    return [{ specifier: first.text, isTypeOnly: false, isStar: false, line }];
  }
  let end = index + 1;
  // Between the keyword and `from` there are only names, commas, stars and one pair of braces.
  while (isPartOfClause(tokens, end)) end += 1;
  const specifier = tokens[end + 1];
  if (!isText(tokens[end], "from") || specifier?.kind !== "string") return [];
  const clause = tokens.slice(index + 1, end);
  if (keyword === "export" && !clause.some(({ text }) => text === "{" || text === "*")) return [];
  const isStar = keyword === "export" && clause.some(({ text }) => text === "*");
  return [{ specifier: specifier.text, isTypeOnly: isTypeOnly(clause), isStar, line }];
}

function isPartOfClause(tokens: Token[], at: number): boolean {
  const token = tokens[at];
  if (token === undefined) return false;
  if (token.kind === "punctuation") return ["{", "}", ",", "*"].includes(token.text);
  if (token.kind === "string") return isText(tokens[at + 1], "as") || isText(tokens[at - 1], "as");
  // `from` ends the clause when a string follows it, unless it is a name: `import from from "x"`.
  return token.kind === "word" && !(token.text === "from" && tokens[at + 1]?.kind === "string");
}

/** `type { A }`, `type A`, `{ type A, type B }`; but `type` alone is a name: `import type from "x"`. */
function isTypeOnly(clause: Token[]): boolean {
  const [first, second] = clause;
  if (isText(first, "type") && second !== undefined && !isText(second, ",")) return true;
  if (!isText(first, "{") || !isText(clause.at(-1), "}")) return false;
  const names = clause.slice(1, -1);
  const starts = names.filter((_, at) => at === 0 || isText(names[at - 1], ","));
  return (
    starts.length > 0 &&
    starts.every((start) => {
      const next = names[names.indexOf(start) + 1];
      return isText(start, "type") && next?.kind === "word" && !isText(next, "as");
    })
  );
}

function closingParenthesis(tokens: Token[], open: number): number {
  let depth = 0;
  for (let at = open; at < tokens.length; at += 1) {
    if (isText(tokens[at], "(")) depth += 1;
    if (isText(tokens[at], ")")) depth -= 1;
    if (depth === 0) return at;
  }
  return tokens.length;
}

function isText(token: Token | undefined, text: string): boolean {
  return token !== undefined && token.kind !== "string" && token.text === text;
}
