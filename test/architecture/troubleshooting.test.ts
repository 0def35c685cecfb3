import { describe, expect, it } from "vitest";
import { EXIT_CODES } from "../../src/interfaces/cli/exit-codes.ts";
import { read } from "./project-files.ts";

const PARTS = ["**What it means.**", "**What Waymark did.**", "**What to do.**"];

/** By code: the text of its section. */
function sections(page: string): Map<string, string> {
  const [, ...parts] = page.split(/^## /m);
  return new Map(
    parts.map((part) => {
      const end = part.indexOf("\n");
      return [part.slice(0, end), part.slice(end)] as const;
    }),
  );
}

describe("docs/troubleshooting.md", () => {
  const found = sections(read("docs/troubleshooting.md"));

  it("has a section for each failure, and none besides", () => {
    expect([...found.keys()].toSorted()).toEqual(Object.keys(EXIT_CODES).toSorted());
  });

  it.each(Object.entries(EXIT_CODES))(
    "%s: what it means, what was done, what to do",
    (code, exit) => {
      const text = found.get(code) ?? "";
      expect(text).toContain(`Exit code ${exit}.`);
      expect(text).toMatch(code === "cancelled" ? /```\nCancelled; / : /```\nerror: .+/);
      for (const part of PARTS) expect(text).toContain(part);
    },
  );
});
