import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { asBytePath } from "./byte-path.ts";
import { decodeManifest, encodeManifest, type BackupManifest } from "./file-backup.ts";

const SHA = "a".repeat(64);

function manifest(...paths: readonly string[]): BackupManifest {
  return {
    entries: paths.map((path) => ({
      type: "file",
      path: asBytePath(path),
      sha256: SHA,
      size: 1,
      mode: 0o644,
    })),
    leftOut: [{ path: "x/", reason: "nested_repository", size: null }],
    absentFolders: [asBytePath("gone")],
  };
}

describe("the manifest of a file backup", () => {
  it("comes back as it was, whatever the names are", () => {
    const name = fc
      .string({
        unit: fc.integer({ min: 1, max: 255 }).map((code) => String.fromCharCode(code)),
        minLength: 1,
      })
      .filter((text) => !/[/]|^\.{1,2}$|^\.git$|^\.checkpoints$/i.test(text));
    fc.assert(
      fc.property(fc.uniqueArray(name, { minLength: 1 }), (names) => {
        const made = manifest(...names.toSorted((a, b) => (a < b ? -1 : 1)));
        expect(decodeManifest(encodeManifest(made), false)).toEqual(made);
      }),
    );
  });

  it("is the same text for the same content in another order", () => {
    expect(encodeManifest(manifest("b", "a"))).toBe(encodeManifest(manifest("a", "b")));
  });

  it.each([
    "../x",
    "a/../../x",
    ".git/hooks/pre-commit",
    "sub/.git/config",
    ".checkpoints/exports/x",
    "/etc/../x",
    "/srv/.git/hooks/x",
    "a//b",
    "",
  ])("is refused when it names %s", (path) => {
    expect(typeof decodeManifest(encodeManifest(manifest(path)), false)).toBe("string");
  });

  it("is refused when a path comes twice, or is not where it says", () => {
    expect(typeof decodeManifest(encodeManifest(manifest("a", "a")), false)).toBe("string");
    const moved = encodeManifest(manifest("a")).replace('"project"', '"outside"');
    expect(typeof decodeManifest(moved, false)).toBe("string");
  });

  it("never throws, whatever it is given", () => {
    const text = fc.oneof(
      fc.string(),
      fc.json(),
      fc.jsonValue().map((value) => JSON.stringify(value)),
    );
    fc.assert(fc.property(text, (given) => typeof decodeManifest(given, false) === "string"));
    const good = JSON.parse(encodeManifest(manifest("a"))) as Record<string, unknown>;
    const broken = fc.record({
      schema_version: fc.constant(1),
      files: fc.oneof(fc.array(fc.jsonValue()), fc.constant(good["files"])),
      left_out: fc.oneof(fc.array(fc.jsonValue()), fc.constant([])),
      absent_folders: fc.oneof(fc.array(fc.jsonValue()), fc.constant([])),
    });
    fc.assert(
      fc.property(broken, (given) => {
        decodeManifest(JSON.stringify(given), false);
      }),
    );
  });
});
