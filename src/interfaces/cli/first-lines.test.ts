import { expect, it } from "vitest";
import { firstLines } from "./first-lines.ts";

it("shows a single line more instead of its number", () => {
  expect(firstLines(["a", "b"], 2)).toEqual(["a", "b"]);
  expect(firstLines(["a", "b", "c"], 2)).toEqual(["a", "b", "c"]);
  expect(firstLines(["a", "b", "c", "d"], 2, { indent: "", hint: ": --json has them" })).toEqual([
    "a",
    "b",
    "… and 2 more: --json has them",
  ]);
});
