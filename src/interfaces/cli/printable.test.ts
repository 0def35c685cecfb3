import { describe, expect, it } from "vitest";
import { oneLine, printable } from "./printable.ts";

describe("text of others", () => {
  it("brings no control character and no second line to the terminal", () => {
    expect(oneLine("a\u001B[31m\nb\tc\u202Ed\u0000")).toBe("a\uFFFD[31m b c\uFFFDd\uFFFD");
    expect(oneLine("two  spaces")).toBe("two spaces");
    expect(oneLine("plain text, 100%")).toBe("plain text, 100%");
  });

  it("keeps its lines where it may have several", () => {
    expect(printable("one\ntwo\u001B]0;title\u0007")).toBe("one\ntwo\uFFFD]0;title\uFFFD");
  });
});
