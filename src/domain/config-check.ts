/** Checks what a configuration file says: settings that it makes, what is wrong, and what nobody knows. Pure. */
import {
  AGENT_SECTION,
  ALL_KEYS,
  allowedText,
  isAllowedItem,
  isOfOneAgent,
  keyAt,
  KEYS,
  SECTIONS,
  SHORTHANDS,
  type Key,
  type SettingValue,
} from "./config-keys.ts";
import { editsBetween, nearestName } from "./nearest-name.ts";

/** What a file says and where: lines and columns count from 1. */
export type RawNode =
  | (Place & { readonly kind: "scalar"; readonly value: string | number | boolean | null })
  | (Place & { readonly kind: "list"; readonly items: readonly RawNode[] })
  | (Place & { readonly kind: "map"; readonly entries: readonly RawEntry[] });

export interface RawEntry extends Place {
  readonly key: string;
  readonly value: RawNode;
}

export interface Place {
  readonly line: number;
  readonly column: number;
}

export interface FoundSetting extends Place {
  readonly key: string;
  readonly value: SettingValue;
}

/** Something to change in a file or a variable before its settings can be used. */
export interface ConfigProblem {
  /** As in the layer. */
  readonly file: string;
  readonly line: number | null;
  readonly column: number | null;
  /** Null: the file as a whole. */
  readonly key: string | null;
  readonly value: unknown;
  readonly message: string;
}

/** What one file, or one variable of the environment, has to say. */
export interface ConfigLayer {
  readonly source: "file" | "environment";
  /** Who decided it: the user, or whoever wrote the files of the project. */
  readonly owner: "user" | "project";
  /** The file, relative to the project or, of the user's own, as a whole; or the name of the variable. */
  readonly file: string;
  readonly settings: readonly FoundSetting[];
  readonly problems: readonly ConfigProblem[];
  readonly warnings: readonly string[];
  /** Settings of other tools that mean nothing here, and why: for `waymark config`, not for every command. */
  readonly notes?: readonly string[];
}

/** Collects what is found in one file. */
export class LayerDraft {
  readonly #file: string;
  readonly settings: FoundSetting[] = [];
  readonly problems: ConfigProblem[] = [];
  readonly warnings: string[] = [];
  readonly notes: string[] = [];

  constructor(file: string) {
    this.#file = file;
  }

  /** Reads the node as the value of these keys. A key with nothing after it is as good as not there. */
  take(keys: readonly Key[], node: RawNode, shownAs: string): void {
    if (isNothing(node)) return;
    for (const key of keys) {
      const value = key.read(plain(node));
      if (value === undefined) return this.#wrongValue(key, node, shownAs);
      this.settings.push({ key: key.path, value, line: node.line, column: node.column });
    }
  }

  problem(node: Place, key: string | null, message: string, value: unknown = null): void {
    const { line, column } = node;
    this.problems.push({
      file: this.#file,
      line,
      column,
      key,
      value,
      message: `${this.#file}:${line}:${column}: ${message}`,
    });
  }

  unknown({ line, column }: Place, path: string, nearest: string | undefined): void {
    const meant = nearest === undefined ? "" : `; did you mean ${nearest}?`;
    this.warnings.push(`${this.#file}:${line}:${column}: unknown setting ${path}${meant}`);
  }

  warn({ line, column }: Place, message: string): void {
    this.warnings.push(`${this.#file}:${line}:${column}: ${message}`);
  }

  note({ line, column }: Place, message: string): void {
    this.notes.push(`${this.#file}:${line}:${column}: ${message}`);
  }

  layer(): ConfigLayer {
    const { settings, problems, warnings, notes } = this;
    const found = { settings, problems, warnings, notes };
    return { source: "file", owner: "project", file: this.#file, ...found };
  }

  #wrongValue(key: Key, node: RawNode, shownAs: string): void {
    // Of a long list, the line of the item that is wrong.
    const item =
      node.kind === "list"
        ? node.items.find((each) => !isAllowedItem(key.kind, plain(each)))
        : undefined;
    const value = plain(item ?? node);
    const what = item === undefined ? shownAs : `an item of ${shownAs}`;
    this.problem(
      item ?? node,
      key.path,
      `${what} cannot be ${shown(value)}; it takes ${allowedText(key.kind)}`,
      value,
    );
  }
}

export function checkOwnFile(file: string, root: RawNode): ConfigLayer {
  const draft = new LayerDraft(file);
  if (root.kind === "map") checkEntries(draft, root.entries, "");
  else if (!isNothing(root)) {
    draft.problem(root, null, `the file must be a map of settings, such as "strategy: smart"`);
  }
  return draft.layer();
}

function checkEntries(draft: LayerDraft, entries: readonly RawEntry[], prefix: string): void {
  const given = new Set(entries.map((entry) => prefix + entry.key));
  for (const entry of entries) {
    const path = prefix + entry.key;
    const { value } = entry;
    const shorthand = SHORTHANDS.find((each) => each.path === path);
    const key = keyAt(path);
    if (shorthand !== undefined) {
      const keys = shorthand.keys.filter((each) => !given.has(each.path));
      draft.take(keys, value, path);
    } else if (key !== undefined) {
      if (prefix === `${AGENT_SECTION}.`) warnOfSlip(draft, entry);
      takeKey(draft, key, value, path);
    } else if (Object.hasOwn(SECTIONS, path)) {
      checkSection(draft, path, value);
    } else {
      draft.unknown(entry, path, nearestKey(path));
    }
  }
}

function checkSection(draft: LayerDraft, path: string, node: RawNode): void {
  if (node.kind === "map") checkEntries(draft, node.entries, `${path}.`);
  else if (!isNothing(node)) {
    const one = ALL_KEYS.find((key) => key.path.startsWith(`${path}.`));
    const value = plain(node);
    draft.problem(
      node,
      path,
      `${path} cannot be ${shown(value)}; it is a section with keys such as ${one?.path ?? path}`,
      value,
    );
  }
}

/** An agent's policy may be a section of its own: `claude: {policy: fail_closed}`. */
function takeKey(draft: LayerDraft, key: Key, node: RawNode, path: string): void {
  if (isOfOneAgent(path) && node.kind === "map") checkEntries(draft, node.entries, `${path}.`);
  else draft.take([key], node, path);
}

/** `polcy` would be taken as the name of an agent without a word. */
function warnOfSlip(draft: LayerDraft, entry: RawEntry): void {
  const path = `${AGENT_SECTION}.${entry.key}`;
  if (!isOfOneAgent(path)) return;
  const meant = [KEYS.agentPolicy, KEYS.agentDeadline].find(
    (key) => editsBetween(path, key.path) <= 2,
  );
  if (meant === undefined) return;
  draft.warn(entry, `${path} is taken as an agent's name; did you mean ${meant.path}?`);
}

/** By the whole path, or a key of that very name elsewhere. */
export function nearestKey(path: string): string | undefined {
  const known = [...ALL_KEYS, ...SHORTHANDS].map((key) => key.path);
  const name = lastPart(path);
  const near = nearestName(path, [...known, ...Object.keys(SECTIONS)]);
  // Where the section is right, its length makes any two names look alike.
  const isSlip = near !== undefined && nearestName(name, [lastPart(near)]) !== undefined;
  return (
    (isSlip ? near : undefined) ??
    known.find((candidate) => lastPart(candidate) === name) ??
    known.find((candidate) => lastPart(candidate) === nearestName(name, known.map(lastPart)))
  );
}

function lastPart(path: string): string {
  return path.slice(path.lastIndexOf(".") + 1);
}

export function isNothing(node: RawNode): boolean {
  return node.kind === "scalar" && node.value === null;
}

export function plain(node: RawNode): unknown {
  switch (node.kind) {
    case "scalar":
      return node.value;
    case "list":
      return node.items.map(plain);
    case "map":
      return Object.fromEntries(node.entries.map((entry) => [entry.key, plain(entry.value)]));
  }
}

const MOST_SHOWN = 60;

export function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text;
}
