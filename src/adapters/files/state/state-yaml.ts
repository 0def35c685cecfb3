/** State documents in YAML. Loads the `yaml` package, so only a text that is no JSON leads here. */
import { parseAllDocuments, parseDocument } from "yaml";
import { valueAt } from "../../../domain/state-keys.ts";

/** Each use of an alias counts; without an end, ten lines of YAML could become gigabytes. */
const MOST_ALIASES = 100;

/** As JSON has it: what has no place there is an error and not silently something else. */
export function readYaml(text: string): unknown {
  const documents = parseAllDocuments(text, { uniqueKeys: true, prettyErrors: true });
  const [document, second] = Array.isArray(documents) ? documents : [];
  if (document === undefined) throw new Error("there is nothing in it");
  if (second !== undefined) throw new Error("it has more than one document");
  const [error] = document.errors;
  if (error !== undefined) throw error;
  const value: unknown = document.toJS({ maxAliasCount: MOST_ALIASES });
  const json = JSON.stringify(value, (_key, member: unknown) => {
    const isLost =
      typeof member === "bigint" || (typeof member === "number" && !Number.isFinite(member));
    if (isLost) throw new Error("it has a number that JSON cannot hold");
    return member;
  }) as string | undefined;
  return json === undefined ? undefined : (JSON.parse(json) as unknown);
}

export interface WantedValue {
  readonly path: readonly string[];
  /** Undefined: it goes. */
  readonly value: unknown;
}

/** Comments, order and everything that is not named stay. */
export function patchYaml(text: string, now: unknown, wanted: readonly WantedValue[]): string {
  const document = parseDocument(text);
  for (const { path, value } of wanted) {
    if (value === undefined) document.deleteIn(path);
    else if (JSON.stringify(valueAt(now, path)) !== JSON.stringify(value)) {
      document.setIn(path, document.createNode(value));
    }
  }
  return document.toString();
}
