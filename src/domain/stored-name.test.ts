import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { encodeUtf8 } from "./byte-path.ts";
import { originalName, storedName } from "./stored-name.ts";

const hex = (name: string): string => `waymark=${Buffer.from(name, "latin1").toString("hex")}`;

const anyName = fc.oneof(
  fc
    .uint8Array({ minLength: 1, maxLength: 24 })
    .map((bytes) => Buffer.from(bytes.filter((byte) => byte !== 0 && byte !== 0x2f)))
    .map((bytes) => bytes.toString("latin1")),
  fc
    .array(
      fc.constantFrom(".git", "git~1", ".GIT", " ", ".", ":", "\\", "modules", "waymark=", "6"),
    )
    .map((parts) => parts.join("")),
);

describe("storedName", () => {
  it("can be read back for any name", () => {
    fc.assert(
      fc.property(anyName, fc.boolean(), (name, isLink) => {
        expect(originalName(storedName(name, isLink ? "link" : "file"))).toBe(name);
      }),
    );
  });

  it("gives two names two different stored names", () => {
    fc.assert(
      fc.property(anyName, anyName, (left, right) => {
        fc.pre(left !== right);
        expect(storedName(left, "file")).not.toBe(storedName(right, "link"));
      }),
    );
  });

  it.each([
    ["the name itself", ".git"],
    ["other case", ".GIT"],
    ["mixed case", ".GiT"],
    ["the short name of NTFS", "git~1"],
    ["the short name in other case", "GIT~1"],
    ["a space after it", ".git "],
    ["a dot after it", ".git."],
    ["spaces and dots after it", ".git . ."],
    ["a stream of NTFS", ".git::$INDEX_ALLOCATION"],
    ["a stream after a space", ".git :x"],
    ["a backslash after it", ".git\\config"],
    ["a backslash before it", "a\\.git"],
    ["backslashes on both sides", "a\\git~1\\b"],
    ["a zero-width non-joiner in it", encodeUtf8(".g\u200cit")],
    ["a zero-width joiner before it", encodeUtf8("\u200d.git")],
    ["a direction mark after it", encodeUtf8(".git\u200f")],
    ["an embedding mark", encodeUtf8(".gi\u202at")],
    ["a digit shape mark", encodeUtf8(".gi\u206ft")],
    ["a byte order mark", encodeUtf8("\ufeff.Git")],
  ])("escapes .git with %s", (_what, name) => {
    expect(storedName(name, "file")).toBe(hex(name));
  });

  it.each([
    ".gitmodules",
    ".GITMODULES",
    encodeUtf8(".gitm\u200codules"),
    ".gitmodules ",
    ".gitmodules::$DATA",
    "gitmod~1",
    "GITMOD~4",
    "gi7eba~1",
    ".gitattributes",
    "gitatt~1",
    "gi7d29~1",
    ".gitignore",
    "gitign~1",
    "gi250a~1",
    ".mailmap",
  ])("escapes a link named %j", (name) => {
    expect(storedName(name, "link")).toBe(hex(name));
  });

  it("escapes names that look escaped, so that they are not mistaken for others", () => {
    expect(storedName("waymark=2e676974", "file")).toBe(hex("waymark=2e676974"));
    expect(storedName("waymark=", "file")).toBe(hex("waymark="));
  });

  it.each([
    ".gitignore",
    ".github",
    ".gitattributes",
    ".gitmodules",
    ".gitkeep",
    ".git2",
    ".gitx",
    "git",
    "git~2",
    "x.git",
    "git~1x",
    ".mailmap",
    "gi7eba~1",
    "waymark",
    encodeUtf8("waymark\u200c"),
    encodeUtf8(".gît"),
  ])("leaves the ordinary file %j alone", (name) => {
    expect(storedName(name, "file")).toBe(name);
  });

  it.each([".github", ".gitkeep", "README", "link"])(
    "leaves the ordinary link %j alone",
    (name) => {
      expect(storedName(name, "link")).toBe(name);
    },
  );
});

describe("originalName", () => {
  it("leaves what is not escaped alone", () => {
    for (const name of ["a", "waymark", "waymark=", "waymark=2", "waymark=zz", "waymark=2E"]) {
      expect(originalName(name)).toBe(name);
    }
  });

  // Trees can come from HEAD or from an archive: whoever made them chose the bytes that are decoded here.
  it.each(["../evil", "a/b", "/etc/x", "..", ".", "a\0b"])(
    "never makes a name that leads to another folder: %j",
    (name) => {
      expect(originalName(hex(name))).not.toBe(name);
    },
  );
});
