import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { asBytePath, isInside, type BytePath } from "./byte-path.ts";
import type { ExclusionReason } from "./checkpoint.ts";
import type { FileState, PathChange } from "./file-state.ts";
import {
  isEmptyPlan,
  planFiles,
  touchedPaths,
  type FilePlan,
  type FilePlanInput,
  type KeepReason,
} from "./rollback-plan.ts";

const file = (oid: string, mode = 0o644): FileState => ({ type: "file", oid, mode });
const link = (oid: string): FileState => ({ type: "link", oid, mode: 0 });

function change(path: string, before: FileState | null, target: FileState | null): PathChange {
  return { path: asBytePath(path), before, target };
}

interface Scene {
  readonly changes?: readonly PathChange[];
  readonly unknown?: Readonly<Record<string, ExclusionReason>>;
  readonly protect?: Readonly<Record<string, KeepReason>>;
  readonly emptyBefore?: Readonly<Record<string, number>>;
  readonly emptyTarget?: Readonly<Record<string, number>>;
  readonly foldersAtTarget?: readonly string[];
  readonly scope?: readonly string[];
}

const byPath = <T>(record: Readonly<Record<string, T>> = {}): Map<BytePath, T> =>
  new Map(Object.entries(record).map(([path, value]) => [asBytePath(path), value]));

function plan(scene: Scene): FilePlan {
  const input: FilePlanInput = {
    changes: scene.changes ?? [],
    unknownAtTarget: (path) => scene.unknown?.[path],
    protectedFromRemoval: byPath(scene.protect),
    emptyFolders: { before: byPath(scene.emptyBefore), target: byPath(scene.emptyTarget) },
    folderAtTarget: (folder) => scene.foldersAtTarget?.includes(folder) ?? false,
    inScope: (path) =>
      scene.scope === undefined || scene.scope.some((part) => isInside(path, asBytePath(part))),
  };
  return planFiles(input);
}

const paths = (steps: readonly { readonly path: BytePath }[]): string[] =>
  steps.map((step) => step.path);

describe("planFiles", () => {
  it("writes what is different, what is gone, and what became another kind", () => {
    const made = plan({
      changes: [
        change("c", file("1"), link("1")),
        change("b", null, file("1")),
        change("a", file("2"), file("1")),
      ],
    });
    expect(made.write).toEqual([
      { path: "a", before: file("2"), target: file("1") },
      { path: "b", before: null, target: file("1") },
      { path: "c", before: file("1"), target: link("1") },
    ]);
    expect([...made.remove, ...made.mode, ...made.keep]).toEqual([]);
  });

  it("removes what was not there", () => {
    const made = plan({ changes: [change("a", file("1"), null)] });
    expect(made.remove).toEqual([{ path: "a", before: file("1") }]);
    expect(made.write).toEqual([]);
  });

  it("sets the mode alone where the bytes are equal", () => {
    const made = plan({ changes: [change("a", file("1", 0o600), file("1", 0o755))] });
    expect(made.mode).toEqual([{ path: "a", before: file("1", 0o600), target: file("1", 0o755) }]);
    expect(made.write).toEqual([]);
  });

  it("leaves equal files alone", () => {
    const made = plan({
      changes: [change("a", file("1"), file("1")), change("b", null, null)],
    });
    expect(isEmptyPlan(made)).toBe(true);
    expect(touchedPaths(made)).toEqual([]);
  });

  it("keeps what the rules ignore, and says why", () => {
    const made = plan({
      changes: [change("a.log", file("1"), null), change("b", file("1"), null)],
      protect: { "a.log": "ignored" },
    });
    expect(made.keep).toEqual([{ path: "a.log", reason: "ignored" }]);
    expect(paths(made.remove)).toEqual(["b"]);
  });

  it("keeps what the checkpoint knows nothing about, and says why", () => {
    const made = plan({
      changes: [change("big", file("1"), null), change("key.pem", file("1"), null)],
      unknown: { big: "over_budget", "key.pem": "sensitive" },
    });
    expect(made.keep).toEqual([
      { path: "big", reason: "over_budget" },
      { path: "key.pem", reason: "sensitive" },
    ]);
    expect(made.remove).toEqual([]);
  });

  it("names the checkpoint's ignorance before the ignore rules", () => {
    const made = plan({
      changes: [change("a", file("1"), null)],
      unknown: { a: "nested_repository" },
      protect: { a: "ignored" },
    });
    expect(made.keep).toEqual([{ path: "a", reason: "nested_repository" }]);
  });

  it("writes a file that the ignore rules match: they protect from removal only", () => {
    const made = plan({
      changes: [change("a.log", file("2"), file("1"))],
      protect: { "a.log": "ignored" },
    });
    expect(paths(made.write)).toEqual(["a.log"]);
  });

  it("touches only what is in scope: the path itself and what is below it", () => {
    const changes = [
      change("src", file("1"), file("2")),
      change("src/a", null, file("1")),
      change("src/b", file("1"), null),
      change("src2", file("1"), null),
      change("other", file("1", 0o600), file("1")),
    ];
    expect(touchedPaths(plan({ changes, scope: ["src"] })).sort()).toEqual([
      "src",
      "src/a",
      "src/b",
    ]);
    expect(touchedPaths(plan({ changes, scope: ["src/a", "other"] })).sort()).toEqual([
      "other",
      "src/a",
    ]);
    expect(touchedPaths(plan({ changes, scope: [] }))).toEqual([]);
    expect(touchedPaths(plan({ changes, scope: [""] }))).toHaveLength(5);
  });

  it("does whatever happens in the order of the paths' bytes", () => {
    const names = ["b", "a/b", "a", "a.b", "\xff", "Z"];
    const sorted = ["Z", "a", "a.b", "a/b", "b", "\xff"];
    expect(paths(plan({ changes: names.map((n) => change(n, null, file("1"))) }).write)).toEqual(
      sorted,
    );
    expect(paths(plan({ changes: names.map((n) => change(n, file("1"), null)) }).remove)).toEqual(
      sorted,
    );
  });
});

describe("planFiles for folders", () => {
  it("makes empty folders again, with their modes", () => {
    const made = plan({ emptyTarget: { "a/b": 0o700, c: 0o755 }, emptyBefore: { c: 0o755 } });
    expect([...made.makeFolders]).toEqual([["a/b", 0o700]]);
    expect(isEmptyPlan(made)).toBe(false);
  });

  it("takes away folders that only removed files kept in existence, the deepest first", () => {
    const made = plan({ changes: [change("a/b/c/f", file("1"), null)] });
    expect(made.removeFolders).toEqual(["a/b/c", "a/b", "a"]);
  });

  it("takes away empty folders that were not there", () => {
    const made = plan({ emptyBefore: { "a/b": 0o755 } });
    expect(made.removeFolders).toEqual(["a/b", "a"]);
    expect(isEmptyPlan(made)).toBe(false);
  });

  it("leaves folders that the checkpoint has, with files or empty", () => {
    const made = plan({
      changes: [change("a/b/f", file("1"), null), change("c/d/f", file("1"), null)],
      foldersAtTarget: ["a"],
      emptyTarget: { "c/d": 0o755 },
    });
    expect(made.removeFolders).toEqual(["a/b"]);
  });

  it("leaves folders that the checkpoint knows nothing about", () => {
    const made = plan({
      changes: [change("node_modules/x/f", file("1"), null)],
      unknown: { node_modules: "ignored", "node_modules/x": "ignored" },
    });
    expect(made.removeFolders).toEqual([]);
  });

  it("leaves empty folders out of scope alone", () => {
    const made = plan({
      emptyBefore: { old: 0o755, "in/old": 0o755 },
      emptyTarget: { new: 0o755, "in/new": 0o755 },
      foldersAtTarget: ["in"],
      scope: ["in"],
    });
    expect(made.removeFolders).toEqual(["in/old"]);
    expect([...made.makeFolders.keys()]).toEqual(["in/new"]);
  });

  // Sameness counts the mode of an empty folder, so this rollback does not reach its target.
  it("sets the mode of an empty folder that is there with another one", () => {
    const made = plan({ emptyBefore: { a: 0o700 }, emptyTarget: { a: 0o755 } });
    expect(isEmptyPlan(made)).toBe(false);
  });
});

describe("any plan", () => {
  const name = fc
    .array(fc.constantFrom("a", "b", "c", "a.b", "\xff"), { minLength: 1, maxLength: 3 })
    .map((parts) => asBytePath(parts.join("/")));
  const state = fc.option(
    fc.record({
      type: fc.constantFrom<"file" | "link">("file", "link"),
      oid: fc.constantFrom("1", "2"),
      mode: fc.constantFrom(0o600, 0o644, 0o755),
    }),
  );
  const changes = fc.uniqueArray(fc.record({ path: name, before: state, target: state }), {
    selector: (item) => item.path,
  });
  const scene = fc.record({
    changes,
    unknown: fc.uniqueArray(name),
    ignored: fc.uniqueArray(name),
    scope: fc.option(fc.array(name), { nil: undefined }),
  });

  it("removes nothing that is unknown, protected, absent, or out of scope", () => {
    fc.assert(
      fc.property(scene, ({ changes: given, unknown, ignored, scope }) => {
        const made = planFiles({
          changes: given,
          unknownAtTarget: (path) => (unknown.includes(path) ? "ignored" : undefined),
          protectedFromRemoval: new Map(ignored.map((path) => [path, "ignored"])),
          emptyFolders: { before: new Map(), target: new Map() },
          folderAtTarget: () => false,
          inScope: (path) => scope === undefined || scope.some((part) => isInside(path, part)),
        });
        for (const { path, before } of made.remove) {
          expect([...unknown, ...ignored]).not.toContain(path);
          expect(before).not.toBeNull();
        }
        for (const path of touchedPaths(made)) {
          expect(scope === undefined || scope.some((part) => isInside(path, part))).toBe(true);
        }
        for (const folder of made.removeFolders) expect(unknown).not.toContain(folder);
        const all = [...touchedPaths(made), ...paths(made.keep)];
        expect(new Set(all).size).toBe(all.length);
      }),
    );
  });
});
