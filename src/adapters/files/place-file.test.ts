import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { placeFile } from "./place-file.ts";
import { tempFolder } from "./temp-folder.fixture.ts";

describe("placeFile", () => {
  it("moves a file to a free name", () => {
    const folder = tempFolder();
    writeFileSync(join(folder, "from"), "new");
    expect(placeFile(join(folder, "from"), join(folder, "to"), false)).toBe(true);
    expect(readFileSync(join(folder, "to"), "utf8")).toBe("new");
    expect(existsSync(join(folder, "from"))).toBe(false);
  });

  it("replaces a file only when it is told to", () => {
    const folder = tempFolder();
    const [from, to] = [join(folder, "from"), join(folder, "to")];
    writeFileSync(from, "new");
    writeFileSync(to, "old");
    expect(placeFile(from, to, false)).toBe(false);
    expect(readFileSync(to, "utf8")).toBe("old");
    expect(placeFile(from, to, true)).toBe(true);
    expect(readFileSync(to, "utf8")).toBe("new");
  });
});
