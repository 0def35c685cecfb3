/** What random work found once is tried each time. */
import { afterAll, describe, it } from "vitest";
import { Lane } from "./lane.ts";
import { regressions } from "./regressions.ts";

const lane = new Lane(0);

afterAll(() => lane.close());

describe("random work that once went wrong", () => {
  for (const { name, work } of regressions) {
    it(name, () => lane.check(work));
  }
});
