/** Random work in random states, and every operation of Waymark on it: model-run.ts says what is compared. */
import { afterAll, describe, it } from "vitest";
import { Lane } from "./lane.ts";

const lane = new Lane(1);

afterAll(() => lane.close());

describe("random work", () => {
  it(
    `comes back identical (${lane.runs} runs, seed ${lane.seed})`,
    () => lane.search(),
    lane.timeLimitMs,
  );
});
