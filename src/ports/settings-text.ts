/**
 * The text of an agent's settings: JSON in which people also write comments and commas too many. A change leaves every byte alone that it is not about:
 * comments, order, indentation, line ends, a byte order mark, a missing last newline.
 */
import type { JsonExtra } from "../domain/agents/hook-table.ts";
import type { JsonEdit, JsonPath } from "../domain/agents/json-edit.ts";

export interface TextPlace {
  /** Both from 1. */
  readonly line: number;
  readonly column: number;
}

export type ParsedSettings =
  /** Undefined: there is nothing in it but space and comments. */
  | { readonly kind: "value"; readonly value: unknown }
  | { readonly kind: "malformed"; readonly message: string; readonly place: TextPlace };

/** What an agent cannot read in its settings. */
export interface UnreadText {
  readonly what: JsonExtra;
  readonly place: TextPlace;
}

export interface SettingsText {
  /** A member that an object has twice is malformed: which of them counts is anybody's guess. */
  parse(text: string): ParsedSettings;
  /** The first that is not plain JSON and that the agent does not read. Of text that can be parsed. */
  unread(text: string, reads: ReadonlySet<JsonExtra>): UnreadText | undefined;
  /** Where the value is, or the member whose value it is. */
  placeOf(text: string, path: JsonPath): TextPlace;
  /** Of text that can be parsed and is not empty. */
  edit(text: string, edits: readonly JsonEdit[]): string;
}
