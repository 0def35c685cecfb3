import type { Key } from "node:readline";
import { describe, expect, it } from "vitest";
import { sampleDocument } from "../../domain/checkpoint.fixture.ts";
import type { CheckpointDocument } from "../../domain/checkpoint.ts";
import type { Row as AnyRow } from "./checkpoint-table.ts";
import { picker } from "./pick-checkpoint.ts";

const size = { rows: 12, columns: 60 };
const plain = (_style: unknown, text: string): string => text;
const key = (name: string, ctrl = false): Key => ({ name, ctrl });

type Row = AnyRow<CheckpointDocument>;

function rowsOf(count: number): Row[] {
  return Array.from({ length: count }, (_unused, at): Row => {
    const document = sampleDocument({ id: `cp-00-n${at}-20261115-184530-a3f2` });
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

function start(rows: readonly Row[]) {
  const asked: string[] = [];
  const program = picker({
    title: "which",
    rows,
    preview: (row) => {
      asked.push(row.listed.id);
      return Promise.resolve([`preview of ${row.listed.id}`]);
    },
    paint: plain,
    now: new Date("2026-11-15T19:00:00.000Z"),
  });
  let draws = 0;
  program.start(() => (draws += 1));
  return { program, asked, draws: () => draws };
}

const chosenLine = (lines: readonly string[]): string =>
  lines.find((line) => line.startsWith(">")) ?? "";

describe("picking a checkpoint", () => {
  it("moves with the keys, stays within the list, and chooses with enter", () => {
    const rows = rowsOf(3);
    const { program } = start(rows);
    expect(program.key(key("up"), size)).toBeUndefined();
    expect(chosenLine(program.frame(size))).toContain("n0");
    for (const name of ["down", "j", "down", "down"]) program.key(key(name), size);
    expect(chosenLine(program.frame(size))).toContain("n2");
    expect(program.key(key("return"), size)).toEqual({ result: rows[2] });
  });

  it.each([key("q"), key("escape"), key("c", true), key("d", true)])(
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
    expect(asked).toEqual(["cp-00-n0-20261115-184530-a3f2"]);
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
});
