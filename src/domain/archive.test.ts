import { describe, expect, it } from "vitest";
import { archiveLimits } from "./archive.ts";

describe("archiveLimits", () => {
  it("allows a gigabyte to a small file, and history that packs well to a large one", () => {
    expect(archiveLimits(1000)).toMatchObject({
      contentBytes: 1_024_000_000,
      objectBytes: 1_024_000_000,
    });
    expect(archiveLimits(100_000_000)).toMatchObject({
      contentBytes: 20_000_000_000,
      objectBytes: 1_024_000_000,
    });
  });

  it("follows the user's own number, up and down", () => {
    expect(archiveLimits(100_000_000, 5)).toMatchObject({ contentBytes: 5e6, objectBytes: 5e6 });
    expect(archiveLimits(1000, 9000)).toMatchObject({ contentBytes: 9e9, objectBytes: 9e9 });
  });
});
