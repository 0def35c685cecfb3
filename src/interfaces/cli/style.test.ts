import { afterEach, describe, expect, it, vi } from "vitest";
import { columnsOf, hasColor, painter } from "./style.ts";

afterEach(() => vi.unstubAllEnvs());

const terminal = { isTTY: true, columns: 100 };
const pipe = {};

function environment(values: Record<string, string | undefined>): void {
  for (const name of ["NO_COLOR", "FORCE_COLOR", "TERM", "COLUMNS"]) vi.stubEnv(name, values[name]);
}

describe("colours", () => {
  it.each([
    [{}, terminal, true],
    [{}, pipe, false],
    [{ TERM: "dumb" }, terminal, false],
    [{ NO_COLOR: "1" }, terminal, false],
    [{ NO_COLOR: "" }, terminal, true],
    [{ FORCE_COLOR: "1" }, pipe, true],
    [{ FORCE_COLOR: "0" }, terminal, false],
    [{ FORCE_COLOR: "1", TERM: "dumb" }, pipe, true],
    [{ FORCE_COLOR: "1", NO_COLOR: "1" }, terminal, false],
  ])("with %o on %o: %s", (values, stream, expected) => {
    environment(values);
    expect(hasColor(stream)).toBe(expected);
  });

  it("are there or not there, whatever the stream of this process is", () => {
    expect(painter(true)("red", "x")).toBe("\u001B[31mx\u001B[39m");
    expect(painter(false)("red", "x")).toBe("x");
  });
});

describe("width", () => {
  it("is the terminal's, COLUMNS before that, and endless in a pipe", () => {
    environment({});
    expect(columnsOf(terminal)).toBe(100);
    expect(columnsOf(pipe)).toBe(Number.POSITIVE_INFINITY);
    environment({ COLUMNS: "60" });
    expect(columnsOf(terminal)).toBe(60);
    environment({ COLUMNS: "wide" });
    expect(columnsOf(terminal)).toBe(100);
  });
});
