import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { CheckpointDocument } from "./checkpoint.ts";
import { sampleDocument } from "./checkpoint.fixture.ts";
import { checksumOf, documentMessage, readDocument, withChecksum } from "./document-text.ts";

/** Any UTF-16 units, halves of pairs too. */
const anyText = fc.array(fc.nat(0xffff)).map((units) => String.fromCharCode(...units));

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

function signed(overrides: Record<string, unknown> = {}): CheckpointDocument {
  return withChecksum({ ...sampleDocument(), ...overrides }, sha256);
}

const read = (document: CheckpointDocument, id = document.id) =>
  readDocument(documentMessage(document), id, sha256);

describe("a document in a message", () => {
  it("comes back as it was", () => {
    const document = signed();
    expect(read(document)).toEqual({ kind: "ok", document });
  });

  it("keeps fields that this version does not know", () => {
    const document = signed({ later: { than: ["now"] } });
    expect(read(document)).toEqual({ kind: "ok", document });
    expect(document).toHaveProperty("later.than", ["now"]);
  });

  it("comes back whatever its texts say", () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string(), anyText),
        fc.dictionary(fc.string(), fc.jsonValue()),
        (reason, metrics) => {
          // As it would be after a first reading: JSON knows no -0.
          const document = signed({ reason, metrics: JSON.parse(JSON.stringify(metrics)) });
          expect(read(document)).toEqual({ kind: "ok", document });
        },
      ),
    );
  });

  it("is not cut by a reason that looks like the beginning of a document", () => {
    const document = signed({ reason: 'a\n\n{"schema_version": 1}' });
    expect(read(document)).toEqual({ kind: "ok", document });
  });

  it("begins with one short line for `git log`", () => {
    const lines = (overrides: Record<string, unknown>) =>
      documentMessage(signed(overrides)).split("\n");
    expect(lines({ reason: "why\nso" }).slice(0, 2)).toEqual(["waymark manual: why so", ""]);
    expect(lines({ name: "n", phase: "p" })[0]).toBe("waymark manual: n");
    expect(lines({ phase: "p", trigger: "pre_phase" })[0]).toBe("waymark pre_phase: p");
    expect(lines({})[0]).toBe("waymark manual:");
    expect(lines({ reason: "x".repeat(200) })[0]).toHaveLength(72);
  });
});

describe("the checksum", () => {
  it("does not cover itself", () => {
    const document = signed();
    expect(checksumOf({ ...document, checksum: "other" }, sha256)).toBe(document.checksum);
  });

  it("covers every other field, unknown ones too", () => {
    const document: Record<string, unknown> = { ...signed({ later: 1 }) };
    for (const key of Object.keys(document).filter((name) => name !== "checksum")) {
      expect(checksumOf({ ...document, [key]: "changed" }, sha256)).not.toBe(document["checksum"]);
    }
  });
});

describe("readDocument", () => {
  it("calls a document with a changed field damaged", () => {
    const text = documentMessage(signed({ reason: "before" })).replaceAll('"before"', '"after"');
    expect(readDocument(text, signed().id, sha256)).toEqual({
      kind: "damaged",
      problem: "the checksum of its document is wrong",
    });
  });

  it.each([
    ["no git", { git: undefined }, "git is not an object"],
    ["git of another form", { git: { branch: 1 } }, "git.branch is not a string"],
    ["parts that are none", { parts: [null] }, "parts.0 is not an object"],
    ["no time", { created_at: null }, "created_at is not a string"],
  ])("[R26] calls a document with %s damaged, though its checksum is right", (_, wrong, what) => {
    const text = JSON.parse(
      JSON.stringify({ ...sampleDocument(), ...wrong }),
    ) as CheckpointDocument;
    const problem = `in its document ${what}`;
    const message = `strange\n\n${JSON.stringify(withChecksum(text, sha256))}`;
    expect(readDocument(message, text.id, sha256)).toEqual({ kind: "damaged", problem });
  });

  it("calls the document of another checkpoint damaged", () => {
    expect(read(signed(), "cp-00-other-20261115-184530-a3f2")).toEqual({
      kind: "damaged",
      problem: "its document belongs to another checkpoint",
    });
  });

  it.each([
    ["no document", "subject only\n", "its commit has no document"],
    ["an empty message", "", "its commit has no document"],
    ["half a document", 'subject\n\n{"schema_version": 1,', "its document is not valid JSON"],
    ["a document without a version", "subject\n\n{}", "its document has no schema_version"],
    [
      "a version that is no number",
      'subject\n\n{"schema_version": "9"}',
      "its document has no schema_version",
    ],
  ])("calls %s damaged", (_what, message, problem) => {
    expect(readDocument(message, "cp", sha256)).toEqual({ kind: "damaged", problem });
  });

  it("calls a later version newer, and asks nothing else of it", () => {
    const message = 'subject\n\n{"schema_version": 2, "id": {"new": "form"}}';
    expect(readDocument(message, "cp", sha256)).toEqual({ kind: "newer", version: 2 });
  });
});
