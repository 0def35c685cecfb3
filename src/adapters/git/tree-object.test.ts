import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { EntryMode } from "../../domain/file-state.ts";
import { tempRepository } from "./temp-repository.fixture.ts";
import { compareEntries, decodeTree, encodeTree, type TreeEntry } from "./tree-object.ts";

const name = fc
  .uint8Array({ minLength: 1, maxLength: 8 })
  .map((bytes) => Buffer.from(bytes.filter((byte) => byte !== 0 && byte !== 0x2f)))
  .map((bytes) => bytes.toString("latin1"))
  .filter((text) => text !== "");
const mode = fc.constantFrom<EntryMode>("100644", "100755", "120000", "160000", "040000");
const entries = (oidLength: number) =>
  fc.uniqueArray(
    fc.record({
      mode,
      name,
      oid: fc
        .uint8Array({ minLength: oidLength, maxLength: oidLength })
        .map((bytes) => Buffer.from(bytes).toString("hex")),
    }),
    { selector: (entry) => entry.name },
  );

describe("a tree object", () => {
  it.each([
    ["sha1", 20],
    ["sha256", 32],
  ] as const)("is read as it was written, with %s", (hash, oidLength) => {
    fc.assert(
      fc.property(entries(oidLength), (given) => {
        expect(decodeTree(encodeTree(given), hash)).toEqual(given.toSorted(compareEntries));
      }),
    );
  });

  it("has the bytes that git gives it, whatever the names sort like", async () => {
    const repo = await tempRepository();
    const blob = (await repo.gitWithInput("x", "hash-object", "-w", "--stdin")).trim();
    const tree = (await repo.gitWithInput("", "mktree")).trim();
    const given: TreeEntry[] = [
      { mode: "040000", name: "a", oid: tree },
      { mode: "100644", name: "a.b", oid: blob },
      { mode: "100755", name: "a0", oid: blob },
      { mode: "100644", name: "a-", oid: blob },
      { mode: "120000", name: "\xe9\n", oid: blob },
      { mode: "160000", name: "module", oid: "1".repeat(40) },
      { mode: "040000", name: "Z", oid: tree },
    ];
    const lines = given.map((entry) => {
      const type = entry.mode === "040000" ? "tree" : entry.mode === "160000" ? "commit" : "blob";
      return `${entry.mode} ${type} ${entry.oid}\t${entry.name}\0`;
    });
    const input = Buffer.from(lines.join(""), "latin1");
    const oid = (await repo.gitWithInput(input, "mktree", "-z")).trim();
    const bytes = Buffer.from(await repo.git("cat-file", "tree", oid), "latin1");
    expect(encodeTree(given)).toEqual(bytes);
    expect(decodeTree(bytes, "sha1").map((entry) => entry.name)).toEqual([
      "Z",
      "a-",
      "a.b",
      "a",
      "a0",
      "module",
      "\xe9\n",
    ]);
  });

  it("has an order in which folders end with a slash", () => {
    const entry = (mode: EntryMode, text: string): TreeEntry => ({ mode, name: text, oid: "" });
    const [folder, before, after] = [
      entry("040000", "a"),
      entry("100644", "a."),
      entry("100644", "a0"),
    ];
    expect([compareEntries(folder, before), compareEntries(before, folder)]).toEqual([1, -1]);
    expect([compareEntries(folder, after), compareEntries(after, folder)]).toEqual([-1, 1]);
    expect(compareEntries(folder, folder)).toBe(0);
  });

  it("is refused when it is cut within a name", () => {
    const bytes = encodeTree([{ mode: "100644", name: "name", oid: "1".repeat(40) }]);
    expect(() => decodeTree(bytes.subarray(0, 9), "sha1")).toThrow("cut short");
    expect(decodeTree(Buffer.alloc(0), "sha1")).toEqual([]);
  });
});
