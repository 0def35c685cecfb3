import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { instantOf } from "./instant.ts";

describe("instantOf", () => {
  it.each([
    ["2030-01-31", "2030-01-31T00:00:00.000Z"],
    ["2028-02-29", "2028-02-29T00:00:00.000Z"],
    ["2030-01-31T18:00", "2030-01-31T18:00:00.000Z"],
    ["2030-01-31 18:00:05", "2030-01-31T18:00:05.000Z"],
    ["2030-01-31t18:00:05.25z", "2030-01-31T18:00:05.250Z"],
    ["2030-01-31T18:00+02:00", "2030-01-31T16:00:00.000Z"],
    ["2030-01-31T18:00:00-05:30", "2030-01-31T23:30:00.000Z"],
  ])("reads %s", (text, expected) => {
    expect(new Date(instantOf(text) ?? Number.NaN).toISOString()).toBe(expected);
  });

  it.each([
    "",
    "5",
    "tomorrow",
    "2030",
    "2030-1-31",
    "2030-02-30",
    "2029-02-29",
    "2030-13-01",
    "2030-00-10",
    "2030-01-31T25:00",
    "2030-01-31T18",
    "31.01.2030",
    "Jan 31 2030",
    "2030-01-31Z",
    "2030-01-31T18:00 ",
    "+02030-01-31",
  ])("refuses %j", (text) => {
    expect(instantOf(text)).toBeUndefined();
  });

  it("reads every time stamp that Waymark writes", () => {
    const dates = fc.date({
      min: new Date("0001-01-01T00:00:00Z"),
      max: new Date("9999-12-31T23:59:59Z"),
      noInvalidDate: true,
    });
    fc.assert(
      fc.property(dates, (date) => {
        expect(instantOf(date.toISOString())).toBe(date.getTime());
      }),
    );
  });
});
