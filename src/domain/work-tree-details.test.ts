import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { asBytePath, showPath, type BytePath } from "./byte-path.ts";
import type { Exclusion } from "./checkpoint.ts";
import {
  decodeDetails,
  encodeDetails,
  modeAt,
  STANDARD_MODES,
  unknownPaths,
  type WorkTreeDetails,
} from "./work-tree-details.ts";

const component = fc.oneof(
  fc
    .uint8Array({ minLength: 1, maxLength: 6 })
    .map((bytes) => Buffer.from(bytes.filter((byte) => byte !== 0 && byte !== 0x2f)))
    .map((bytes) => bytes.toString("latin1"))
    .filter((name) => name !== ""),
  fc.constantFrom("a", "__proto__", "0", "7", "constructor", '"', '"a"', "\\", "\n", "\xff", "a "),
);
const path = fc
  .array(component, { minLength: 1, maxLength: 3 })
  .map((names) => asBytePath(names.join("/")));
const mode = fc.integer({ min: 0, max: 0o7777 });
const modes = fc.array(fc.tuple(path, mode)).map((pairs) => new Map<BytePath, number>(pairs));

describe("details in a file", () => {
  it("come back as they were, for any names and modes", () => {
    fc.assert(
      fc.property(
        modes,
        modes,
        fc.array(path),
        mode,
        mode,
        (some, empty, left, plain, executable) => {
          const details: WorkTreeDetails = {
            defaults: { plain, executable },
            modes: some,
            emptyFolders: empty,
            excluded: left.map((excluded): Exclusion => ({
              path: showPath(excluded),
              reason: "ignored",
              size: null,
            })),
          };
          expect(decodeDetails(encodeDetails(details))).toEqual(details);
        },
      ),
    );
  });

  it("are the same text in whatever order things were found", () => {
    const pairs: [BytePath, number][] = [
      [asBytePath("b"), 0o600],
      [asBytePath("a"), 0o640],
    ];
    const details = (given: [BytePath, number][]): WorkTreeDetails => ({
      defaults: STANDARD_MODES,
      modes: new Map(given),
      emptyFolders: new Map(given),
      excluded: [],
    });
    expect(encodeDetails(details(pairs))).toBe(encodeDetails(details(pairs.toReversed())));
  });
});

describe("modeAt", () => {
  const details: WorkTreeDetails = {
    defaults: { plain: 0o664, executable: 0o775 },
    modes: new Map([[asBytePath("secret"), 0o600]]),
    emptyFolders: new Map(),
    excluded: [],
  };

  it("is what was written down, else the default of the kind", () => {
    expect(modeAt(details, asBytePath("secret"), true)).toBe(0o600);
    expect(modeAt(details, asBytePath("other"), false)).toBe(0o664);
    expect(modeAt(details, asBytePath("other"), true)).toBe(0o775);
  });
});

describe("unknownPaths", () => {
  const excludeAll = (...shown: string[]): ((path: string) => string | undefined) => {
    const unknown = unknownPaths(
      shown.map((path): Exclusion => ({ path, reason: "ignored", size: null })),
    );
    return (path) => unknown(asBytePath(path))?.path;
  };

  it("knows a file by its name alone", () => {
    const unknown = excludeAll("a/b.log");
    expect(unknown("a/b.log")).toBe("a/b.log");
    expect(unknown("a/b.log/c")).toBeUndefined();
    expect(unknown("a")).toBeUndefined();
    expect(unknown("a/b")).toBeUndefined();
  });

  it("knows a folder and everything below it", () => {
    const unknown = excludeAll("node_modules/", "a/build/");
    expect(unknown("node_modules")).toBe("node_modules/");
    expect(unknown("node_modules/x/y/z")).toBe("node_modules/");
    expect(unknown("a/build/x")).toBe("a/build/");
    expect(unknown("build/x")).toBeUndefined();
    expect(unknown("node_modules2/x")).toBeUndefined();
    expect(unknown("a")).toBeUndefined();
  });

  it("knows folders whose names are shown in quotes", () => {
    const unknown = excludeAll(showPath(asBytePath("a\xff/")), "b/");
    expect(unknown("a\xff/x")).toBe('"a\\377/"');
    expect(unknown("b")).toBe("b/");
  });

  it("knows folders and files of any name", () => {
    fc.assert(
      fc.property(path, component, (folder, name) => {
        const inside = excludeAll(showPath(asBytePath(`${folder}/`)));
        expect(inside(folder)).toBeDefined();
        expect(inside(`${folder}/${name}`)).toBeDefined();
        expect(inside(`${folder}x`)).toBeUndefined();
      }),
    );
    const file = path.filter((name) => !name.endsWith('/"'));
    fc.assert(
      fc.property(file, component, (excluded, name) => {
        const unknown = excludeAll(showPath(excluded));
        expect(unknown(excluded)).toBeDefined();
        expect(unknown(`${excluded}/${name}`)).toBeUndefined();
      }),
    );
  });

  // Its shown form `a/"` is taken for the quoted form of a folder: the file counts as known and absent.
  it("knows a file that is named by a quote alone", () => {
    expect(excludeAll(showPath(asBytePath('a/"')))('a/"')).toBe('a/"');
  });
});
