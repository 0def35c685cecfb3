/** Changes of a JSON document, one after the other: each path is meant as the document is by then. */
export type JsonPath = readonly (string | number)[];

export type JsonEdit =
  /** At the end of a list that is there. */
  | { readonly kind: "append"; readonly path: JsonPath; readonly value: unknown }
  /** A member of an object that is there: in its place, or as the last one. */
  | { readonly kind: "set"; readonly path: JsonPath; readonly value: unknown }
  | { readonly kind: "remove"; readonly path: JsonPath };

/** Why a document is not what it has to be, and where. */
export interface JsonProblem {
  readonly path: JsonPath;
  readonly message: string;
}

/** The document after these changes, for a check of what became of its text. */
export function withEdits(root: unknown, edits: readonly JsonEdit[]): unknown {
  const copy: unknown = structuredClone(root);
  for (const edit of edits) {
    const isAppended = edit.kind === "append";
    const holder = at(copy, isAppended ? edit.path : edit.path.slice(0, -1));
    const name = edit.path.at(-1) ?? "";
    if (isAppended) (holder as unknown[]).push(edit.value);
    else if (edit.kind === "set") (holder as Record<string, unknown>)[name] = edit.value;
    else if (Array.isArray(holder)) holder.splice(Number(name), 1);
    else delete (holder as Record<string, unknown>)[name];
  }
  return copy;
}

function at(root: unknown, path: JsonPath): unknown {
  return path.reduce<unknown>(
    (value, name) => (value as Readonly<Record<string, unknown>>)[name],
    root,
  );
}
