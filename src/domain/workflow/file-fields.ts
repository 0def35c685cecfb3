/** One map of a workflow file: hands out values by key, and reports keys that nobody knows and those that are missing. */
import { isNothing, plain, type Place, type RawEntry, type RawNode } from "../config-check.ts";
import { nearestName } from "../nearest-name.ts";
import { LEVELS, type FileKey, type ListKey, type MapLevel } from "./file-keys.ts";
import type { FileProblems } from "./file-problems.ts";
import { wrongText } from "./value-kinds.ts";

type MapNode = RawNode & { readonly kind: "map" };

/** Undefined: it is no map, and that was reported. */
export function fieldsOf(
  node: RawNode,
  level: MapLevel,
  problems: FileProblems,
): FileFields | undefined {
  if (node.kind === "map") return new FileFields(node, level, problems);
  const what = isNothing(node) ? "this is empty" : "this is not a map";
  problems.add(node, `${what}; ${level.what} is a map of keys, such as ${level.example}`);
  return undefined;
}

export class FileFields {
  readonly #node: MapNode;
  readonly #level: MapLevel;
  readonly #problems: FileProblems;

  constructor(node: MapNode, level: MapLevel, problems: FileProblems) {
    this.#node = node;
    this.#level = level;
    this.#problems = problems;
    for (const entry of node.entries) if (!level.names.includes(entry.key)) this.#unknown(entry);
  }

  /** Undefined: it is not there, or it is wrong and was reported. */
  take<Value>({ name, kind }: FileKey<Value>): Value | undefined {
    const entry = this.entry(name);
    return entry === undefined ? undefined : kind.read(entry.value, name, this.#problems);
  }

  /** The same for a key that has to be there. */
  need<Value>(key: FileKey<Value>): Value | undefined {
    if (this.entry(key.name) === undefined) this.#missing(key.name, key.kind.takes);
    return this.take(key);
  }

  /** What is in a list that has to be there and have something in it. */
  items({ name, takes, most }: ListKey): readonly RawNode[] {
    const entry = this.entry(name);
    if (entry === undefined) return this.#missing(name, takes);
    const { value } = entry;
    if (value.kind === "list" && value.items.length > 0) {
      if (value.items.length > most) {
        this.#problems.add(
          entry,
          `there are ${value.items.length} ${name}; at most ${most} are allowed`,
        );
      }
      return value.items.slice(0, most);
    }
    const isEmpty = value.kind === "list" || isNothing(value);
    this.#problems.add(
      entry,
      isEmpty ? `${name} is empty; it takes ${takes}` : wrongText(plain(value), name, takes),
    );
    return [];
  }

  entry(name: string): RawEntry | undefined {
    return this.#node.entries.find(({ key }) => key === name);
  }

  /** Where a value is, or else the map. */
  placeOf({ name }: { readonly name: string }): Place {
    return this.entry(name)?.value ?? this.#node;
  }

  #missing(name: string, takes: string): readonly RawNode[] {
    this.#problems.add(this.#node, `${this.#level.what} needs ${name}: ${takes}`);
    return [];
  }

  #unknown(entry: RawEntry): void {
    const { what, names } = this.#level;
    const elsewhere = LEVELS.find((level) => level.names.includes(entry.key));
    const nearest = nearestName(entry.key, names);
    const meant =
      elsewhere !== undefined
        ? `; it belongs to ${elsewhere.what}`
        : nearest !== undefined
          ? `; did you mean ${nearest}?`
          : `; ${what} has ${names.join(", ")}`;
    this.#problems.add(entry, `unknown key ${entry.key} in ${what}${meant}`);
  }
}
