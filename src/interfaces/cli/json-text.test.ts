import { describe, expect, it } from "vitest";
import { jsonText } from "./json-text.ts";

describe("a document as JSON", () => {
  it("has no control character, and says the same", () => {
    const document = { path: "a\u009b31mb\u007f\u001b[0mé", list: ["\u0080"] };
    const text = jsonText(document);
    expect(text).not.toMatch(/\p{Cc}/u);
    expect(JSON.parse(text)).toEqual(document);
  });
});
