// Splits TypeScript source into tokens: just enough to find imports and string literals without being
// fooled by comments, strings, templates or regular expressions.

export interface Token {
  /** `text` is what a string contains (of a template with `${…}`: the part before it), else the source text. */
  readonly kind: "word" | "string" | "template" | "regex" | "punctuation";
  readonly text: string;
  readonly line: number;
}

/** After one of these words a `/` begins a regular expression; after any other it divides. */
const BEFORE_REGEX = new Set(
  "return typeof case in of delete void throw new instanceof else do await yield".split(" "),
);

/** After one of these words and its `(…)` a statement begins. */
const BEFORE_STATEMENT = new Set(["if", "while", "for"]);

const WORD = /[\p{ID_Continue}$#\u200c\u200d]+/uy;
const REGEX = /\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/[a-z]*/y;

export function tokenize(source: string): Token[] {
  const tokens: Token[] = [];
  /** Depth of open braces for each template that is open: a `}` at depth 0 goes on with its text. */
  const templates: number[] = [];
  /** For each parenthesis that is open: whether a statement follows it, as in `if (…) /x/.test(y)`. */
  const parentheses: boolean[] = [];
  let regexMayFollow = true;
  let at = 0;
  let line = 1;

  const push = (kind: Token["kind"], text: string, end: number): void => {
    regexMayFollow = mayRegexFollow(kind, text);
    tokens.push({ kind, text, line });
    advance(end);
  };
  const mayRegexFollow = (kind: Token["kind"], text: string): boolean => {
    if (kind === "word") return BEFORE_REGEX.has(text);
    if (kind !== "punctuation") return kind === "template";
    if (text === "(") parentheses.push(BEFORE_STATEMENT.has(tokens.at(-1)?.text ?? ""));
    if (text === ")") return parentheses.pop() ?? false;
    // After `}` it may be either; a statement that starts with a regular expression is rarer.
    return text !== "]" && text !== "}";
  };
  const advance = (end: number): void => {
    for (; at < end; at += 1) if (source[at] === "\n") line += 1;
  };
  const match = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    return pattern.exec(source)?.[0];
  };
  /** Reads template text from `at`; it ends at the closing backtick or at the next `${`. */
  const templateText = (): { text: string; end: number; isOpen: boolean } => {
    let end = at;
    while (end < source.length && source[end] !== "`" && !source.startsWith("${", end)) {
      end += source[end] === "\\" ? 2 : 1;
    }
    const isOpen = source[end] === "$";
    return { text: source.slice(at, end), end: end + (isOpen ? 2 : 1), isOpen };
  };

  while (at < source.length) {
    const char = source.charAt(at);
    if (/\s/.test(char)) {
      advance(at + 1);
    } else if (source.startsWith("//", at) || (at === 0 && source.startsWith("#!"))) {
      const end = source.indexOf("\n", at);
      advance(end === -1 ? source.length : end);
    } else if (source.startsWith("/*", at)) {
      const end = source.indexOf("*/", at + 2);
      advance(end === -1 ? source.length : end + 2);
    } else if (char === '"' || char === "'") {
      let end = at + 1;
      while (end < source.length && source[end] !== char) end += source[end] === "\\" ? 2 : 1;
      push("string", source.slice(at + 1, end), end + 1);
    } else if (char === "`") {
      at += 1;
      const { text, end, isOpen } = templateText();
      push(isOpen ? "template" : "string", text, end);
      if (isOpen) templates.push(0);
    } else if (char === "}" && templates.at(-1) === 0) {
      at += 1;
      const { end, isOpen } = templateText();
      advance(end);
      if (!isOpen) {
        templates.pop();
        regexMayFollow = false;
      }
    } else if (char === "/" && regexMayFollow && match(REGEX) !== undefined) {
      const regex = match(REGEX) ?? "";
      push("regex", regex, at + regex.length);
    } else if (match(WORD) !== undefined) {
      const word = match(WORD) ?? "";
      push("word", word, at + word.length);
    } else {
      const depth = templates.length - 1;
      if (depth >= 0 && (char === "{" || char === "}")) {
        templates[depth] = (templates[depth] ?? 0) + (char === "{" ? 1 : -1);
      }
      push("punctuation", char, at + 1);
    }
  }
  return tokens;
}
