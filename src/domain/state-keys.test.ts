import { describe, expect, it } from "vitest";
import { missingKeys, pickKeys, replaceKeys } from "./state-keys.ts";

const STATE = { tasks: { current: 3, done: [1, 2] }, "a.b": "literal", a: { b: "inner" }, n: null };

describe("keys of a state", () => {
  it("picks what they name, further inside too, and nothing else", () => {
    expect(pickKeys(STATE, ["tasks.current", "n"])).toEqual({ tasks: { current: 3 }, n: null });
  });

  it("takes a key with a dot as it is written, if there is one", () => {
    expect(pickKeys(STATE, ["a.b"])).toEqual({ "a.b": "literal" });
    expect(pickKeys({ a: { b: 1, c: 2 } }, ["a.b"])).toEqual({ a: { b: 1 } });
  });

  it("names those of which there is nothing; null is something", () => {
    expect(missingKeys(STATE, ["tasks.next", "n", "x.y"])).toEqual(["tasks.next", "x.y"]);
    expect(missingKeys([1, 2], ["length"])).toEqual(["length"]);
  });

  it("replaces these and leaves the others, their order too", () => {
    const now = { before: 1, tasks: { current: 9, other: true }, after: 2 };
    const result = replaceKeys(now, STATE, ["tasks.current"]);
    expect(JSON.stringify(result)).toBe(
      '{"before":1,"tasks":{"current":3,"other":true},"after":2}',
    );
    expect(now.tasks.current).toBe(9);
  });

  it("takes away what was not there", () => {
    expect(replaceKeys({ a: { b: 1, c: 2 }, d: 3 }, {}, ["a.b", "d", "x.y"])).toEqual({
      a: { c: 2 },
    });
  });

  it("treats __proto__ as a key like any other", () => {
    const from = JSON.parse('{"__proto__": {"polluted": true}}') as unknown;
    const result = replaceKeys({}, from, ["__proto__"]);
    expect(Object.keys(result)).toEqual(["__proto__"]);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });
});
