/** The SettingsText port: finds places with a parser and changes the text by hand, as a formatter would touch neighbours. */
import {
  createScanner,
  findNodeAtLocation,
  getNodeValue,
  parseTree,
  printParseErrorCode,
  type Node,
  type ParseError,
  type ParseOptions,
} from "jsonc-parser";
import type { JsonExtra } from "../../domain/agents/hook-table.ts";
import { canonicalJson } from "../../domain/canonical-json.ts";
import { withEdits, type JsonEdit, type JsonPath } from "../../domain/agents/json-edit.ts";
import type {
  ParsedSettings,
  SettingsText,
  TextPlace,
  UnreadText,
} from "../../ports/settings-text.ts";

const BOM = "\uFEFF";
const OPTIONS = { allowTrailingComma: true, allowEmptyContent: true } as const;

export class JsoncSettingsText implements SettingsText {
  parse(text: string): ParsedSettings {
    const body = withoutMark(text);
    const errors: ParseError[] = [];
    let root: Node | undefined;
    try {
      root = parseTree(body, errors, OPTIONS);
      const [error] = errors;
      if (error !== undefined) {
        return malformed(body, error.offset, inWords(printParseErrorCode(error.error)));
      }
      const twice = memberTwice(root) ?? memberTwice(root && findNodeAtLocation(root, ["hooks"]));
      if (twice !== undefined) {
        return malformed(body, twice.offset, `duplicate key ${JSON.stringify(twice.value)}`);
      }
      return { kind: "value", value: root === undefined ? undefined : valueOf(root) };
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      return malformed(body, 0, "it is nested too deeply");
    }
  }

  unread(text: string, reads: ReadonlySet<JsonExtra>): UnreadText | undefined {
    const body = withoutMark(text);
    if (body !== text && !reads.has("a byte order mark")) {
      return { what: "a byte order mark", place: { line: 1, column: 1 } };
    }
    const [error] = errorsIn(body, {
      allowEmptyContent: true,
      allowTrailingComma: reads.has("trailing commas"),
      disallowComments: !reads.has("comments"),
    });
    if (error === undefined) return undefined;
    const isComment = printParseErrorCode(error.error) === "InvalidCommentToken";
    return { what: isComment ? "comments" : "trailing commas", place: placeAt(body, error.offset) };
  }

  placeOf(text: string, path: JsonPath): TextPlace {
    const body = withoutMark(text);
    const root = parseTree(body, [], OPTIONS);
    const node = root && findNodeAtLocation(root, [...path]);
    return placeAt(body, node?.offset ?? root?.offset ?? 0);
  }

  edit(text: string, edits: readonly JsonEdit[]): string {
    const mark = text.startsWith(BOM) ? BOM : "";
    const before = withoutMark(text);
    const after = edits.reduce(edited, before);
    const parsed = this.parse(after);
    const expected = withEdits(valueOf(tree(before)), edits);
    if (parsed.kind === "malformed" || canonicalJson(parsed.value) !== canonicalJson(expected)) {
      throw new Error("the changed settings are not what they should be; nothing was written");
    }
    return mark + after;
  }
}

function withoutMark(text: string): string {
  return text.startsWith(BOM) ? text.slice(BOM.length) : text;
}

function errorsIn(text: string, options: ParseOptions): readonly ParseError[] {
  const errors: ParseError[] = [];
  parseTree(text, errors, options);
  return errors;
}

function valueOf(node: Node): unknown {
  return getNodeValue(node) as unknown;
}

function malformed(text: string, offset: number, message: string): ParsedSettings {
  return { kind: "malformed", message, place: placeAt(text, offset) };
}

/** `CommaExpected` becomes `comma expected`. */
function inWords(code: string): string {
  return code.replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter}`).toLowerCase();
}

function placeAt(text: string, offset: number): TextPlace {
  const lines = text.slice(0, offset).split(/\r\n|\n|\r/);
  return { line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 };
}

function memberTwice(node: Node | undefined): Node | undefined {
  const names = (node?.type === "object" ? (node.children ?? []) : []).flatMap(
    ({ children }) => children?.[0] ?? [],
  );
  return names.find(({ value }, at) => names.findIndex((name) => name.value === value) < at);
}

function tree(text: string): Node {
  const root = parseTree(text, [], OPTIONS);
  if (root === undefined) throw new Error("there is nothing to change in empty settings");
  return root;
}

function edited(text: string, edit: JsonEdit): string {
  const root = tree(text);
  const node = findNodeAtLocation(root, [...edit.path]);
  if (edit.kind === "remove") return node === undefined ? text : without(text, node);
  if (edit.kind === "append") return withLast(text, present(node), edit.value);
  if (node !== undefined) return replaced(text, node, JSON.stringify(edit.value));
  const holder = present(findNodeAtLocation(root, edit.path.slice(0, -1)));
  return withLast(text, holder, edit.value, String(edit.path.at(-1)));
}

function present(node: Node | undefined): Node {
  if (node === undefined) throw new Error("a place in the settings does not exist");
  return node;
}

const endOf = ({ offset, length }: Node): number => offset + length;

function replaced(text: string, node: Node, by: string): string {
  return text.slice(0, node.offset) + by + text.slice(endOf(node));
}

/** With one more item of a list, or member of an object, at its end. */
function withLast(text: string, holder: Node, value: unknown, name?: string): string {
  const last = holder.children?.at(-1);
  const close = endOf(holder) - 1;
  const label = name === undefined ? "" : `${JSON.stringify(name)}:`;
  const lastEnd = last === undefined ? holder.offset + 1 : endOf(last);
  const trailing = last === undefined ? undefined : commaAfter(text, lastEnd);
  const comma = last === undefined || trailing !== undefined ? "" : ",";
  // Who has a comma after the last one has it again after ours, and keeps theirs when ours goes.
  const after = trailing === undefined ? "" : ",";
  const isOneLine = !/[\r\n]/.test(text.slice(holder.offset, close));
  if (isOneLine && last !== undefined) {
    const gap = /[,:]\s/.test(text.slice(holder.offset, close)) ? " " : "";
    const item =
      comma + gap + label + (name === undefined ? "" : gap) + JSON.stringify(value) + after;
    const at = trailing === undefined ? lastEnd : trailing + 1;
    return text.slice(0, at) + item + text.slice(at);
  }
  const eol = /\r\n|\n|\r/.exec(text)?.[0] ?? "\n";
  const unit = indentUnit(text);
  const outer = indentAt(text, holder.offset);
  const inner =
    last !== undefined && beginsLine(text, last) ? indentAt(text, last.offset) : outer + unit;
  const body = JSON.stringify(value, null, unit).replaceAll("\n", eol + inner);
  const item = eol + inner + (name === undefined ? "" : `${label} `) + body + after;
  // After comments that follow the last one, before the space in front of the bracket; that of empty brackets stays behind the opening one.
  const isEmpty = text.slice(holder.offset + 1, close).trim() === "";
  const at = isEmpty ? close : text.slice(0, close).trimEnd().length;
  const closing = isEmpty ? eol + outer : text.slice(at, close);
  return (
    text.slice(0, lastEnd) + comma + text.slice(lastEnd, at) + item + closing + text.slice(close)
  );
}

/** The first level of indentation in the file. */
function indentUnit(text: string): string {
  return /[\r\n]([ \t]+)\S/.exec(text)?.[1] ?? "  ";
}

function indentAt(text: string, offset: number): string {
  const line = text.slice(lineStart(text, offset));
  return /^[ \t]*/.exec(line)?.[0] ?? "";
}

function beginsLine(text: string, { offset }: Node): boolean {
  return text.slice(lineStart(text, offset), offset).trim() === "";
}

function lineStart(text: string, offset: number): number {
  return Math.max(text.lastIndexOf("\n", offset - 1), text.lastIndexOf("\r", offset - 1)) + 1;
}

/** Without an item or a member; comments around it stay, and so does the space that `withLast` found. */
function without(text: string, value: Node): string {
  const holder = present(value.parent);
  const node = holder.type === "property" ? holder : value;
  const list = present(node.parent);
  const siblings = list.children ?? [];
  const previous = siblings[siblings.indexOf(node) - 1];
  const comma = commaAfter(text, endOf(node));
  const rest = text.slice(comma === undefined ? endOf(node) : comma + 1);
  const before =
    comma === undefined && previous !== undefined ? commaAfter(text, endOf(previous)) : undefined;
  const head =
    before === undefined
      ? text.slice(0, node.offset)
      : text.slice(0, before) + text.slice(before + 1, node.offset);
  const isEndOfLine = /^[^\S\r\n]*[\r\n]/.test(rest);
  const between = head.slice(previous === undefined ? list.offset + 1 : endOf(previous));
  // What follows on the same line must not become part of a comment.
  const isApart = isEndOfLine || !/\/\/[^\r\n]*$/.test(withoutGap(between));
  const isLast = isEndOfLine || /^\s*[\]}]/.test(rest);
  const isBeside = previous !== undefined && !beginsLine(text, node);
  const joined =
    (isLast || isBeside) && isApart ? withoutGap(head) + rest : head + rest.trimStart();
  return siblings.length === 1 ? closedUp(joined, list) : joined;
}

/** Without the line end and the space at its end that came with what followed. */
function withoutGap(text: string): string {
  return text.replace(/(?:\r\n|\n|\r)?[^\S\r\n]*$/, "");
}

/** Empty brackets without the line that was made for the closing one. */
function closedUp(text: string, { offset }: Node): string {
  const open = text.slice(0, offset + 1);
  const rest = text.slice(offset + 1);
  const space = /^\s*(?=[\]}])/.exec(rest)?.[0] ?? "";
  return open + withoutGap(space) + rest.slice(space.length);
}

/** Where the comma after this place is, if the next thing is one. */
function commaAfter(text: string, offset: number): number | undefined {
  const scanner = createScanner(text, true);
  scanner.setPosition(offset);
  scanner.scan();
  const at = scanner.getTokenOffset();
  return text[at] === "," ? at : undefined;
}
