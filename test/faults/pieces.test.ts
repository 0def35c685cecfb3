import { describe, expect, it } from "vitest";
import { figuresOf } from "../../scripts/faults/figures.mjs";
import { fullMatrix } from "../../scripts/faults/matrix.mjs";
import { commandOfPieces } from "../../scripts/proof/pieces.mjs";

describe("a run in pieces", () => {
  it("is repeated by commands that hand their results on", () => {
    expect(
      commandOfPieces(
        ["npm run faults -- --scenario plain --write", "npm run faults"],
        "npm run faults -- --points 2 --write",
      ),
    ).toBe(
      "npm run faults -- --scenario plain --json piece-1.json && npm run faults -- --json piece-2.json && " +
        "npm run faults -- --points 2 --write --with piece-1.json,piece-2.json",
    );
  });

  it("says which rows of the matrix nobody has begun", () => {
    expect(figuresOf([], fullMatrix()).note).toMatch(
      /of 0 of \d+ rows .*plain.*mixed|of 0 of \d+ rows .*mixed.*plain/,
    );
  });
});
