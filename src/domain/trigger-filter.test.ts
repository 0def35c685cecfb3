import { expect, it } from "vitest";
import { TRIGGERS } from "./checkpoint.ts";
import { isAskedFor } from "./trigger-filter.ts";

it("phase_transition stands for both ends of a phase, and every other word for itself", () => {
  expect(TRIGGERS.filter((trigger) => isAskedFor("phase_transition", trigger))).toEqual([
    "pre_phase",
    "post_phase",
  ]);
  expect(TRIGGERS.filter((trigger) => isAskedFor("manual", trigger))).toEqual(["manual"]);
});
