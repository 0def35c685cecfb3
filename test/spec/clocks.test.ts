/** Nothing is believed by a time stamp that a later change may leave as it is. */
import {
  chmodSync,
  linkSync,
  readFileSync,
  renameSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { noCoarseDisk, withCoarseDisk } from "../support/coarse-disk.ts";
import { text } from "../support/json.ts";
import { RuleProject, withSeed } from "./project.ts";

const SECOND = 1_700_000_000;

/** Stages, and makes the new index the same file as the last one, by everything but its content and its change time. */
async function stageUnseen({ repo }: RuleProject, path: string): Promise<void> {
  const index = await repo.gitPath("index");
  linkSync(index, `${index}.same`);
  await repo.git("add", path);
  writeFileSync(`${index}.same`, readFileSync(index));
  renameSync(`${index}.same`, index);
  utimesSync(index, SECOND, SECOND);
}

describe("an index of the same length and time", () => {
  it.each(["with its checksum", "without one (index.skipHash)"])(
    "[R180] is known by what it says, %s",
    async (how) => {
      await withSeed(async (project) => {
        const { repo } = project;
        const index = await repo.gitPath("index");
        const stage = async (content: string): Promise<void> => {
          await repo.write("a.txt", content);
          const written = content === "AAAA" ? SECOND - 60 : SECOND - 30;
          utimesSync(repo.path("a.txt"), written, written);
          await stageUnseen(project, "a.txt");
          if (how.startsWith("without")) {
            const bytes = readFileSync(index);
            writeFileSync(index, bytes.fill(0, bytes.length - 20));
            utimesSync(index, SECOND, SECOND);
          }
        };
        await stage("AAAA");
        await project.create();
        await stage("BBBB");
        const id = await project.create();
        await repo.write("a.txt", "wrecked");
        await repo.git("reset", "-q");
        await project.rollBack(id);
        expect(String(await repo.read("a.txt"))).toBe("BBBB");
        expect(await repo.git("show", ":a.txt")).toBe("BBBB");
      });
    },
  );
});

interface Case {
  /** What was there long before. */
  readonly prepare?: (project: RuleProject) => Promise<void>;
  /** Twice in one second, with a checkpoint in between. */
  readonly change: (project: RuleProject, content: "AAAA" | "BBBB") => Promise<void>;
  readonly look: (project: RuleProject) => Promise<string>;
}

const CASES: Readonly<Record<string, Case>> = {
  "a staged file": {
    change: async ({ repo }, content) => {
      // Git takes the inode of the last index but one.
      for (const next of ["----", content]) {
        await repo.write("staged", next);
        await repo.git("add", "staged");
      }
    },
    look: async ({ repo }) =>
      `${String(await repo.read("staged"))} ${await repo.git("show", ":staged")}`,
  },
  "an untracked file": {
    change: async ({ repo }, content) => repo.write("untracked", content),
    look: async ({ repo }) => String(await repo.read("untracked")),
  },
  "a new name in a tracked folder": {
    prepare: async ({ repo }) => {
      await repo.write("folder/tracked", "tracked");
      await repo.git("add", "-A");
    },
    change: async ({ repo }, content) => repo.write(`folder/${content}`, content),
    look: async ({ repo }) => String(await repo.read("folder/BBBB").catch(() => "not there")),
  },
  "the mode of a tracked file": {
    prepare: async ({ repo }) => {
      await repo.write("tracked", "tracked");
      await repo.git("add", "-A");
    },
    change: async ({ repo }, content) => {
      await repo.git("update-index", "--refresh");
      chmodSync(repo.path("tracked"), content === "AAAA" ? 0o640 : 0o600);
    },
    look: async ({ repo }) => (statSync(repo.path("tracked")).mode & 0o777).toString(8),
  },
  "the attributes of a file that a filter converts without changing its length": {
    prepare: async ({ repo }) => {
      await repo.git("config", "filter.rot.clean", "tr a-z n-za-m");
      await repo.git("config", "filter.rot.smudge", "tr a-z n-za-m");
      await repo.write(".git/info/attributes", "*.one filter=rot");
      await repo.write("file.one", "hello");
      await repo.settle("file.one");
      await repo.git("add", "-A");
      await repo.write(".git/info/attributes", "*.two filter=rot");
    },
    change: async ({ repo }, content) =>
      repo.write(".git/info/attributes", `*.${content === "AAAA" ? "six" : "one"} filter=rot`),
    look: async ({ repo }) => String(await repo.read("file.one")),
  },
};

const EXPECTED: Readonly<Record<string, string>> = {
  "a staged file": "BBBB BBBB",
  "the mode of a tracked file": "600",
  "the attributes of a file that a filter converts without changing its length": "hello",
};

describe.skipIf(noCoarseDisk !== undefined)(
  `on a disk with time stamps of whole seconds (${noCoarseDisk ?? "mounted"})`,
  () => {
    it.concurrent.each(Object.keys(CASES))("[R180] %s is captured as it is now", async (name) => {
      const { prepare, change, look } = CASES[name] as Case;
      await withCoarseDisk(async (repo) => {
        const project = new RuleProject(repo);
        await repo.write("first", "first");
        await repo.git("add", "-A");
        await repo.git("commit", "-q", "-m", "first");
        await prepare?.(project);
        // So that everything is settled and remembered.
        await sleep(3200);
        await project.create();
        await sleep(1000 - (Date.now() % 1000));
        await change(project, "AAAA");
        await project.create();
        await change(project, "BBBB");
        const id = text((await project.ok("create", "--force")).json, "checkpoint", "id");
        const expected = EXPECTED[name] ?? "BBBB";
        expect(await look(project)).toBe(expected);
        await repo.git("reset", "-q", "--hard");
        await repo.git("clean", "-q", "-f", "-d");
        await project.rollBack(id);
        expect(await look(project)).toBe(expected);
      });
    });
  },
);
