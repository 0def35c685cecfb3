/** Settings files as people and editors leave them: random content, in a random style. */
import fc from "fast-check";
import type { JsonExtra } from "../../domain/agents/hook-table.ts";

export interface SettingsStyle {
  /** Empty: everything is on one line. */
  readonly indent: string;
  /** The space inside of brackets and after commas where it is. */
  readonly pad: string;
  readonly eol: string;
  readonly mark: boolean;
  readonly lastNewline: boolean;
  readonly trailingComma: boolean;
  /** Which of the places that can have a comment have one. */
  readonly comments: readonly boolean[];
}

export const anyStyle: fc.Arbitrary<SettingsStyle> = fc.record({
  indent: fc.constantFrom("", "  ", "    ", "\t"),
  pad: fc.constantFrom("", " "),
  eol: fc.constantFrom("\n", "\r\n", "\r"),
  mark: fc.boolean(),
  lastNewline: fc.boolean(),
  trailingComma: fc.boolean(),
  comments: fc.array(fc.boolean(), { minLength: 1, maxLength: 20 }),
});

/** Such as an agent reads. */
export function styleWith(reads: ReadonlySet<JsonExtra>): fc.Arbitrary<SettingsStyle> {
  return anyStyle.map((style) => ({
    ...style,
    mark: style.mark && reads.has("a byte order mark"),
    trailingComma: style.trailingComma && reads.has("trailing commas"),
    comments: reads.has("comments") ? style.comments : [false],
  }));
}

const anyText = fc.constantFrom(
  "a",
  'say "hi" // no comment',
  "/* none */",
  "ü\n\u2028",
  "http://x",
  "",
);
const anyLeaf: fc.Arbitrary<unknown> = fc.oneof(
  anyText,
  fc.integer(),
  fc.boolean(),
  fc.constant(null),
);

const anyHandler = fc.record(
  {
    type: fc.constant("command"),
    command: anyText,
    bash: anyText,
    timeout: fc.nat(60),
    x: anyLeaf,
  },
  { requiredKeys: ["type", "command"] },
);
const anyGroup = fc.record(
  { matcher: anyText, hooks: fc.array(anyHandler, { maxLength: 2 }), note: anyLeaf },
  { requiredKeys: ["hooks"] },
);
const eventNames = ["PreToolUse", "Stop", "BeforeTool", "preToolUse", "Other", "stop"];

/** With hooks of others; entries are fit for both layouts. */
export const anySettings: fc.Arbitrary<Readonly<Record<string, unknown>>> = fc.record(
  {
    hooks: fc.dictionary(fc.constantFrom(...eventNames), fc.array(anyGroup, { maxLength: 3 }), {
      noNullPrototype: true,
    }),
    permissions: fc.record({ allow: fc.array(anyText, { maxLength: 3 }) }),
    env: fc.dictionary(fc.constantFrom("A", "B"), anyText, { noNullPrototype: true }),
    model: anyLeaf,
  },
  { requiredKeys: [], noNullPrototype: true },
);

/** Every place with a comment has one of its own, so that a lost one is noticed. */
export function writeSettings(value: unknown, style: SettingsStyle): string {
  let place = 0;
  const comment = (): string => {
    const has = style.comments[place % style.comments.length] === true;
    place += 1;
    if (!has) return "";
    return style.indent !== "" && place % 2 === 0 ? ` // c${place}` : ` /* c${place} */`;
  };
  const write = (item: unknown, outer: string): string => {
    if (typeof item !== "object" || item === null) return JSON.stringify(item);
    const isList = Array.isArray(item);
    const [open, close] = isList ? ["[", "]"] : ["{", "}"];
    const members = isList
      ? item.map((each: unknown) => ["", each] as const)
      : Object.entries(item).map(([name, each]) => [`${JSON.stringify(name)}: `, each] as const);
    if (members.length === 0)
      return `${open}${style.indent === "" ? "" : comment().replace(/ \/\/.*/, "")}${style.pad}${close}`;
    const isFlat = style.indent === "";
    const inner = outer + style.indent;
    const lines = members.map(([label, each], at) => {
      const isLast = at === members.length - 1;
      const comma = isLast && !style.trailingComma ? "" : ",";
      return `${isFlat ? style.pad : style.eol + inner}${label}${write(each, inner)}${comma}${comment()}`;
    });
    return `${open}${lines.join("")}${isFlat ? style.pad : style.eol + outer}${close}`;
  };
  return `${style.mark ? "\uFEFF" : ""}${write(value, "")}${style.lastNewline ? style.eol : ""}`;
}

/** The comments that a text made by `writeSettings` has. */
export function commentsOf(text: string): string[] {
  return [...text.matchAll(/\/\* c\d+ \*\/|\/\/ c\d+/g)].map(([found]) => found);
}
