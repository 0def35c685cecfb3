/** Odd names and types of files survive the same trip as ordinary ones, tracked, untracked, and new in the wrecked state. */
import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { link, mkdir, readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { stateDriver } from "../support/state-driver.ts";
import { roundTrip, type RoundTrip } from "../support/round-trip.ts";
import { seedRepository } from "../support/seed-repository.ts";
import { type TempRepository, withTempRepository } from "../support/temp-repository.ts";
import { walkTree } from "../support/work-tree-walk.ts";
import { trackableNames, untrackableNames } from "./odd-name-catalogue.ts";

type Step = (repo: TempRepository) => Promise<unknown>;

async function trip(prepare: Step, wreck: Step, fsck = true): Promise<RoundTrip> {
  return await withTempRepository(async (repo) => {
    await seedRepository(repo);
    await prepare(repo);
    return await roundTrip(repo, stateDriver(repo), {
      wreck: async (wrecked) => void (await wreck(wrecked)),
      fsck,
    });
  });
}

const writeAll =
  (names: readonly (Buffer | string)[], content: string): Step =>
  async (repo) => {
    for (const name of names) {
      await repo.write(name, content);
    }
  };

const removeAll =
  (names: readonly (Buffer | string)[]): Step =>
  async (repo) => {
    for (const name of names) {
      await repo.remove(name);
    }
  };

const everyName = [...trackableNames, ...untrackableNames];

describe.concurrent("a catalogue of odd names", () => {
  it("is tracked and deleted", async () => {
    await trip(async (repo) => {
      await writeAll(trackableNames, "tracked\n")(repo);
      await repo.stage(trackableNames);
      await repo.commit("odd names");
    }, removeAll(trackableNames));
  });

  it("is tracked, edited and committed again", async () => {
    await trip(
      async (repo) => {
        await writeAll(trackableNames, "tracked\n")(repo);
        await repo.stage(trackableNames);
        await repo.commit("odd names");
        await writeAll(trackableNames, "edited\n")(repo);
      },
      async (repo) => {
        await writeAll(trackableNames, "wrecked\n")(repo);
        await repo.stage(trackableNames);
        await repo.commit("wrecked");
      },
    );
  });

  it("is untracked and deleted", async () => {
    await trip(writeAll(everyName, "untracked\n"), removeAll(everyName));
  });

  it("is untracked and edited", async () => {
    await trip(writeAll(everyName, "untracked\n"), writeAll(everyName, "edited\n"));
  });

  it("appears only after the checkpoint", async () => {
    await trip(async () => undefined, writeAll(everyName, "new\n"));
  });

  it("names empty folders", async () => {
    const folders = (repo: TempRepository): Promise<unknown> =>
      Promise.all(trackableNames.map((name) => repo.folder(name)));
    await trip(folders, removeAll(trackableNames));
  });

  it("names symlinks and is the target of symlinks", async () => {
    await trip(
      async (repo) => {
        for (const [index, name] of trackableNames.entries()) {
          await repo.link(name, `target ${index}`);
          await repo.link(`link-to-${index}`, name);
        }
      },
      removeAll([...trackableNames, ...trackableNames.map((_, index) => `link-to-${index}`)]),
    );
  });

  it("has names that fsck calls hostile as symlinks", async () => {
    const names = [".gitmodules", ".gitattributes", ".gitignore", "gitmod~1", "sub/.gitmodules"];
    await trip(async (repo) => {
      await repo.git("rm", "-q", "-f", ".gitignore");
      await repo.commit("no rules");
      await repo.remove("trace.log");
      await repo.remove("build");
      for (const name of names) {
        await repo.link(name, "a.txt");
      }
    }, removeAll(names));
  });
});

type Shape = "file" | "folder" | "link";

const shapes: Readonly<Record<Shape, Step>> = {
  file: (repo) => repo.write("shape", "a file\n"),
  folder: (repo) => repo.write("shape/inside/file.txt", "in a folder\n"),
  link: (repo) => repo.link("shape", "dir"),
};

const swaps = (["file", "folder", "link"] as const).flatMap((from) =>
  (["file", "folder", "link"] as const)
    .filter((to) => to !== from)
    .flatMap((to) =>
      (["committed", "tracked", "untracked"] as const).map((how) => ({ from, to, how })),
    ),
);

describe("a path changes its type", () => {
  it.concurrent.each(swaps)("from $from to $to, $how", async ({ from, to, how }) => {
    await trip(
      async (repo) => {
        await shapes[from](repo);
        if (how !== "untracked") {
          await repo.git("add", "shape");
          await repo.commit(from);
        }
      },
      async (repo) => {
        await repo.remove("shape");
        await shapes[to](repo);
        if (how === "committed") {
          await repo.git("add", "-A");
          await repo.commit(to);
        }
      },
    );
  });
});

describe.concurrent("nothing outside of the project is written or deleted", () => {
  /** A folder beside the project, with a file of the same name as one inside. */
  async function outside(repo: TempRepository): Promise<() => unknown> {
    const folder = join(repo.base, "outside");
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, "c.txt"), "outside\n");
    await writeFile(join(folder, "other.txt"), "outside\n");
    return () => walkTree(folder, () => false);
  }

  async function check(prepare: Step, wreck: Step): Promise<void> {
    await withTempRepository(async (repo) => {
      await seedRepository(repo);
      const look = await outside(repo);
      await prepare(repo);
      const before = look();
      await roundTrip(repo, stateDriver(repo), {
        wreck: async (wrecked) => void (await wreck(wrecked)),
      });
      expect(look()).toEqual(before);
    });
  }

  it("when a tracked folder became a link to it", async () => {
    await check(
      async () => undefined,
      (repo) => repo.link("dir", "../outside"),
    );
  });

  it("when an untracked folder became a link to it", async () => {
    await check(
      (repo) => repo.write("loose/deep/c.txt", "untracked\n"),
      (repo) => repo.link("loose/deep", "../../outside"),
    );
  });

  it("when a link to it became a folder with the same files", async () => {
    await check(
      (repo) => repo.link("door", "../outside"),
      async (repo) => {
        await repo.remove("door");
        await repo.write("door/c.txt", "inside\n");
      },
    );
  });

  it("when a link to it is new", async () => {
    await check(
      async () => undefined,
      (repo) => repo.link("door", "../outside"),
    );
  });

  it("when a link to one of its files replaced a file", async () => {
    await check(
      async () => undefined,
      (repo) => repo.link("a.txt", "../outside/c.txt"),
    );
  });

  it("when a file is also known outside, by a hard link", async () => {
    await withTempRepository(async (repo) => {
      await seedRepository(repo);
      const twin = join(repo.base, "twin.txt");
      await roundTrip(repo, stateDriver(repo), {
        async wreck() {
          await writeFile(twin, "a file of somebody else\n");
          await repo.remove("a.txt");
          await link(twin, repo.path("a.txt"));
        },
      });
      expect(await readFile(twin, "utf8")).toBe("a file of somebody else\n");
    });
  });
});

describe.concurrent("types of files", () => {
  it("a tracked folder that is a link to itself, at the checkpoint", async () => {
    await trip(
      (repo) => repo.link("dir", "dir"),
      async (repo) => {
        await repo.remove("dir");
        await repo.git("checkout", "-q", "--detach");
        await repo.git("checkout", "-q", "--", "dir");
      },
    );
  });

  it("a tracked folder that became a link to itself", async () => {
    await trip(
      async () => undefined,
      (repo) => repo.link("dir", "dir"),
    );
  });

  it("fifos, sockets and devices are listed, never opened, never deleted", async () => {
    await withTempRepository(async (repo) => {
      await seedRepository(repo);
      await repo.fifo("pipe");
      await repo.folder("sub");
      await repo.fifo(Buffer.from("sub/bad\xff", "latin1"));
      const device = canMakeDevices(join(repo.root, "device"));
      const server = createServer();
      await new Promise<void>((resolve) => server.listen(join(repo.root, "socket"), resolve));
      try {
        const { excluded } = await roundTrip(repo, stateDriver(repo), {
          async wreck() {
            await repo.write("a.txt", "wrecked\n");
            await repo.fifo("pipe-later");
          },
        });
        const special = excluded.filter(({ reason }) => reason !== "ignored");
        expect(special.map(({ path }) => path).sort()).toEqual(
          ['"sub/bad\\377"', ...(device ? ["device"] : []), "pipe", "socket"].sort(),
        );
      } finally {
        await new Promise((resolve) => server.close(resolve));
      }
    });
  });

  it("a tracked file that became a fifo: refused with nothing changed, or brought back, but never a hang", async () => {
    await trip(
      async () => undefined,
      async (repo) => {
        await repo.remove("a.txt");
        await repo.fifo("a.txt");
      },
    );
  });

  it("all mode bits come back, tracked and untracked", async () => {
    const modes = [0o400, 0o444, 0o600, 0o640, 0o666, 0o700, 0o755, 0o1644, 0o2755, 0o4755];
    await trip(
      async (repo) => {
        for (const mode of modes) {
          await repo.write(`tracked-${mode}`, "tracked\n", mode);
          await repo.write(`untracked-${mode}`, "untracked\n", mode);
          await repo.write(`deleted-${mode}`, "untracked\n", mode);
        }
        await repo.stage(modes.map((mode) => `tracked-${mode}`));
        await repo.commit("modes");
      },
      async (repo) => {
        for (const mode of modes) {
          await repo.chmod(`tracked-${mode}`, 0o664);
          await repo.write(`untracked-${mode}`, "edited\n", 0o644);
          await repo.remove(`deleted-${mode}`);
        }
      },
    );
  });

  it("empty files, a big binary and a file of one line end", async () => {
    const big = randomBytes(5 * 1024 * 1024);
    await trip(
      async (repo) => {
        await repo.write("empty", "");
        await repo.write("empty-tracked", "");
        await repo.write("big-tracked.bin", big);
        await repo.git("add", "empty-tracked", "big-tracked.bin");
        await repo.commit("big");
        await repo.write("big-untracked.bin", Buffer.from(big).reverse());
        await repo.write("line-end", "\n");
        await repo.write("zeros", Buffer.alloc(70_000));
      },
      async (repo) => {
        await repo.write("empty", "no longer\n");
        await repo.remove("empty-tracked");
        await repo.write("big-tracked.bin", big.subarray(1));
        await repo.remove("big-untracked.bin");
        await repo.write("line-end", "");
        await repo.write("zeros", Buffer.alloc(70_001));
      },
    );
  });
});

function canMakeDevices(path: string): boolean {
  try {
    execFileSync("mknod", [path, "c", "1", "3"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}
