import { describe, expect, it } from "vitest";
import { searchPatch } from "./patch-secrets.ts";

const BODY = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cK";
const KEY = [["-----BEGIN", "PRIVATE KEY-----"].join(" "), BODY, BODY.toLowerCase()];

function patch(header: readonly string[], lines: readonly string[]): string {
  return [`diff --git a/x b/x`, ...header, `@@ -1,9 +1,9 @@`, ...lines, ""].join("\n");
}

describe("secrets in patches", () => {
  it.each([
    ["added", KEY.map((line) => `+${line}`)],
    ["removed", KEY.map((line) => `-${line}`)],
    ["around a change", [...KEY.map((line) => ` ${line}`), "+more"]],
    ["half changed", [` ${KEY[0]}`, `-${KEY[1]}`, `+${KEY[1]}x`, ` ${KEY[2]}`]],
  ])("are found when they were %s", (_, lines) => {
    const found = searchPatch(patch(["--- a/dir/notes.txt", "+++ b/dir/notes.txt"], lines));
    expect(found).toEqual([{ path: "dir/notes.txt", ruleId: "private-key" }]);
  });

  it("are assigned to the file, also to one that came, went, or has an odd name", () => {
    const lines = KEY.map((line) => `+${line}`);
    const paths = [
      ["--- /dev/null", "+++ b/new file\t"],
      ["--- a/gone", "+++ /dev/null"],
      ['--- "a/\\303\\244\\n"', '+++ "b/\\303\\244\\n"'],
      ["--- a/waymark=2e676974", "+++ b/waymark=2e676974"],
    ].flatMap((header) => searchPatch(patch(header, lines)).map(({ path }) => path));
    expect(paths).toEqual(["new file", "gone", "\u00c3\u00a4\n", ".git"]);
  });

  it("are not in binary files, and not in files without any", () => {
    const text =
      `diff --git a/b b/b\nBinary files a/b and b/b differ\n` +
      patch(["--- a/fine", "+++ b/fine"], ["+nothing"]);
    expect(searchPatch(text)).toEqual([
      { path: undefined, ruleId: undefined },
      { path: "fine", ruleId: undefined },
    ]);
  });
});
