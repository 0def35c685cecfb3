import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { OutputTail } from "./output-tail.ts";

describe("the tail of an output", () => {
  it("is the end of all chunks, whatever their sizes", () => {
    const chunks = fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 20 });
    fc.assert(
      fc.property(chunks, fc.nat(60), (given, most) => {
        const tail = new OutputTail(most);
        for (const chunk of given) tail.add(Buffer.from(chunk));
        const all = Buffer.concat(given);
        expect(tail.bytes()).toEqual(all.subarray(Math.max(0, all.length - most)));
      }),
    );
  });
});
