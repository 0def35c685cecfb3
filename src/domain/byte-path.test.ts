import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  ancestorsOf,
  asBytePath,
  comparePaths,
  decodeUtf8,
  encodeUtf8,
  isInside,
  joinPath,
  nameOf,
  parentOf,
  shortened,
  parsePath,
  ROOT,
  showPath,
} from "./byte-path.ts";

const bytes = fc.uint8Array({ minLength: 1, maxLength: 24 }).map((array) => Buffer.from(array));
/** Bytes that matter to the quoting, so that they come often. */
const awkward = fc
  .array(
    fc.constantFrom('"', "\\", "/", "\n", "\t", "\x7f", "a", "0", "ü", "\u202e", "\xff", "\x80"),
    { minLength: 1, maxLength: 8 },
  )
  .map((parts) => Buffer.concat(parts.map((part) => Buffer.from(part, pick(part)))));
const path = fc.oneof(bytes, awkward).map((buffer) => asBytePath(buffer.toString("latin1")));

function pick(part: string): BufferEncoding {
  return part === "\xff" || part === "\x80" ? "latin1" : "utf8";
}

describe("showPath and parsePath", () => {
  it("give back any sequence of bytes", () => {
    fc.assert(fc.property(path, (bytePath) => parsePath(showPath(bytePath)) === bytePath));
  });

  it("show no byte that moves the cursor or reorders the line", () => {
    // oxlint-disable-next-line no-control-regex
    const hazard = /[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/;
    fc.assert(fc.property(path, (bytePath) => !hazard.test(showPath(bytePath))));
  });

  it("give two paths two different forms", () => {
    fc.assert(
      fc.property(
        path,
        path,
        (left, right) => left === right || showPath(left) !== showPath(right),
      ),
    );
  });

  it.each([
    ["a plain name", "src/a b.ts", "src/a b.ts"],
    ["UTF-8", encodeUtf8("grün/日本.txt"), "grün/日本.txt"],
    ["a byte that is no UTF-8", "caf\xe9", '"caf\\351"'],
    ["a line break", "a\nb", '"a\\nb"'],
    ["a quote at the beginning", '"a"', '"\\"a\\""'],
    ["a quote further on", 'a"b"', 'a"b"'],
    ["a backslash", "a\\b", "a\\b"],
    ["a text that turns the line round", encodeUtf8("a\u202eb"), '"a\\342\\200\\256b"'],
    ["a byte order mark", encodeUtf8("\ufeffa"), "\ufeffa"],
  ])("show %s as git does, or as it is", (_what, bytePath, shown) => {
    expect(showPath(asBytePath(bytePath))).toBe(shown);
    expect(parsePath(shown)).toBe(bytePath);
  });

  it("take text in quotes that is no quoted path for the name itself", () => {
    expect(parsePath('"a\\qb"')).toBe('"a\\qb"');
    expect(parsePath('"')).toBe('"');
    expect(parsePath('"a"b"')).toBe('"a"b"');
  });
});

describe("the order of paths", () => {
  it("is the order of their bytes", () => {
    fc.assert(
      fc.property(bytes, bytes, (left, right) => {
        const order = comparePaths(left.toString("latin1"), right.toString("latin1"));
        expect(order).toBe(Buffer.compare(left, right));
      }),
    );
  });
});

describe("UTF-8", () => {
  it("is decoded only where the bytes are valid", () => {
    expect(decodeUtf8(encodeUtf8("a\u0000ü😀"))).toBe("a\u0000ü😀");
    expect(decodeUtf8("\xc3")).toBeUndefined();
    // An overlong slash.
    expect(decodeUtf8("\xc0\xaf")).toBeUndefined();
    // Half of a surrogate pair.
    expect(decodeUtf8("\xed\xa0\x80")).toBeUndefined();
  });
});

describe("parts of a path", () => {
  it("are its folder and its name", () => {
    expect([parentOf(asBytePath("a/b/c")), nameOf(asBytePath("a/b/c"))]).toEqual(["a/b", "c"]);
    expect([parentOf(asBytePath("c")), nameOf(asBytePath("c"))]).toEqual([ROOT, "c"]);
    expect(joinPath(asBytePath("a/b"), "c")).toBe("a/b/c");
    expect(joinPath(ROOT, "c")).toBe("c");
  });

  it("are all folders above it, nearest first, without the root", () => {
    expect(ancestorsOf(asBytePath("a/b/c"))).toEqual(["a/b", "a"]);
    expect(ancestorsOf(asBytePath("a"))).toEqual([]);
  });

  it.each([
    ["a/b", "a", true],
    ["a", "a", true],
    ["a", "", true],
    ["ab", "a", false],
    ["a", "a/b", false],
    ["a.b", "a", false],
  ])("say whether %j is inside %j: %s", (inner, outer, expected) => {
    expect(isInside(asBytePath(inner), asBytePath(outer))).toBe(expected);
  });
});

describe("a very long path", () => {
  it("is shown by its beginning and its end", () => {
    const path = `begin/${"d".repeat(5000)}/end`;
    expect(shortened(path)).toMatch(/^begin\/d+…d+\/end$/);
    expect(shortened(path).length).toBeLessThan(310);
    expect(shortened("a/b")).toBe("a/b");
  });
});
