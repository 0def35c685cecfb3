/** What every keeper of a run's files has to do. Each adapter's test runs it. */
import { mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import type { AttemptPlace, RunFiles } from "./run-files.ts";

export interface RunFilesSubject {
  readonly files: RunFiles;
  /** The root of the project. */
  readonly root: string;
  /** What a log may take at most. */
  readonly mostLogBytes: number;
}

const PLACE: AttemptPlace = { sessionId: "s_1", step: 3, name: "api", attempt: 2 };

export function runFilesSuite(make: () => RunFilesSubject): void {
  describe("the contract of a run's files", () => {
    let files: RunFiles;
    let root: string;
    let mostLogBytes: number;

    beforeEach(() => {
      ({ files, root, mostLogBytes } = make());
    });

    const inLog = (path: string): string => readFileSync(join(root, path), "utf8");

    it("has a private log for each attempt, by a path of the project", async () => {
      const log = await files.openLog(PLACE);
      log.write(Buffer.from("one\n"));
      log.write(Buffer.from("two\n"));
      log.close();
      log.write(Buffer.from("late"));
      expect(inLog(log.path)).toBe("one\ntwo\n");
      expect(statSync(join(root, log.path)).mode & 0o077).toBe(0);
      const next = await files.openLog({ ...PLACE, attempt: 3 });
      next.close();
      expect(next.path).not.toBe(log.path);
      const again = await files.openLog(PLACE);
      again.write(Buffer.from("again\n"));
      again.close();
      expect(inLog(again.path)).toBe("again\n");
      expect(inLog(log.path)).toBe("one\ntwo\n");
      expect([log.problem, again.problem]).toEqual([undefined, undefined]);
    });

    it("tells odd names apart and keeps each in its folder", async () => {
      const names = ["a b", "a_b", "../../up", "é", "e", "x".repeat(300), "x".repeat(301), ""];
      const paths: string[] = [];
      for (const name of names) {
        const log = await files.openLog({ ...PLACE, name });
        log.close();
        paths.push(log.path);
      }
      expect(new Set(paths).size).toBe(names.length);
      for (const path of paths) expect(path).toMatch(/\/s_1\/[^/]+$/);
    });

    it("keeps the end of a long log, and never more than it may take", async () => {
      const log = await files.openLog(PLACE);
      for (let line = 0; line < 5000; line++) log.write(Buffer.from(`line ${line}\n`));
      log.close();
      const older = statSync(join(root, `${log.path}.1`)).size;
      expect(older + statSync(join(root, log.path)).size).toBeLessThanOrEqual(mostLogBytes);
      expect(inLog(log.path)).toMatch(/line 4999\n$/);
    });

    it("reads the end of a log while it is written, and nothing but logs", async () => {
      const log = await files.openLog(PLACE);
      for (let line = 0; line < 5000; line++) log.write(Buffer.from(`line ${line}\n`));
      const end = await files.endOfLog(log.path);
      expect(Buffer.from(end ?? []).toString()).toMatch(/line 4998\nline 4999\n$/);
      log.close();
      writeFileSync(join(root, "secret"), "secret");
      symlinkSync(join(root, "secret"), join(root, log.path, "..", "link"));
      for (const path of [
        "secret",
        "../secret",
        `${log.path}.gone`,
        join(log.path, "..", "link"),
      ]) {
        expect({ path, end: await files.endOfLog(path) }).toEqual({ path, end: undefined });
      }
    });

    it("does not fail when a log cannot be written, and says what is wrong", async () => {
      const deleted = await files.openLog(PLACE);
      rmSync(join(root, deleted.path, ".."), { recursive: true });
      for (let line = 0; line < 5000; line++) deleted.write(Buffer.from(`line ${line}\n`));
      expect(deleted.problem).toBe("it was deleted");
      deleted.close();
      const full = await files.openLog(PLACE);
      mkdirSync(join(root, `${full.path}.1`));
      for (let line = 0; line < 5000; line++) full.write(Buffer.from(`line ${line}\n`));
      expect(full.problem).toMatch(/EISDIR|folder/);
      full.close();
    });

    it("gives a value to a command and reads what became of it", async () => {
      const path = await files.writeJson(PLACE, "state", { a: [1, "é"] });
      expect(statSync(path).mode & 0o077).toBe(0);
      expect(await files.readJson(path)).toEqual({ kind: "value", value: { a: [1, "é"] } });
      writeFileSync(path, "{half");
      expect(await files.readJson(path)).toMatchObject({ kind: "bad" });
      await files.remove(path);
      await files.remove(path);
      expect(await files.readJson(path)).toBeUndefined();
    });

    it("sweeps up what killed commands were given, and forgets a session with its logs", async () => {
      const log = await files.openLog(PLACE);
      log.close();
      const given = await files.writeJson(PLACE, "state", {});
      const other = await files.writeJson({ ...PLACE, sessionId: "s_2" }, "state", {});
      await files.sweep(PLACE.sessionId);
      expect(await files.readJson(given)).toBeUndefined();
      expect(inLog(log.path)).toBe("");
      await files.forget(PLACE.sessionId);
      await files.forget(PLACE.sessionId);
      await files.sweep(PLACE.sessionId);
      expect(() => inLog(log.path)).toThrow("ENOENT");
      expect(await files.readJson(other)).toEqual({ kind: "value", value: {} });
    });

    it("finds outputs with size and digest, and says what is wrong with those that are none", async () => {
      mkdirSync(join(root, "docs"));
      writeFileSync(join(root, "docs", "spec.md"), "abc");
      symlinkSync("spec.md", join(root, "docs", "link"));
      expect(await files.find(root, "docs/spec.md")).toEqual({
        kind: "file",
        size: 3,
        sha256: "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
      });
      const problem = async (path: string): Promise<string> => {
        const found = await files.find(root, path);
        return found.kind === "bad" ? found.problem : "it was found";
      };
      expect(await problem("docs/gone.md")).toBe("there is no such file");
      expect(await problem("docs")).toBe("it is a folder");
      expect(await problem("docs/link")).toBe("it is a link");
      expect(await files.findJson(root, "docs/spec.md")).toMatchObject({ kind: "bad" });
    });

    it("lets one start at a time", async () => {
      const first = await files.enter();
      let isIn = false;
      const second = files.enter().then((place) => {
        isIn = true;
        return place;
      });
      await files.readJson(join(root, "nothing"));
      expect(isIn).toBe(false);
      first.leave();
      (await second).leave();
    });
  });
}
