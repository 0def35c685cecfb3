import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sampleDocument, samplePart } from "./checkpoint.fixture.ts";
import { schemaProblems } from "./checkpoint-schema.ts";
import { documentMessage, readDocument } from "./document-text.ts";
import { rebuildDocument, withRemadePart, type CommitFacts } from "./rebuild-document.ts";

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

const FACTS: CommitFacts = {
  id: "cp-00-manual-20261115-184530-a3f2",
  createdAt: "2026-11-15T18:45:30.000Z",
  replaces: "2".repeat(40),
  rebuiltAt: "2026-11-16T00:00:00.000Z",
  headCommit: "3".repeat(40),
  operation: "none",
  part: samplePart(),
  holdsMore: false,
  contentHash: `sha256:${"4".repeat(64)}`,
  files: 3,
  withheld: undefined,
  local: {},
  excluded: [{ path: ".env", reason: "sensitive", size: 5 }],
  sessionId: "worktree-main",
  worktreeId: "main",
};

describe("rebuildDocument", () => {
  it("is a valid document, whatever is left of the old one", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.jsonValue(),
          fc.dictionary(fc.constantFrom(...Object.keys(sampleDocument())), fc.jsonValue()),
        ),
        (left) => {
          const { document } = rebuildDocument(FACTS, left, sha256);
          expect(schemaProblems(document)).toEqual([]);
          expect(readDocument(documentMessage(document), FACTS.id, sha256)).toMatchObject({
            kind: "ok",
          });
        },
      ),
    );
  });

  it("takes what is well formed, says so, and says what is not known", () => {
    const left = { ...sampleDocument({ reason: "why" }), seq: "three", phase: 4 };
    const { document, unknown, unverified } = rebuildDocument(FACTS, left, sha256);
    expect(document.reason).toBe("why");
    expect(document.seq).toBe(1);
    expect(unknown).toEqual(["seq", "phase"]);
    expect(unverified).toContain("reason");
    expect(rebuildDocument(FACTS, undefined, sha256).unverified).toEqual([]);
  });

  it("believes the commit more than the old document, and no refs at all", () => {
    const left = {
      ...sampleDocument({ id: "cp-another", created_at: "2001-01-01T00:00:00.000Z" }),
      git: { ...sampleDocument().git, commit: "9".repeat(40), refs: { "refs/heads/main": null } },
    };
    const { document } = rebuildDocument(FACTS, left, sha256);
    expect(document.id).toBe(FACTS.id);
    expect(document.created_at).toBe(FACTS.createdAt);
    expect(document.git.commit).toBe(FACTS.headCommit);
    expect(document.git.refs).toEqual({});
    expect(document.coverage.excluded).toEqual(FACTS.excluded);
    expect(document).toMatchObject({ rebuilt: true, rebuilt_from: FACTS.replaces });
  });
});

describe("rebuildDocument of a plain folder", () => {
  const facts = { ...FACTS, headCommit: null, part: samplePart({ index_raw: null }) };
  const git = (left: unknown) => rebuildDocument(facts, left, sha256).document.git;

  it("[R55] keeps that there was no git, and takes it for so where nobody knows", () => {
    const plain = {
      ...sampleDocument().git,
      plain: true,
      branch: null,
      commit: null,
      unborn: true,
    };
    expect(git({ git: plain })).toMatchObject({ plain: true, detached: false });
    expect(git(undefined)).toMatchObject({ plain: true, detached: false, unborn: true });
    expect(git({ git: { ...plain, plain: undefined } })).not.toHaveProperty("plain");
  });
});

describe("withRemadePart", () => {
  it("changes the part and nothing else that the document says", () => {
    const old = sampleDocument({ reason: "why" });
    const part = samplePart({ index_raw: "5".repeat(40) });
    const { document } = withRemadePart(
      old,
      { ...FACTS, part },
      ["flags of index entries"],
      sha256,
    );
    const { parts, checksum, ...rest } = document;
    expect(parts).toEqual([part]);
    expect(checksum).not.toBe(old.checksum);
    const { parts: _parts, checksum: _checksum, ...before } = old;
    expect(rest).toEqual({
      ...before,
      rebuilt: true,
      rebuilt_at: FACTS.rebuiltAt,
      rebuilt_from: FACTS.replaces,
      rebuilt_unknown: ["flags of index entries"],
      rebuilt_unverified: [],
    });
  });
});
