import { Readable } from "node:stream";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LineLimit } from "./line-limit.ts";

async function through(chunks: readonly string[], most: number) {
  let tooLong = 0;
  const limit = new LineLimit(most, () => (tooLong += 1));
  const got: Buffer[] = [];
  for await (const piece of Readable.from(chunks.map((text) => Buffer.from(text))).pipe(limit)) {
    got.push(piece as Buffer);
  }
  return { text: Buffer.concat(got).toString(), tooLong };
}

describe("lines with a limit", () => {
  it("[R114] leave out those that are too long, wherever they are cut, and keep the rest", async () => {
    const line = fc.string({ unit: fc.constantFrom("a", "b", "é"), maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(fc.array(line), fc.integer({ min: 1, max: 9 }), async (lines, size) => {
        const whole = lines.map((one) => `${one}\n`);
        const all = whole.join("");
        const chunks: string[] = [];
        for (let at = 0; at < all.length; at += size) chunks.push(all.slice(at, at + size));
        const short = whole.filter((one) => Buffer.byteLength(one) <= 8);
        const result = await through(chunks, 8);
        expect(result.text).toBe(short.join(""));
        expect(result.tooLong).toBe(whole.length - short.length);
      }),
    );
  });
});
