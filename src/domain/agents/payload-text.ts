/** The text of a payload as a value, also where a part of it is all there is. */

/** Undefined: nothing can be made of it. */
export function parsePayload(text: string, isCut: boolean): unknown {
  const json = text.startsWith("\uFEFF") ? text.slice(1) : text;
  if (isCut) return fieldsAtTheBeginning(json);
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

/** Agents say who and what before what a tool is called with, which is what makes a payload long. */
const HEAD = 20_000;
const SHORT_FIELD = /"([a-zA-Z_]{1,40})"\s*:\s*("(?:[^"\\]|\\.){0,2000}")/g;

function fieldsAtTheBeginning(json: string): Record<string, unknown> {
  const fields = new Map<string, unknown>();
  for (const [, name = "", value = ""] of json.slice(0, HEAD).matchAll(SHORT_FIELD)) {
    if (fields.has(name)) continue;
    try {
      fields.set(name, JSON.parse(value));
    } catch {
      // No text of JSON.
    }
  }
  return Object.fromEntries(fields);
}
