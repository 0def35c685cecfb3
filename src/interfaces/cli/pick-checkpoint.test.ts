import type { Key } from "node:readline";
import { describe, expect, it } from "vitest";
import { sampleDocument } from "../../domain/checkpoint.fixture.ts";
import type { CheckpointDocument } from "../../domain/checkpoint.ts";
import type { Row as AnyRow } from "./checkpoint-table.ts";
import { ShortIds } from "../../domain/short-id.ts";
import { picker } from "./pick-checkpoint.ts";

const size = { rows: 12, columns: 60 };
const plain = (_style: unknown, text: string): string => text;
const key = (name: string, ctrl = false): Key => ({ name, ctrl });
const typed = (sequence: string): Key => ({ name: sequence, sequence });

type Row = AnyRow<CheckpointDocument>;

function rowsOf(count: number): Row[] {
  return Array.from({ length: count }, (_unused, at): Row => {
    const hash = `${at.toString(16).padStart(2, "0")}f2`;
    const document = sampleDocument({ id: `cp-00-n${at}-20261115-184530-${hash}` });
    const standing = { valid: true, invalidated_by: null };
    return {
      listed: {
        kind: "ok",
        id: document.id,
        document,
        standing,
        isCurrent: at === 0,
        pinned: false,
        expired: false,
        damage: undefined,
      },
      summary: undefined,
    };
  });
}

function start(rows: readonly Row[], short?: ShortIds, expanded?: readonly Row[]) {
  const asked: string[] = [];
  const compared: string[][] = [];
  const program = picker({
    title: "which",
    rows,
    expanded,
    preview: (row) => {
      asked.push(row.listed.id);
      return Promise.resolve([`preview of ${row.listed.id}`]);
    },
    changes: (wanted) => {
      compared.push(wanted.map(({ listed }) => listed.id));
      const change = { files: 7, added: 1, removed: 0 };
      return Promise.resolve(new Map(wanted.map(({ listed }) => [listed.id, change])));
    },
    paint: plain,
    now: new Date("2026-11-15T19:00:00.000Z"),
    short,
  });
  let draws = 0;
  program.start(() => (draws += 1));
  return { program, asked, compared, draws: () => draws };
}

const chosenLine = (lines: readonly string[]): string =>
  lines.find((line) => line.startsWith(">")) ?? "";

describe("picking a checkpoint", () => {
  it("folds the checkpoints of a prompt until tab, or until only one of them fits the filter", () => {
    const all = rowsOf(4);
    const [first, , , last] = all;
    const { program } = start([{ ...first, checkpoints: 3 }, last] as Row[], undefined, all);
    expect(program.frame(size).join("\n")).toContain("1 of 2 ");
    program.key(key("tab"), size);
    expect(program.frame(size).join("\n")).toContain("1 of 4 ");
    program.key(key("down"), size);
    expect(chosenLine(program.frame(size))).toContain("n1");
    program.key(key("tab"), size);
    expect(chosenLine(program.frame(size))).toContain("n0");
    for (const letter of ["0", "2", "f", "2"]) program.key(typed(letter), size);
    expect(program.frame(size).join("\n")).toContain("1 of 1 ");
    expect(program.key(key("return"), size)).toEqual({ result: all[2] });
  });

  it("moves with the keys, stays within the list, and chooses with enter", () => {
    const rows = rowsOf(3);
    const { program } = start(rows);
    expect(program.key(key("up"), size)).toBeUndefined();
    expect(chosenLine(program.frame(size))).toContain("n0");
    for (const name of ["down", "down", "down", "down"]) program.key(key(name), size);
    expect(chosenLine(program.frame(size))).toContain("n2");
    expect(program.key(key("return"), size)).toEqual({ result: rows[2] });
  });

  it.each([typed("q"), key("escape"), key("c", true), key("d", true)])(
    "%o chooses nothing",
    (leave) => {
      expect(start(rowsOf(2)).program.key(leave, size)).toEqual({ result: undefined });
    },
  );

  it("shows the preview once it is there, each one asked for once", async () => {
    const { program, asked, draws } = start(rowsOf(3));
    expect(program.frame(size).join("\n")).toContain("comparing");
    await Promise.resolve();
    await new Promise(setImmediate);
    expect(draws()).toBeGreaterThan(0);
    expect(program.frame(size).join("\n")).toContain("preview of cp-00-n0");
    program.frame(size);
    expect(asked).toEqual(["cp-00-n0-20261115-184530-00f2"]);
  });

  it("fits any terminal, also with many checkpoints, and keeps the chosen one in sight", () => {
    const { program } = start(rowsOf(500));
    for (let press = 0; press < 300; press++) program.key(key("down"), size);
    for (const rows of [8, 12, 40]) {
      const lines = program.frame({ rows, columns: 60 });
      expect(lines.length).toBeLessThanOrEqual(rows);
      expect(chosenLine(lines)).toContain("n300");
    }
  });

  it("filters by typing, in any order of the words, and chooses among what is left", () => {
    const rows = rowsOf(30);
    const { program } = start(rows);
    for (const sequence of ["n", "2", "7", " ", "C", "P"]) program.key(typed(sequence), size);
    const lines = program.frame(size);
    expect(lines.at(-1)).toBe("filter: n27 CP_   enter: choose   esc: clear");
    expect(lines.join("\n")).toContain("1 of 1");
    expect(program.key(key("return"), size)).toEqual({ result: rows[27] });
    program.key(key("backspace"), size);
    program.key(key("u", true), size);
    expect(program.frame(size).join("\n")).toContain("28 of 30");
  });

  it("takes digits for those on screen, and a full id from its start", () => {
    const rows = rowsOf(3);
    const { program } = start(rows, new ShortIds(rows.map(({ listed }) => listed.id)));
    for (const sequence of "1845") program.key(typed(sequence), size);
    expect(program.frame(size).join("\n")).toContain("no checkpoint matches");
    program.key(key("u", true), size);
    for (const sequence of "cp-00-n2-20261115") program.key(typed(sequence), size);
    expect(program.key(key("return"), size)).toEqual({ result: rows[2] });
  });

  it("fills in what older rows changed when they come into sight", async () => {
    const { program, compared } = start(rowsOf(500));
    program.frame(size);
    program.frame(size);
    await new Promise(setImmediate);
    expect(compared.map((ids) => ids.length)).toEqual([100]);
    program.key(key("end"), size);
    expect(chosenLine(program.frame(size))).not.toMatch(/ \+1 /);
    await new Promise(setImmediate);
    expect(chosenLine(program.frame(size))).toMatch(/ \+1 /);
    expect(compared).toHaveLength(2);
  });

  it("clears the filter with Esc, and cancels with the next one", () => {
    const { program } = start(rowsOf(3));
    program.key(typed("n"), size);
    program.key(typed("2"), size);
    expect(program.key(key("escape"), size)).toBeUndefined();
    expect(program.frame(size).join("\n")).toContain("3 of 3");
    expect(program.key(key("escape"), size)).toEqual({ result: undefined });
  });

  it("takes letters of commands for words once something was typed, and nothing can be chosen of nothing", () => {
    const { program } = start(rowsOf(2));
    for (const sequence of ["/", "q", "?"])
      expect(program.key(typed(sequence), size)).toBeUndefined();
    const screen = program.frame(size).join("\n");
    expect(screen).toContain("filter: q?_");
    expect(screen).toContain("no checkpoint matches");
    expect(program.key(key("return"), size)).toBeUndefined();
  });

  it("explains its keys with ?, until the next key", () => {
    const { program } = start(rowsOf(2));
    program.key(typed("?"), size);
    expect(program.frame(size).join("\n")).toContain("scroll the patch");
    expect(program.frame({ ...size, rows: 24 }).join("\n")).toContain("close this help");
    for (const close of [typed("x"), key("escape"), typed("q")]) {
      expect(program.key(close, size)).toBeUndefined();
      expect(program.frame(size).join("\n")).not.toContain("scroll the patch");
      program.key(typed("?"), size);
    }
  });

  it("begins where it is told to, and no row is wider than the terminal", () => {
    const made = picker({
      title: "which",
      rows: rowsOf(3),
      first: 1,
      preview: () => Promise.resolve([]),
      changes: () => Promise.resolve(new Map()),
      paint: plain,
      now: new Date("2026-11-15T19:00:00.000Z"),
      short: new ShortIds(rowsOf(3).map(({ listed }) => listed.id)),
    });
    made.start(() => undefined);
    const lines = made.frame({ rows: 12, columns: 40 });
    expect(lines[5]).toMatch(/ 2 of 3 --$/);
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(40);
  });

  it("scrolls a patch that is longer than its room", async () => {
    const program = picker({
      title: "which",
      rows: rowsOf(2),
      preview: () => Promise.resolve(Array.from({ length: 40 }, (_unused, at) => `line ${at}`)),
      changes: () => Promise.reject(new Error("cannot be compared")),
      paint: plain,
      now: new Date("2026-11-15T19:00:00.000Z"),
    });
    program.start(() => undefined);
    program.frame(size);
    await new Promise(setImmediate);
    expect(program.frame(size).join("\n")).toContain("more lines: page down");
    for (let press = 0; press < 20; press++) program.key(key("pagedown"), size);
    expect(program.frame(size).join("\n")).toContain("line 39");
    program.key(key("down"), size);
    expect(program.frame(size).join("\n")).toContain("comparing");
  });
});
