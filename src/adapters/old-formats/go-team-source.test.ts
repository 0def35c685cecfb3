import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { hasRightChecksum } from "./go-team-source.ts";

const RECORD = { step: 1, name: "é\u{1f600}", list: [1, { b: null, a: true }] };
const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

describe("the checksum of a go-team record", () => {
  it.each([
    ["compact", JSON.stringify(RECORD)],
    ["indented", JSON.stringify(RECORD, null, 2)],
    ["with a line end", `${JSON.stringify(RECORD, null, 2)}\n`],
    ["sorted", String.raw`{"list":[1,{"a":true,"b":null}],"name":"é😀","step":1}`],
    [
      "as Python writes it",
      String.raw`{"step": 1, "name": "\u00e9\ud83d\ude00", "list": [1, {"b": null, "a": true}]}`,
    ],
    [
      "as Python writes it sorted",
      String.raw`{"list": [1, {"a": true, "b": null}], "name": "\u00e9\ud83d\ude00", "step": 1}`,
    ],
  ])("is right when it is of the text %s", (_, text) => {
    expect(hasRightChecksum({ ...RECORD, checksum: sha256(text) })).toBe(true);
    expect(hasRightChecksum({ ...RECORD, checksum: `sha256:${sha256(text)}` })).toBe(true);
    expect(hasRightChecksum({ ...RECORD, step: 2, checksum: sha256(text) })).toBe(false);
  });

  it("is not asked for where there is none", () => {
    expect(hasRightChecksum(RECORD)).toBe(true);
  });
});
