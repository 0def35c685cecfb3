import { describe, expect, it } from "vitest";
import { asBytePath, type BytePath } from "./byte-path.ts";
import type { EntryMode } from "./file-state.ts";
import { mergeDetails, pathsToKnow, type DetailsSide } from "./merge-details.ts";
import { STANDARD_MODES, type WorkTreeDetails } from "./work-tree-details.ts";

interface Given {
  readonly modes?: Readonly<Record<string, number>>;
  readonly folders?: Readonly<Record<string, number>>;
  readonly entries?: Readonly<Record<string, EntryMode>>;
}

function map(given: Readonly<Record<string, number>> = {}): Map<BytePath, number> {
  return new Map(Object.entries(given).map(([path, mode]) => [asBytePath(path), mode]));
}

function details({ modes, folders }: Given): WorkTreeDetails {
  return { defaults: STANDARD_MODES, modes: map(modes), emptyFolders: map(folders), excluded: [] };
}

function side(given: Given): DetailsSide {
  return { details: details(given), entryAt: (path) => given.entries?.[path] };
}

function merged(base: Given, ours: Given, theirs: Given, entries: Given["entries"] = {}) {
  const changed = Object.keys(entries).map(asBytePath);
  const asked = pathsToKnow([details(base), details(ours), details(theirs)], changed);
  const result = mergeDetails(
    { base: side(base), ours: side(ours), theirs: side(theirs), merged: (path) => entries[path] },
    asked,
  );
  return {
    modes: Object.fromEntries(result.modes),
    folders: Object.fromEntries(result.emptyFolders),
  };
}

const PLAIN = { f: "100644" } as const;
const EXECUTABLE = { f: "100755" } as const;

describe("full modes", () => {
  const usual: Given = { entries: PLAIN };
  const tight: Given = { entries: PLAIN, modes: { f: 0o600 } };
  const wide: Given = { entries: PLAIN, modes: { f: 0o664 } };

  it.each([
    ["only they changed it", usual, usual, tight, 0o600],
    ["only we changed it", usual, tight, usual, 0o600],
    ["both changed it to the same", usual, tight, tight, 0o600],
    ["both changed it: ours counts", usual, tight, wide, 0o600],
    ["they made it the usual one", tight, tight, usual, undefined],
    ["they made the file", {}, {}, tight, 0o600],
    ["nobody changed it", tight, tight, tight, 0o600],
  ] as const)("%s", (_, base, ours, theirs, expected) => {
    expect(merged(base, ours, theirs, PLAIN).modes["f"]).toBe(expected);
  });

  it("git decides who may execute it", () => {
    const theirs: Given = { entries: EXECUTABLE };
    expect(merged(usual, tight, theirs, EXECUTABLE).modes).toEqual({});
  });

  it("a file that is gone, or is a link now, has none", () => {
    expect(merged(tight, tight, {}, {}).modes).toEqual({});
    expect(merged(tight, tight, { entries: { f: "120000" } }, { f: "120000" }).modes).toEqual({});
  });
});

describe("empty folders", () => {
  const empty: Given = { folders: { "d/e": 0o755 } };

  it.each([
    ["they made it", {}, {}, empty, { "d/e": 0o755 }],
    ["they removed it", empty, empty, {}, {}],
    ["we made it", {}, empty, {}, { "d/e": 0o755 }],
    ["we removed it", empty, {}, empty, {}],
    ["they changed its mode", empty, empty, { folders: { "d/e": 0o700 } }, { "d/e": 0o700 }],
  ] as const)("%s", (_, base, ours, theirs, expected) => {
    expect(merged(base, ours, theirs).folders).toEqual(expected);
  });

  it("one with files in it is not empty", () => {
    expect(merged(empty, empty, {}, { "d/e": "040000" }).folders).toEqual({});
  });

  it("one whose place a file took is gone", () => {
    expect(merged({}, empty, { entries: { d: "100644" } }, { d: "100644" }).folders).toEqual({});
  });
});
