import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parsePayload } from "./payload-text.ts";

describe("the text of a payload", () => {
  it("may begin with a byte order mark", () => {
    expect(parsePayload('\uFEFF{"a": 1}\r\n', false)).toEqual({ a: 1 });
  });

  it("is nothing when it is no JSON", () => {
    expect(parsePayload("", false)).toBeUndefined();
    expect(parsePayload('{"a"', false)).toBeUndefined();
  });

  it("of a part, says what comes before that which is long", () => {
    const text = JSON.stringify({
      session_id: 's "1"',
      cwd: "/a b",
      tool_name: "Write",
      tool_input: { file_path: "x", content: "y".repeat(30_000) },
    });
    expect(parsePayload(text.slice(0, 25_000), true)).toEqual({
      session_id: 's "1"',
      cwd: "/a b",
      tool_name: "Write",
      file_path: "x",
    });
  });

  it("never throws", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.boolean(), (text, isCut) => {
        parsePayload(text, isCut);
        parsePayload(`{"a":"${text}","b":"c"`, isCut);
      }),
    );
  });
});
