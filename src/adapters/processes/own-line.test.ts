import { expect, it } from "vitest";
import { ownLine } from "./own-line.ts";

it("has this process and the one that started it", () => {
  expect([...ownLine()].slice(0, 2)).toEqual([process.pid, process.ppid]);
});
