import { describe, expect, it } from "vitest";
import { upcast, type UpcastSteps } from "./upcast.ts";

const STEPS: UpcastSteps = {
  1: ({ title, ...rest }) => ({ ...rest, name: title }),
  2: (document) => ({ ...document, tags: [] }),
};

describe("upcast", () => {
  it("leaves a document of the present version as it is", () => {
    const document = { schema_version: 3, other: 1 };
    expect(upcast(document, 3, 3, STEPS)).toBe(document);
  });

  it("takes each step between the versions, in their order, and carries unknown fields along", () => {
    const old = { schema_version: 1, title: "a", unknown: true };
    expect(upcast(old, 1, 3, STEPS)).toEqual({
      schema_version: 3,
      name: "a",
      tags: [],
      unknown: true,
    });
    expect(old).toEqual({ schema_version: 1, title: "a", unknown: true });
  });

  it("does not know a version that nobody ever wrote", () => {
    expect(upcast({ schema_version: 0 }, 0, 3, STEPS)).toBeUndefined();
  });
});
