import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { deflateSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { inflateEntry } from "./inflate-entry.ts";

describe("inflateEntry", () => {
  it("reads no further than the object goes, and nothing when it is done", async () => {
    const content = randomBytes(1_000_000);
    const packed = deflateSync(content);
    const pack = Buffer.concat([packed, randomBytes(20_000_000)]);
    const reads: number[] = [];
    const readAt = (position: number, length: number): Buffer => {
      reads.push(position);
      return pack.subarray(position, position + length);
    };
    const { consumed, head } = await inflateEntry(readAt, 0, content.length);
    const before = reads.length;
    await sleep(100);
    expect([consumed, head.equals(content.subarray(0, head.length))]).toEqual([
      packed.length,
      true,
    ]);
    expect(reads.length).toBe(before);
    expect(Math.max(...reads)).toBeLessThanOrEqual(packed.length);
  });
});
