import { describe, expect, it } from "vitest";
import { mappedForWriting, pathsIn } from "./mapped-files.ts";
import { tempFolder } from "./temp-folder.fixture.ts";

describe("[R183] files that are mapped for writing", () => {
  it("are those of shared, writable maps that have a name", () => {
    const maps = [
      "7f1 rw-s 00000000 fd:01 12345                   /project/a file",
      "7f2 r--s 00000000 fd:01 12346                   /project/read only",
      "7f3 rw-p 00000000 fd:01 12347                   /project/private",
      "7f4 rw-s 00000000 fd:01 12348                   /project/gone (deleted)",
      "7f5 rwxs 00000000 fd:01 12349                   /project/two\\012lines",
      "7f6 rw-s 00000000 00:01 12350 ",
      "7f7 rw-p 00000000 00:00 0                       [heap]",
    ];
    expect(pathsIn(maps.join("\n"))).toEqual(["/project/a file", "/project/two\nlines"]);
  });

  it("are none in a folder that no process has open", () => {
    expect(mappedForWriting(tempFolder())).toEqual(new Set());
  });
});
