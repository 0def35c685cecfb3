import fc from "fast-check";
import stringWidth from "fast-string-width";
import { describe, expect, it } from "vitest";
import { cut, tableLines, type Column } from "./table.ts";

interface Row {
  readonly id: string;
  readonly note: string;
  readonly extra: string;
}

const columns: Column<Row>[] = [
  { title: "ID", cell: ({ id }) => id },
  { title: "EXTRA", cell: ({ extra }) => extra, giveWay: 2 },
  { title: "NOTE", cell: ({ note }) => note, giveWay: 1, cutTo: 6 },
];
const plain = (_style: unknown, text: string): string => text;
const lines = (rows: readonly Row[], room: number): string[] =>
  tableLines(columns, rows, room, plain);

describe("a table", () => {
  const rows = [
    { id: "one", note: "a rather long note", extra: "x1" },
    { id: "twenty", note: "short", extra: "" },
  ];

  it("has everything where there is room", () => {
    expect(lines(rows, Number.POSITIVE_INFINITY)).toEqual([
      "ID      EXTRA  NOTE",
      "one     x1     a rather long note",
      "twenty         short",
    ]);
  });

  it("cuts text first, then leaves out columns in their order", () => {
    expect(lines(rows, 25)[1]).toBe("one     x1     a rather …");
    expect(lines(rows, 18)).toEqual(["ID      NOTE", "one     a rather …", "twenty  short"]);
    expect(lines(rows, 8)).toEqual(["ID", "one", "twenty"]);
  });

  it("leaves out neighbours of one number together", () => {
    const pair: Column<Row>[] = [
      { title: "ID", cell: ({ id }) => id },
      { title: "", cell: () => "+2", giveWay: 2 },
      { title: "", cell: () => "-2760", giveWay: 2 },
      { title: "NOTE", cell: ({ note }) => note, cutTo: 4 },
    ];
    expect(tableLines(pair, rows, 21, plain)[2]).toBe("twenty  short");
    expect(tableLines(pair, rows, 30, plain)[2]).toBe("twenty  +2  -2760  short");
  });

  it("cuts below the least width of a column that never gives way, rather than wrap", () => {
    const stays = columns.map((column) => ({ ...column, giveWay: 0 }));
    const [, one] = tableLines(stays.slice(0, 1).concat(stays.slice(2)), rows, 12, plain);
    expect(one).toBe("one     a r…");
  });

  it("leaves out a column that says nothing", () => {
    expect(lines([{ id: "one", note: "", extra: "x" }], 80)[0]).toBe("ID   EXTRA");
  });

  it("never gets wider than the terminal as long as its fixed columns fit", () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.record({
            id: fc.constant("cp-1"),
            note: fc.string({ unit: "grapheme" }),
            extra: fc.string(),
          }),
          { minLength: 1 },
        ),
        fc.integer({ min: 6, max: 60 }),
        (some, room) => {
          for (const line of lines(some, room)) expect(stringWidth(line)).toBeLessThanOrEqual(room);
        },
      ),
    );
  });
});

describe("text", () => {
  it("is cut by its width on the screen", () => {
    expect(cut("日本語です", 5)).toBe("日本…");
    expect(cut("short", 5)).toBe("short");
  });
});
