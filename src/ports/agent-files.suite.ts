/** What every adapter of the AgentFiles port has to do. */
import { describe, expect, it } from "vitest";
import { Failure } from "../domain/failure.ts";
import type { AgentFiles, FoundFile } from "./agent-files.ts";

export interface AgentFilesSubject {
  readonly files: AgentFiles;
  /** An empty folder. */
  readonly folder: string;
  /** Somebody else writes. */
  readonly put: (path: string, text: string, mode: number) => void;
  readonly link: (path: string, target: string) => void;
  readonly makeFolder: (path: string) => void;
  readonly isLink: (path: string) => boolean;
  readonly names: (folder: string) => string[];
}

const file = (text: string, mode = 0o644): FoundFile => ({
  bytes: new TextEncoder().encode(text),
  mode,
});

function codeOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (error instanceof Failure) return error.code;
    throw error;
  }
  return "none";
}

export function agentFilesSuite(make: () => AgentFilesSubject): void {
  const textOf = (found: FoundFile | undefined): string | undefined =>
    found === undefined ? undefined : new TextDecoder().decode(found.bytes);

  describe("files of agents", () => {
    it("are made with the folders on the way, which are named", () => {
      const { files, folder, names } = make();
      const path = `${folder}/a/b/c.json`;
      expect(files.read(path)).toBeUndefined();
      expect(files.isThere(path)).toBe(false);
      const made = files.missingFolders(path);
      expect(made).toEqual([`${folder}/a`, `${folder}/a/b`]);
      files.write({ path, before: undefined, after: file("x", 0o600) });
      expect(files.missingFolders(path)).toEqual([]);
      expect(files.read(path)).toEqual(file("x", 0o600));
      expect(names(`${folder}/a/b`)).toEqual(["c.json"]);
      files.remove(path, file("x", 0o600));
      files.removeFolders(made);
      expect(names(folder)).toEqual([]);
    });

    it("keep their mode, and links that lead to them", () => {
      const { files, folder, put, link, isLink, names } = make();
      put(`${folder}/real.json`, "old", 0o640);
      link(`${folder}/link.json`, "real.json");
      const before = files.read(`${folder}/link.json`);
      expect(before).toEqual(file("old", 0o640));
      files.write({ path: `${folder}/link.json`, before, after: file("new", 0o640) });
      expect(isLink(`${folder}/link.json`)).toBe(true);
      expect(files.read(`${folder}/real.json`)).toEqual(file("new", 0o640));
      expect(names(folder)).toEqual(["link.json", "real.json"]);
    });

    it("are made where a link leads that leads nowhere yet, and removed there", () => {
      const { files, folder, link, isLink, names } = make();
      link(`${folder}/link.json`, "later.json");
      const path = `${folder}/link.json`;
      expect(files.read(path)).toBeUndefined();
      files.write({ path, before: undefined, after: file("x") });
      expect(textOf(files.read(`${folder}/later.json`))).toBe("x");
      files.remove(path, file("x"));
      expect(isLink(path)).toBe(true);
      expect(names(folder)).toEqual(["link.json"]);
    });

    it("are left alone when somebody else was quicker", () => {
      const { files, folder, put, names } = make();
      const path = `${folder}/a.json`;
      put(path, "theirs", 0o644);
      const after = file("ours");
      for (const before of [undefined, file("other")]) {
        expect(codeOf(() => files.write({ path, before, after }))).toBe("repository_busy");
      }
      expect(codeOf(() => files.remove(path, file("other")))).toBe("repository_busy");
      expect(textOf(files.read(path))).toBe("theirs");
      expect(codeOf(() => files.write({ path: `${path}x`, before: file("other"), after }))).toBe(
        "repository_busy",
      );
      expect(names(folder)).toEqual(["a.json"]);
    });

    it("that are none are refused", () => {
      const { files, folder, makeFolder, link } = make();
      link(`${folder}/loop.json`, "loop.json");
      expect(codeOf(() => files.read(`${folder}/loop.json`))).toBe("agent_file_invalid");
      makeFolder(`${folder}/a.json`);
      expect(codeOf(() => files.read(`${folder}/a.json`))).toBe("agent_file_invalid");
      expect(files.isThere(`${folder}/a.json`)).toBe(true);
    });

    it("in folders that others use too are left, with their folders", () => {
      const { files, folder, put, names } = make();
      const path = `${folder}/a/ours`;
      const made = files.missingFolders(path);
      files.write({ path, before: undefined, after: file("x") });
      put(`${folder}/a/theirs`, "y", 0o644);
      files.remove(path, file("x"));
      files.removeFolders(made);
      expect(names(`${folder}/a`)).toEqual(["theirs"]);
    });
  });
}
