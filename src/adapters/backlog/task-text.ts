/**
 * The text of a task's file. Its front matter is read key by key, so that a mistake in one does not hide the others, and
 * only the text of what changes is exchanged: comments, order, line ends and style of the rest stay.
 */
import { isScalar, isSeq, parseDocument, type Scalar } from "yaml";
import { isSameList } from "../../domain/task.ts";
import { listIn, scalarText, type Quote } from "./yaml-text.ts";

/** Why a file cannot be read as a task; the message says it. */
export class NoTask extends Error {}

interface Region {
  readonly key: string;
  readonly text: string;
}

export interface TaskFields {
  readonly id: string | null;
  readonly status: string | null;
  readonly labels: readonly string[];
  readonly assignee: readonly string[];
}

/** Those that every edit changes, or that are compared by themselves. */
const OWN_KEYS = ["status", "labels", "assignee", "updated_date"];

export class TaskText {
  readonly fields: TaskFields;
  readonly #before: Buffer;
  readonly #regions: readonly Region[];
  readonly #after: Buffer;

  constructor(bytes: Buffer) {
    const { begin, end } = frontMatter(bytes);
    this.#before = bytes.subarray(0, begin);
    this.#after = bytes.subarray(end);
    this.#regions = regionsOf(decoded(bytes.subarray(begin, end)));
    this.fields = {
      id: this.#scalar("id"),
      status: this.#scalar("status"),
      labels: this.#list("labels"),
      assignee: this.#assignee(),
    };
  }

  /** The file with this status and these labels, and all else as it is. */
  with(status: string | null, labels: readonly string[]): Buffer {
    const regions = this.#withLabels(this.#withStatus(this.#regions, status), labels);
    const head = regions.map(({ text }) => text).join("");
    const bytes = Buffer.concat([this.#before, Buffer.from(head), this.#after]);
    const { fields } = new TaskText(bytes);
    if (fields.status !== status || !isSameList(fields.labels, labels)) {
      throw new NoTask("its status and labels are written in a way that cannot be changed safely");
    }
    return bytes;
  }

  /** What is left without what a rollback changes, and what is reported by itself. */
  rest(): Buffer {
    const others = this.#regions.filter(({ key }) => !OWN_KEYS.includes(key));
    return Buffer.concat([Buffer.from(others.map(({ text }) => text).join("")), this.#after]);
  }

  #region(key: string): Region | undefined {
    const [first, second] = this.#regions.filter((region) => region.key === key);
    if (second !== undefined) throw new NoTask(`it has the key ${key} twice`);
    return first;
  }

  #scalar(key: string): string | null {
    const region = this.#region(key);
    if (region === undefined) return null;
    const node = valueOf(region);
    if (node === null || (isScalar(node) && node.value === null)) return null;
    if (!isScalar(node)) throw new NoTask(`its ${key} is not a string`);
    return textOf(node);
  }

  #list(key: string): string[] {
    const region = this.#region(key);
    if (region === undefined) return [];
    const node = valueOf(region);
    if (node === null) return [];
    if (isScalar(node)) return node.value === null ? [] : [textOf(node)];
    if (!isSeq(node) || !node.items.every((item) => isScalar(item))) {
      throw new NoTask(`its ${key} are not a list of strings`);
    }
    return node.items.map((item) => textOf(item));
  }

  /** Backlog.md takes `assignee: @name`, which is no YAML. */
  #assignee(): string[] {
    try {
      return this.#list("assignee");
    } catch (error) {
      if (!(error instanceof NoTask)) throw error;
      const text = this.#region("assignee")?.text.replace(/^assignee\s*:/, "") ?? "";
      return text
        .split(/[,\n]/)
        .map((name) => name.replace(/^\s*-\s+/, "").trim())
        .filter((name) => name !== "");
    }
  }

  #withStatus(regions: readonly Region[], status: string | null): readonly Region[] {
    if (status === this.fields.status) return regions;
    if (status === null) return regions.filter(({ key }) => key !== "status");
    const region = this.#region("status");
    if (region === undefined) return this.#added(regions, "status", ` ${scalarText(status, "")}`);
    return replaced(regions, "status", exchangeScalar(region.text, valueOf(region), status));
  }

  #withLabels(regions: readonly Region[], labels: readonly string[]): readonly Region[] {
    if (isSameList(labels, this.fields.labels)) return regions;
    const region = this.#region("labels");
    const eol = this.#eol();
    if (region === undefined) return this.#added(regions, "labels", listIn("", [], labels, eol));
    const node = valueOf(region);
    const text = region.text;
    if (isSeq(node) && node.flow === true && node.range) {
      const flow = `[${labels.map((label) => scalarText(label, "")).join(", ")}]`;
      const [start, end] = node.range;
      return replaced(regions, "labels", text.slice(0, start) + flow + text.slice(end));
    }
    const [head = ""] = text.match(/^.*?(?:\r?\n|$)/) ?? [];
    const isList = isSeq(node);
    const comment = /\s#.*$/.exec(head.trimEnd())?.[0] ?? "";
    const value = listIn(
      isList ? text.slice(head.length) : "",
      isList ? this.fields.labels : [],
      labels,
      eol,
    );
    return replaced(regions, "labels", `labels:${withComment(value, comment, eol)}`);
  }

  #added(regions: readonly Region[], key: string, value: string): readonly Region[] {
    const eol = this.#eol();
    const text = `${key}:${value}${value.endsWith("\n") ? "" : eol}`;
    const above = regions.findLastIndex((region) => ["id", "title", "status"].includes(region.key));
    const at = above < 0 ? regions.length : above + 1;
    return regions.toSpliced(at, 0, { key, text });
  }

  #eol(): string {
    return this.#before.includes("\r\n") ? "\r\n" : "\n";
  }
}

function withComment(value: string, comment: string, eol: string): string {
  const line = value.indexOf(eol);
  return value.slice(0, line) + comment + value.slice(line);
}

function replaced(regions: readonly Region[], key: string, text: string): readonly Region[] {
  return regions.map((region) => (region.key === key ? { key, text } : region));
}

/** In the quotes that it is written in now. */
function exchangeScalar(text: string, node: unknown, value: string): string {
  if (isScalar(node) && node.value !== null && node.range) {
    const [start, end] = node.range;
    const old = text.slice(start, end);
    const quote: Quote = old.startsWith("'") ? "'" : old.startsWith('"') ? '"' : "";
    const lineEnd = /\r?\n$/.exec(old)?.[0] ?? "";
    return text.slice(0, start) + scalarText(value, quote) + lineEnd + text.slice(end);
  }
  return text.replace(
    /^(\w+\s*:)[ \t]*(?:~|null\b)?/i,
    (_all, key: string) => `${key} ${scalarText(value, "")}`,
  );
}

function textOf(node: Scalar): string {
  return typeof node.value === "string" ? node.value : (node.source ?? String(node.value));
}

/** What stands after the colon; null: nothing. */
function valueOf({ key, text }: Region): unknown {
  const document = parseDocument(text, { prettyErrors: false });
  const [error] = document.errors;
  if (error !== undefined) throw new NoTask(`its ${key} cannot be read: ${error.message}`);
  return document.get(key, true) ?? null;
}

const MARK = /^---[ \t]*(?:\r?\n|$)/;
const BYTE_ORDER_MARK = "\u{ef}\u{bb}\u{bf}";

/** Where it begins and ends, without its marks. */
function frontMatter(bytes: Buffer): { begin: number; end: number } {
  const text = bytes.toString("latin1");
  const from = text.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK.length : 0;
  const begin = from + (MARK.exec(text.slice(from))?.[0].length ?? 0);
  if (begin === from) throw new NoTask("it does not begin with front matter (---)");
  for (let end = begin; end < text.length;) {
    if (MARK.test(text.slice(end, end + 80))) return { begin, end };
    const next = text.indexOf("\n", end);
    if (next < 0) break;
    end = next + 1;
  }
  throw new NoTask("its front matter has no end (---)");
}

function decoded(bytes: Buffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new NoTask("its front matter is not UTF-8");
  }
}

const KEY = /^([A-Za-z_][\w-]*)\s*:(?=\s|$)/;

/** A line that names a key, with all lines up to the next one. */
function regionsOf(head: string): Region[] {
  const regions: { key: string; text: string }[] = [];
  for (const line of head.match(/[^\n]*\n|[^\n]+$/g) ?? []) {
    const key = KEY.exec(line)?.[1];
    const last = regions.at(-1);
    if (key !== undefined) regions.push({ key, text: line });
    else if (last === undefined) regions.push({ key: "", text: line });
    else last.text += line;
  }
  return regions;
}
