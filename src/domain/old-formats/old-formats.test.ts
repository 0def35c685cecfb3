import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cleanValue } from "./clean-value.ts";
import { FieldReader, timeStamp } from "./field-reader.ts";
import { newerVersion } from "./format-version.ts";
import { nodeStatus, sessionStatus } from "./old-status.ts";
import { sessionSlug } from "./session-slug.ts";

const digest = (text: string): string => Buffer.from(text).toString("hex").padEnd(8, "0");

describe("fields of unknown origin", () => {
  it("are taken or still there: none is lost", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (fields) => {
        const reader = new FieldReader(fields);
        const names = Object.keys(fields);
        const taken = names.flatMap((name, at) => {
          const read = [
            () => reader.text(name),
            () => reader.count(name),
            () => reader.flag(name),
            () => reader.fields(name),
          ][at % 4];
          return read?.() === null ? [] : [name];
        });
        const rest = Object.keys(reader.rest());
        const isNothing = (name: string): boolean => fields[name] === null;
        expect(names.filter((name) => !taken.includes(name) && !isNothing(name))).toEqual(
          rest.filter((name) => !isNothing(name)),
        );
      }),
    );
  });

  it("of another type than they should be count as unknown", () => {
    const reader = new FieldReader({ step: "3", phase: 3, valid: "yes", at: "yesterday" });
    expect([reader.count("step"), reader.text("phase")]).toEqual([null, null]);
    expect([reader.flag("valid"), reader.time("at")]).toEqual([null, null]);
    expect(reader.rest()).toEqual({ step: "3", phase: 3, valid: "yes", at: "yesterday" });
  });

  it.each([
    ["2025-11-01T10:00:00.123456", "2025-11-01T10:00:00.123Z"],
    ["2025-11-01T10:00:00+0200", "2025-11-01T08:00:00.000Z"],
    ["2025-11-01", "2025-11-01T00:00:00.000Z"],
    ["2025-02-31T00:00:00Z", undefined],
    ["1900-01-01T00:00:00Z", undefined],
    [1735689600, undefined],
  ])("have times such as %s", (given, expected) => {
    expect(timeStamp(given)).toBe(expected);
  });
});

describe("values of unknown origin", () => {
  it("lose __proto__ keys and secrets, and nothing else", () => {
    const token = `ghp_${"a1B2c3D4e5".repeat(4).slice(0, 36)}`;
    const given: unknown = JSON.parse(
      `{"a":[{"__proto__":1,"b":"${token}"}],"c":null,"d":{"constructor":2}}`,
    );
    const { value, leftOut, redacted } = cleanValue(given);
    expect([leftOut, redacted]).toEqual([1, 1]);
    expect(value).toEqual({
      a: [{ b: expect.stringMatching(/^\[redacted: /) }],
      c: null,
      d: { constructor: 2 },
    });
  });

  it("keep the ids of commits and checksums", () => {
    const value = {
      commit_hash: "0123456789abcdef0123456789abcdef01234567",
      checksum: "ab".repeat(32),
    };
    expect(cleanValue(value)).toEqual({ value, leftOut: 0, redacted: 0 });
  });
});

describe("versions", () => {
  it.each([
    [{ version: "1.0" }, undefined],
    [{ schema_version: 1 }, undefined],
    [{ schema_version: "1.9.2" }, undefined],
    [{ version: "0.3" }, undefined],
    [{ version: "a word" }, undefined],
    [{ schema_version: 2 }, "2"],
    [{ version: "2.0" }, "2.0"],
    [{ version: "v3" }, "3".padStart(2, "v")],
    [{ schema_version: 1, version: "10.0" }, "10.0"],
  ])("%j", (document, newer) => {
    expect(newerVersion(document)).toBe(newer);
  });
});

describe("statuses", () => {
  it("of what was going on are interrupted, and of nodes unknown", () => {
    expect(["in_progress", "running", null, "toString"].map(sessionStatus)).toEqual(
      Array(4).fill("interrupted"),
    );
    expect(["completed", "FAILED", "paused"].map(sessionStatus)).toEqual([
      "completed",
      "failed",
      "paused",
    ]);
    expect(["running", "done", "constructor"].map(nodeStatus)).toEqual([
      "unknown",
      "completed",
      "unknown",
    ]);
  });
});

describe("ids of sessions", () => {
  it("are one component of a ref, whatever the source calls them", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (id) => {
        expect(sessionSlug(id, digest)).toMatch(/^[A-Za-z0-9][A-Za-z0-9_-]{0,49}$/);
      }),
    );
  });

  it("stay as they are where they will do, and are never those of a work tree", () => {
    expect(sessionSlug("orchestrate_auth_20251003_184530", digest)).toBe(
      "orchestrate_auth_20251003_184530",
    );
    expect(sessionSlug("worktree-main", digest)).toMatch(/^imported-/);
    expect(sessionSlug("Worktree-main", digest)).toMatch(/^imported-/);
  });
});
