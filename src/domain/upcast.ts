/**
 * Reads documents of older versions as if they were of the present one. One named step for each version that there
 * was: it gets a document of its version and gives one of the next. What is stored is never rewritten.
 */
type Document = Readonly<Record<string, unknown>>;

export type UpcastSteps = Readonly<Record<number, (document: Document) => Document>>;

/** Version 1 is the first one, so there is nothing older to read yet. */
export const CHECKPOINT_STEPS: UpcastSteps = {};
export const SESSION_STEPS: UpcastSteps = {};

/** Undefined when a step is missing: no Waymark ever wrote such a version. */
export function upcast(
  document: Document,
  from: number,
  to: number,
  steps: UpcastSteps,
): Document | undefined {
  let current: Document = document;
  for (let version = from; version < to; version++) {
    const step = steps[version];
    if (step === undefined) return undefined;
    current = { ...step(current), schema_version: version + 1 };
  }
  return current;
}
