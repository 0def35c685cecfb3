import { expect, it } from "vitest";
import { wrapped, wrappedPage } from "./wrap.ts";

it("breaks between words, keeps commands and long words whole, and indents", () => {
  expect(wrapped("hint: run `waymark list --all` to see them", 20)).toBe(
    "hint: run\n`waymark list --all`\nto see them",
  );
  expect(wrapped("  one two three\nfour", 10)).toBe("  one two\n  three\nfour");
  expect(wrapped("what it does (`waymark undo`)", 20)).toBe("what it does\n(`waymark undo`)");
  expect(wrapped("resume with: waymark resume a b", 20)).toBe("resume with:\nwaymark resume a b");
  expect(wrapped("label   one two three four", 20)).toBe("label   one two\n        three four");
  expect(wrapped("a /very/long/path/of/a/file b", 8)).toBe("a\n/very/long/path/of/a/file\nb");
  expect(wrapped("short", Number.POSITIVE_INFINITY)).toBe("short");
});

it("joins the lines of a page and leaves comments out, code and tables as they are", () => {
  const page = [
    "# A title that is longer than the width",
    "",
    "<!-- generated",
    "by a script -->",
    "One two three four",
    "five six.",
    "- item one two three",
    "  four",
    "",
    "| a table | that is wide | stays |",
    "```sh",
    "waymark list --all --json # all of it",
    "```",
  ].join("\n");
  expect(wrappedPage(page, 16)).toBe(
    [
      "# A title that is longer than the width",
      "",
      "One two three",
      "four five six.",
      "- item one two",
      "  three four",
      "",
      "| a table | that is wide | stays |",
      "```sh",
      "waymark list --all --json # all of it",
      "```",
    ].join("\n"),
  );
});
