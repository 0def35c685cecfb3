import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canonicalJson } from "./canonical-json.ts";

describe("canonicalJson", () => {
  it("sorts keys at every depth and writes no white space", () => {
    expect(canonicalJson({ b: [{ d: 1, c: null }], a: "x y" })).toBe(
      '{"a":"x y","b":[{"c":null,"d":1}]}',
    );
  });

  it("is the same for the same value, in whatever order its keys came", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
        const reversed = Object.fromEntries(Object.entries(value).toReversed());
        expect(canonicalJson(reversed)).toBe(canonicalJson(value));
      }),
    );
  });

  it("is JSON of the same value", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  it("does not change when a value goes through a file: what JSON drops does not count", () => {
    const value = { gone: undefined, list: [undefined, 1], none: Number.NaN, zero: -0, big: 1e21 };
    expect(canonicalJson(value)).toBe(canonicalJson(JSON.parse(JSON.stringify(value))));
    expect(canonicalJson(value)).toBe('{"big":1e+21,"list":[null,1],"none":null,"zero":0}');
  });

  it("sees a key named __proto__", () => {
    expect(canonicalJson(JSON.parse('{"__proto__":{"a":1}}'))).toBe('{"__proto__":{"a":1}}');
  });

  // A checkpoint with such metrics is published with a checksum that its own text does not have.
  it("does not change either for what JSON writes in a form of its own, such as dates", () => {
    const value = { at: new Date(0) };
    expect(canonicalJson(value)).toBe(canonicalJson(JSON.parse(JSON.stringify(value))));
  });
});
