/** A document as JSON that does nothing to a terminal: JSON itself lets DEL and the controls behind it through, which begin commands too. */
export function jsonText(document: unknown, indent?: number): string {
  const text = JSON.stringify(document, null, indent);
  return text.replace(
    CONTROLS,
    (control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** Those below U+0020 are escaped by JSON. */
const CONTROLS = /[\u007f-\u009f]/g;
