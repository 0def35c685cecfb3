import { describe, expect, it } from "vitest";
import { SCANNED_BYTES, scanContent } from "./scan-content.ts";

const SECRET = `x ${["ghp", "aB3dE5gH7jK9mN1pQ2sT4vW6xY8zA0cD5fG7"].join("_")}\n`;

describe("scanContent", () => {
  it("finds a secret between bytes of any encoding", () => {
    const odd = Buffer.from([0xc3, 0x28, 0xff, 0x0a]);
    expect(scanContent(Buffer.concat([odd, Buffer.from(SECRET), odd]))).toBe("github-token");
  });

  it("reads UTF-16 of both byte orders, also when its last character is cut", () => {
    const little = Buffer.from(`\ufeff${SECRET}`, "utf16le");
    expect(scanContent(little)).toBe("github-token");
    const big = Buffer.from(little).swap16();
    expect(scanContent(big)).toBe("github-token");
    expect(scanContent(Buffer.concat([big, Buffer.from([0])]))).toBe("github-token");
  });

  it("leaves binary files and what lies behind the first bytes alone", () => {
    expect(scanContent(Buffer.from(`\0${SECRET}`))).toBeUndefined();
    const filler = "a line of text\n".repeat(SCANNED_BYTES / 8);
    expect(scanContent(Buffer.from(filler + SECRET))).toBeUndefined();
    expect(scanContent(Buffer.from(SECRET + filler))).toBe("github-token");
  });

  it("finds nothing in nothing", () => {
    expect(scanContent(Buffer.alloc(0))).toBeUndefined();
  });
});
