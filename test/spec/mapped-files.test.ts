/** Files that a program writes through a shared memory map, which leaves no new time stamp. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, utimesSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { withSeed } from "./project.ts";

const canMap = existsSync("/proc/self/maps") && spawnSync("python3", ["-c", ""]).status === 0;

/** Writes each line that it reads to the beginning of the file. */
const WRITER = `
import mmap, sys
with open(sys.argv[1], "r+b") as file:
    memory = mmap.mmap(file.fileno(), 0)
    for line in sys.stdin:
        memory[0:4] = line.strip().encode()
        print("written", flush=True)
`;

async function mapped(path: string) {
  const child = spawn("python3", ["-c", WRITER, path], { stdio: ["pipe", "pipe", "inherit"] });
  return {
    write: async (text: string): Promise<void> => {
      child.stdin.write(`${text}\n`);
      await once(child.stdout, "data");
    },
    end: async (): Promise<void> => {
      child.stdin.end();
      await once(child, "close");
    },
  };
}

describe.skipIf(!canMap)(
  "a file that is written through a memory map (needs /proc and python3)",
  () => {
    it.each(["untracked", "b.txt"])(
      "[R183] is in the safety checkpoint as it is: %s",
      async (path) => {
        await withSeed(async (project) => {
          const { repo } = project;
          await repo.write(path, "AAAA and more\n");
          const id = await project.create();
          const writer = await mapped(String(repo.path(path)));
          try {
            await writer.write("BBBB");
            utimesSync(repo.path(path), 1_700_000_000, 1_700_000_000);
            if (path !== "untracked") await repo.git("add", path);
            await project.create();
            await new Promise((resolve) => setTimeout(resolve, 2500));
            await project.create();
            await writer.write("CCCC");
            await project.rollBack(id);
            expect(String(await repo.read(path))).toBe("AAAA and more\n");
            await project.ok("undo", "--yes");
            expect(String(await repo.read(path))).toBe("CCCC and more\n");
          } finally {
            await writer.end();
          }
        });
      },
    );
  },
);
