import { describe, expect, it } from "vitest";
import { selectSession } from "./session-selector.ts";

const IDS = ["implement_auth_20261115_184530", "implement_ui_20261114_080000", "test", "test-all"];

describe("the name of a session", () => {
  it.each([
    ["auth", IDS[0]],
    ["20261114", IDS[1]],
    ["test", "test"],
    ["test-all", "test-all"],
  ])("%j is %s", (text, id) => {
    expect(selectSession(text, IDS)).toBe(id);
  });

  it("is refused when several have it, with the candidates", () => {
    expect(() => selectSession("implement", IDS)).toThrow(
      expect.objectContaining({
        code: "ambiguous_selector",
        details: { candidates: [IDS[0], IDS[1]] },
      }),
    );
  });

  it.each(["", "nothing", "tset-all"])("%j is none", (text) => {
    expect(() => selectSession(text, IDS)).toThrow(
      expect.objectContaining({ code: "session_not_found" }),
    );
  });

  it("is no part of an id where a whole one is asked for: the error names the candidates", () => {
    expect(selectSession("test", IDS, true)).toBe("test");
    expect(() => selectSession("auth", IDS, true)).toThrow(
      expect.objectContaining({
        code: "session_not_found",
        hint: expect.stringContaining(`needs the full id: ${IDS[0]}.`),
        details: { candidates: [IDS[0]] },
      }),
    );
  });

  it("names the nearest", () => {
    expect(() => selectSession("tset-all", IDS)).toThrow(
      expect.objectContaining({ details: { candidates: ["test-all"] } }),
    );
  });
});
