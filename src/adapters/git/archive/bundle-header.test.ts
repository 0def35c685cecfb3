import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { encodeHeader, parseHeader } from "./bundle-header.ts";

const hexadecimal = fc.constantFrom("0", "1", "9", "a", "f");
const oid = (length: number): fc.Arbitrary<string> =>
  fc.array(hexadecimal, { minLength: length, maxLength: length }).map((digits) => digits.join(""));
const name = fc.stringMatching(/^refs\/[a-z][a-z0-9/-]{0,40}$/);

describe("the header of a bundle", () => {
  it.each([
    ["sha1", 40],
    ["sha256", 64],
  ] as const)("comes back as it was written (%s)", (hash, length) => {
    fc.assert(
      fc.property(
        fc.array(oid(length)),
        fc.array(fc.record({ name, oid: oid(length) }), { minLength: 1 }),
        (basis, refs) => {
          const text = encodeHeader({ hash, basis, refs });
          const read = parseHeader(Buffer.from(`${text}PACK`));
          expect(read).toEqual({ header: { hash, basis, refs }, packAt: text.length });
        },
      ),
    );
  });

  it("is read or refused, whatever it says", () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        try {
          parseHeader(Buffer.from(`# v2 git bundle\n${text}`));
        } catch (error) {
          expect(error).toMatchObject({ code: "archive_refused" });
        }
      }),
    );
  });
});
