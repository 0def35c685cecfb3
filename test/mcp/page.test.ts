/** docs/mcp.md names every tool, and says the truth about each. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { toolsOf } from "../../src/interfaces/mcp/tool-table.ts";

const page = readFileSync(new URL("../../docs/mcp.md", import.meta.url), "utf8");
const rows = [...page.matchAll(/^\| `(\w+)` \| .+ \| (.+) \|$/gm)];

describe("the page about the MCP server", () => {
  it("lists every tool, in their order", () => {
    expect(rows.map(([, name]) => name)).toEqual(toolsOf(true).map(({ name }) => name));
  });

  it("says which change nothing", () => {
    const quiet = rows.filter(([, , changes]) => changes === "nothing").map(([, name]) => name);
    const readOnly = toolsOf(true).filter(({ annotations }) => annotations.readOnlyHint);
    expect(quiet).toEqual(readOnly.map(({ name }) => name));
  });

  it("says which need to be confirmed", () => {
    const confirmed = rows
      .filter(([row]) => row.includes("when confirmed"))
      .map(([, name]) => name);
    expect(confirmed).toEqual(["roll_back", "undo", "redo"]);
  });
});
