import { describe, expect, it } from "vitest";
import { createdGrounding } from "./agent-contract.ts";
import { sampleDocument } from "./checkpoint.fixture.ts";
import type { DatabasePart } from "./parts.ts";

const DATABASE: DatabasePart = {
  type: "database_savepoint",
  digest: `sha256:${"0".repeat(64)}`,
  engine: "postgresql",
  label: "shop on localhost",
  source: "env:SHOP",
  folder: "database/1",
  bytes: 1,
  tables: 1,
  rows: 1,
};

describe("confidence in a checkpoint", () => {
  it("is less when a database could not be brought back", () => {
    const sure = sampleDocument({ parts: [DATABASE] });
    const unsure = sampleDocument({ parts: [DATABASE, { ...DATABASE, restorable: false }] });
    const lost =
      createdGrounding(sure, true, "git").confidence -
      createdGrounding(unsure, true, "git").confidence;
    expect(lost).toBeCloseTo(0.2);
  });
});
