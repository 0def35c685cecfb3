import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LastLines } from "./last-lines.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

describe("the last lines of an output", () => {
  it("are whole ones, and what came after the last", () => {
    const lines = new LastLines(2);
    expect(lines.add(bytes("one"))).toBe(false);
    expect(lines.last).toBeUndefined();
    expect(lines.add(bytes(" line\ntwo\r\nthr"))).toBe(true);
    expect(lines.last).toBe("two");
    expect(lines.all()).toEqual(["two", "thr"]);
  });

  it("take a bar that is drawn again and again for lines", () => {
    const lines = new LastLines(5);
    lines.add(bytes("10%\r50%\r100%\r"));
    expect(lines.last).toBe("100%");
  });

  it("do not depend on where the output is cut, also in the middle of a character", () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: "grapheme" })), fc.nat(7), (texts, size) => {
        const whole = new LastLines(1000);
        const pieces = new LastLines(1000);
        const all = bytes(texts.map((text) => `${text.replaceAll(/[\r\n]/g, "")}\n`).join(""));
        whole.add(all);
        for (let at = 0; at < all.length; at += size + 1)
          pieces.add(all.subarray(at, at + size + 1));
        expect(pieces.all()).toEqual(whole.all());
      }),
    );
  });

  it("never grow without bound", () => {
    const lines = new LastLines(2);
    for (let part = 0; part < 100; part++) lines.add(bytes("x".repeat(1000)));
    expect((lines.all()[0] ?? "").length).toBeLessThan(10_000);
  });
});

describe("private keys in an output", () => {
  const body = Array.from(
    { length: 40 },
    (_, at) => `MIIEvQIBADANBgkqhkiG9w0BAQEFAASC${at}KcwggSj`,
  );
  const key = [
    ["-----BEGIN", "RSA PRIVATE KEY-----"].join(" "),
    "Proc-Type: 4,ENCRYPTED",
    "",
    ...body,
    "AB==",
    ["-----END", "RSA PRIVATE KEY-----"].join(" "),
  ].join("\n");

  it("[R129] are in none of the lines, wherever the output is cut and ends", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 90 }), fc.nat(key.length), (size, end) => {
        const lines = new LastLines(10);
        const all = bytes(`before\n${key.slice(0, end)}`);
        for (let at = 0; at < all.length; at += size) {
          lines.add(all.subarray(at, at + size));
          expect(`${lines.last ?? ""} ${lines.all().join(" ")}`).not.toContain("MIIEvQ");
        }
      }),
    );
  });

  it("hide nothing that comes after them", () => {
    const lines = new LastLines(10);
    lines.add(bytes(`${key}\nthe next line\n0123456789abcdef0123456789abcdef\n`));
    expect(lines.all().slice(-2)).toEqual(["the next line", "0123456789abcdef0123456789abcdef"]);
  });
});
