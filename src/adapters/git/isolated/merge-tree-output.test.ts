import { describe, expect, it } from "vitest";
import { readMergeTree } from "./merge-tree-output.ts";

const TREE = "b4cda0f1ceb735ac00c1dc806a609d19f4f7dbcf";
const OID = "df967b96a579e45a18b8251732d16804b2e56a55";

function output(...fields: readonly string[]): Buffer {
  return Buffer.from(fields.map((field) => `${field}\0`).join(""), "latin1");
}

describe("what merge-tree prints", () => {
  it("is a tree where everything fits, with or without messages", () => {
    expect(readMergeTree(output(TREE))).toEqual({ tree: TREE, conflicts: [] });
    const said = output(TREE, "", "1", "f", "Auto-merging", "Auto-merging f\n");
    expect(readMergeTree(said)).toEqual({ tree: TREE, conflicts: [] });
  });

  it("has the sides of each path, and the reason in git's words", () => {
    const said = output(
      TREE,
      `100644 ${OID} 1\tg\nh`,
      `100755 ${OID} 3\tg\nh`,
      "",
      "1",
      "g\nh",
      "CONFLICT (modify/delete)",
      "CONFLICT (modify/delete): g deleted in main and modified in api.\n",
    );
    expect(readMergeTree(said).conflicts).toEqual([
      {
        path: '"g\\nh"',
        why: "modify_delete",
        says: "g deleted in main and modified in api.",
        base: { mode: "100644", oid: OID },
        ours: null,
        theirs: { mode: "100755", oid: OID },
      },
    ]);
  });

  it("calls names that were stored escaped by their own", () => {
    const said = output(TREE, `100644 ${OID} 2\twaymark=2e676974`, "");
    expect(readMergeTree(said).conflicts.map(({ path }) => path)).toEqual([".git"]);
  });

  it("is refused when it is something else", () => {
    expect(() => readMergeTree(output(TREE, "what?"))).toThrow("what?");
  });
});
