import { Readable } from "node:stream";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LineLimit } from "./line-limit.ts";

async function through(chunks: readonly string[], most: number) {
  let tooLong = 0;
  let noJson = 0;
  const limit = new LineLimit(most, {
    onTooLong: () => (tooLong += 1),
    onNoJson: () => (noJson += 1),
  });
  const got: Buffer[] = [];
  for await (const piece of Readable.from(chunks.map((text) => Buffer.from(text))).pipe(limit)) {
    got.push(piece as Buffer);
  }
  return { text: Buffer.concat(got).toString(), tooLong, noJson };
}

describe("lines with a limit", () => {
  it("[R114] leave out those that are too long, wherever they are cut, and keep the rest", async () => {
    const line = fc.string({ unit: fc.constantFrom("1", "2", "é"), maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(fc.array(line), fc.integer({ min: 1, max: 9 }), async (lines, size) => {
        const whole = lines.map((one) => `${one}\n`);
        const all = whole.join("");
        const chunks: string[] = [];
        for (let at = 0; at < all.length; at += size) chunks.push(all.slice(at, at + size));
        const short = whole.filter((one) => Buffer.byteLength(one) <= 8);
        const numbers = short.filter((one) => /^\d+\n$/.test(one));
        const result = await through(chunks, 8);
        expect(result.text).toBe(numbers.join(""));
        expect(result.noJson).toBe(short.filter((one) => one.includes("é")).length);
        expect(result.tooLong).toBe(whole.length - short.length);
      }),
    );
  });

  it("[R114] keep one at the end that has no line break", async () => {
    expect(await through(['{"a":1}\n{"b":', "2}"], 20)).toMatchObject({
      text: '{"a":1}\n{"b":2}\n',
      noJson: 0,
    });
  });
});
