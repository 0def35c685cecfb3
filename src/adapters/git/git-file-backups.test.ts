import {
  appendFileSync,
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe } from "vitest";
import { tempFolder } from "../files/temp-folder.fixture.ts";
import { holdInMemory, type HeldInMemory } from "../memory/held-part.fixture.ts";
import { asBytePath } from "../../domain/byte-path.ts";
import { DEFAULT_POLICY, type CapturePolicy } from "../../domain/capture-policy.ts";
import { encodeManifest, MANIFEST_ENTRY, type FileAsk } from "../../domain/file-backup.ts";
import type { FilePart } from "../../domain/parts.ts";
import { partKeeperSuite, type PartSubject } from "../../ports/part-keeper.suite.ts";
import { gitFileBackups } from "./git-file-backups.ts";
import { openedRepository } from "./temp-repository.fixture.ts";

type Held = HeldInMemory<FilePart>;

interface Look {
  readonly [path: string]: string;
}

/** Everything below a folder: names as latin1, with content and mode. */
function look(folder: string, skip: readonly string[] = []): Look {
  const found: Record<string, string> = {};
  const walk = (at: Buffer, name: string): void => {
    for (const entry of readdirSync(at, { encoding: "buffer" })) {
      const path = Buffer.concat([at, Buffer.from("/"), entry]);
      const shown = `${name}${entry.toString("latin1")}`;
      if (skip.includes(shown)) continue;
      const stat = lstatSync(path);
      const mode = (stat.mode & 0o7777).toString(8);
      if (stat.isSymbolicLink()) found[shown] = `-> ${readlinkSync(path)}`;
      else if (stat.isDirectory()) {
        found[`${shown}/`] = mode;
        walk(path, `${shown}/`);
      } else found[shown] = stat.isFile() ? `${mode} ${readFileSync(path, "latin1")}` : "special";
    }
  };
  walk(Buffer.from(folder), "");
  return found;
}

const ASK = { patterns: ["/local/", "*.local"], includeSecrets: [] };

/** A repository with ignored files, and a folder outside of it. */
async function scene(policy: Partial<CapturePolicy> = {}) {
  const { repo, repository } = await openedRepository();
  const outside = tempFolder();
  const root = repo.root;
  writeFileSync(join(root, ".gitignore"), "/local/\n*.local\n/data/\n");
  writeFileSync(join(root, "tracked.txt"), "tracked\n");
  await repo.git("add", ".");
  const keeper = await gitFileBackups(repository, { policy: { ...DEFAULT_POLICY, ...policy } });
  const ask = (more: Partial<FileAsk> = {}): FileAsk => ({
    ...ASK,
    outside: [`${outside}/**`],
    ...more,
  });
  const capture = async (more: Partial<FileAsk> = {}): Promise<Held> =>
    holdInMemory(await keeper.capture(ask(more)));
  const like = async (held: Held): Promise<Held> => holdInMemory(await keeper.captureLike(held));
  const restore = async (to: Held, expected: Held, paths: string[] | null = null) => {
    const prepared = await keeper.prepare({
      to,
      expected,
      paths: paths?.map(asBytePath) ?? null,
    });
    try {
      const kept = await prepared.apply();
      return { kept: kept.map(({ what }) => what), mismatches: await prepared.mismatches() };
    } finally {
      prepared.close();
    }
  };
  const write = (path: string, text: string, mode = 0o644): void => {
    const at = path.startsWith("/") ? path : join(root, path);
    mkdirSync(join(at, ".."), { recursive: true });
    writeFileSync(at, text);
    chmodSync(at, mode);
  };
  const now = (): { project: Look; outside: Look } => ({
    project: look(root, [".git", ".checkpoints"]),
    outside: look(outside),
  });
  return { repo, repository, root, outside, keeper, ask, capture, like, restore, write, now };
}

type Scene = Awaited<ReturnType<typeof scene>>;

function put({ root, outside, write }: Scene, state: 0 | 1 | 2): void {
  rmSync(join(root, "local"), { recursive: true, force: true });
  rmSync(join(root, "sub"), { recursive: true, force: true });
  for (const name of readdirSync(outside)) rmSync(join(outside, name), { recursive: true });
  write("local/a", `a in ${state}`, [0o644, 0o600, 0o755][state]);
  write("local/mode", "the same", [0o644, 0o600, 0o755][state]);
  write(`local/only/in/${state}`, `only in ${state}`);
  write("sub/x.local", `x in ${state}`);
  write(`sub/only-${state}.local`, "");
  symlinkSync(`target-${state}`, join(root, "local/link"));
  mkdirSync(join(root, `local/empty-${state}`), { mode: 0o750 });
  write(`${outside}/conf`, `conf in ${state}`, [0o644, 0o600, 0o755][state]);
  write(`${outside}/deep/only-${state}`, "");
  // A file, a folder and a link take turns.
  const swap = join(root, "local/swap");
  if (state === 0) writeFileSync(swap, "a file");
  else if (state === 1) write("local/swap/inside", "a folder");
  else symlinkSync("a link", swap);
}

async function subject(): Promise<PartSubject<Held>> {
  const it = await scene();
  const copyOf = (held: Held, path: string): string =>
    join(it.root, ".checkpoints", held.checkpointId, path);
  return {
    put: (state) => Promise.resolve(put(it, state)),
    look: () => Promise.resolve(it.now()),
    capture: () => it.capture(),
    captureLike: (held) => it.like(held),
    digestOf: (held) => held.part.digest,
    verify: (held) => it.keeper.verify(held),
    prepareOnly: async (to, expected) => {
      (await it.keeper.prepare({ to, expected, paths: null })).close();
    },
    restore: (to, expected) => it.restore(to, expected),
    restoresItemByItem: true,
    damages: {
      "a copy with another byte": async (held) =>
        writeFileSync(copyOf(held, "files/local/a"), "b in 0"),
      "a copy that is longer": async (held) => appendFileSync(copyOf(held, "files/local/a"), "x"),
      "a copy that is cut": async (held) => truncateSync(copyOf(held, "files/local/a"), 2),
      "a copy that is gone": async (held) => rmSync(copyOf(held, `outside${it.outside}/conf`)),
      "a link in the place of a copy": async (held) => {
        rmSync(copyOf(held, "files/local/a"));
        symlinkSync("/etc/hostname", copyOf(held, "files/local/a"));
      },
      "all copies gone": async (held) => rmSync(copyOf(held, "."), { recursive: true }),
      "no manifest": async (held) => {
        held.entries.delete(MANIFEST_ENTRY);
      },
      "another manifest": async (held) => {
        held.entries.set(
          MANIFEST_ENTRY,
          Buffer.from(encodeManifest({ entries: [], leftOut: [], absentFolders: [] })),
        );
      },
      garbage: async (held) => {
        held.entries.set(MANIFEST_ENTRY, Buffer.from([0xff, 0x00, 0x7b]));
      },
    },
    discard: (held) => it.keeper.discard([held.checkpointId]),
    saysAbout: async (held) => {
      const manifest = held.entries.get(MANIFEST_ENTRY)?.toString("latin1") ?? "";
      return JSON.stringify([held.part, await it.keeper.describe(held), manifest]);
    },
    secrets: ["a in 0", "conf in 0"],
    litter: () =>
      Promise.resolve(
        ["tmp", "restore"].flatMap((name) => {
          const folder = join(it.root, ".checkpoints", name);
          const names = existsSync(folder) ? readdirSync(folder) : [];
          // What was moved away stays for ten minutes.
          return names.filter((left) => !left.startsWith("kept-"));
        }),
      ),
    close: () => Promise.resolve(),
  };
}

describe("file backups", () => {
  partKeeperSuite(subject, [
    "a copy with another byte",
    "a copy that is longer",
    "a copy that is cut",
    "a copy that is gone",
    "a link in the place of a copy",
    "all copies gone",
    "no manifest",
    "another manifest",
    "garbage",
  ]);
});
