import { describe, expect, it } from "vitest";
import { besideAnother, isHeardBeside } from "./beside-another.ts";

const DENIAL = `${JSON.stringify({ cancel: true, errorMessage: "no disk" })}\n`;
const NOTE = `${JSON.stringify({ contextModification: "rolled back" })}\n`;

function stdoutOf(theirs: string, stdout: string): unknown {
  const said = besideAnother(theirs, { stdout, stderr: "" });
  return said.stdout === "" ? "" : JSON.parse(said.stdout);
}

describe("an answer beside that of another script", () => {
  it("is a denial where one of them denies", () => {
    expect(stdoutOf('{"cancel":false}', DENIAL)).toEqual({ cancel: true, errorMessage: "no disk" });
    expect(stdoutOf('{"cancel":true,"errorMessage":"theirs"}', NOTE)).toMatchObject({
      cancel: true,
      errorMessage: "theirs",
    });
    expect(stdoutOf('{"cancel":true,"errorMessage":"theirs"}', DENIAL)).toEqual({
      cancel: true,
      errorMessage: "theirs\n\nno disk",
    });
    expect(besideAnother("plain", { stdout: DENIAL, stderr: "" })).toEqual({
      stdout: DENIAL,
      stderr: "plain\n",
    });
  });

  it("has the notes of both, and all else of theirs", () => {
    expect(stdoutOf('{"cancel":false,"contextModification":"theirs","x":1}', NOTE)).toEqual({
      cancel: false,
      contextModification: "theirs\n\nrolled back",
      x: 1,
    });
    expect(stdoutOf("", NOTE)).toEqual({ contextModification: "rolled back" });
  });

  it("is theirs alone where ours is empty, or theirs cannot be added to", () => {
    expect(stdoutOf('{"x":1}', "")).toBe("");
    for (const theirs of ["plain", "[1]", "{"]) {
      expect(besideAnother(theirs, { stdout: NOTE, stderr: "" })).toEqual({
        stdout: "",
        stderr: NOTE,
      });
      expect(isHeardBeside(theirs)).toBe(false);
    }
  });

  it("reaches the model unless theirs ends the run", () => {
    expect(isHeardBeside("")).toBe(true);
    expect(isHeardBeside('{"cancel":false}\n')).toBe(true);
    expect(isHeardBeside('{"cancel":true}')).toBe(false);
  });
});
