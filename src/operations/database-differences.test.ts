import { expect, it } from "vitest";
import type { DatabasePart } from "../domain/parts.ts";
import type { HeldPart } from "../ports/part-keeper.ts";
import { databasesBetween } from "./database-differences.ts";

function held(digest: string, content: unknown): HeldPart<DatabasePart> {
  return {
    checkpointId: "cp",
    part: {
      type: "database_savepoint",
      digest,
      engine: "sqlite",
      label: "app.db",
      source: "app.db",
      folder: "database",
      bytes: 1,
      tables: 1,
      rows: 1,
    },
    isForeign: false,
    isHere: () => Promise.resolve(true),
    revision: (name) => name,
    sha256: () => Promise.resolve(""),
    read: async (name) => {
      expect(name).toBe("database/manifest.json");
      return Buffer.from(JSON.stringify({ content }));
    },
    extract: async () => undefined,
  };
}

it.each([
  ["of the same reading", { reading: 2 }, { reading: 2 }, 1],
  ["both of an older version", {}, {}, 1],
  ["of different readings", {}, { reading: 2 }, 0],
  ["of different readings, the other way round", { reading: 2 }, {}, 0],
  ["one of which was not there", {}, null, 1],
])("digests that differ, %s", async (_which, before, after, differences) => {
  const found = await databasesBetween([held("a", before)], [held("b", after)]);
  expect(found).toHaveLength(differences);
});
