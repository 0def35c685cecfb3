import { expect, it } from "vitest";
import { mebibytes } from "./human-bytes.ts";

it.each([
  [16 * 1024 * 1024, "16 MiB"],
  [16 * 1024 * 1024 + 1, "16.1 MiB"],
  [20_000_000, "19.1 MiB"],
  [0, "0 MiB"],
])("%i bytes in the unit of the settings are %s", (bytes, text) => {
  expect(mebibytes(bytes)).toBe(text);
});
