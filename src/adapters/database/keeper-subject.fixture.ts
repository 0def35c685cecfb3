/** The contract suite's view of the keeper of databases, on a real one. */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { gitAt } from "../../domain/by-hand.ts";
import type { DatabasePart } from "../../domain/parts.ts";
import { SILENT } from "../../ports/progress.ts";
import type { PartSubject } from "../../ports/part-keeper.suite.ts";
import { holdInMemory, type HeldInMemory } from "../memory/held-part.fixture.ts";
import { DatabaseKeeper } from "./database-keeper.ts";

export type HeldDatabase = HeldInMemory<DatabasePart>;

export const DAMAGES = [
  "the dump is cut",
  "a byte of the dump is turned",
  "the dump is gone",
  "the manifest is another",
];

export interface RealDatabase {
  readonly url: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly secrets: readonly string[];
  put(state: 0 | 1 | 2): Promise<void>;
  look(): Promise<unknown>;
  /** Databases and files that were made beside. */
  litter?(): Promise<readonly string[]>;
  close(): Promise<void>;
}

export function keeperIn(
  folder: string,
  env: Readonly<Record<string, string | undefined>> = process.env,
  { maxBytes = 1_000_000_000, waitMs = 1000 } = {},
): DatabaseKeeper {
  const temporary = join(folder, "tmp");
  return new DatabaseKeeper({
    root: folder,
    directory: folder,
    temporary,
    maxBytes,
    waitMs,
    progress: SILENT,
    env,
    git: gitAt(join(folder, ".git")),
  });
}

/** Puts a held database into a repository in the keeper's folder, where the commands that it describes find it. */
export function publish(folder: string, held: HeldDatabase): void {
  const git = (...args: string[]): string =>
    execFileSync("git", ["--git-dir", join(folder, ".git"), "--work-tree", folder, ...args], {
      encoding: "utf8",
    }).trim();
  git("init", "-q");
  for (const [name, bytes] of held.entries) {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, bytes);
    git("add", "-f", path);
  }
  const who = ["-c", "user.name=ann", "-c", "user.email=ann@example.org"];
  const commit = git(...who, "commit-tree", "-m", "checkpoint", git("write-tree"));
  git("update-ref", `refs/waymark/cp/${held.checkpointId}`, commit);
  rmSync(join(folder, "database"), { recursive: true });
}

/** Runs a command in a new shell in another folder, where it leaves nothing. `git`: a script that takes git's place. */
export function byHand(
  command: string,
  env: NodeJS.ProcessEnv = {},
  git?: string,
): { readonly status: number | null; readonly stderr: string; readonly left: readonly string[] } {
  const base = mkdtempSync(join(tmpdir(), "waymark-test-"));
  try {
    const [cwd, temporary, bin] = ["elsewhere", "a b", "bin"].map((name) => join(base, name));
    for (const folder of [cwd, temporary, bin]) mkdirSync(folder ?? base);
    if (git !== undefined)
      writeFileSync(join(bin ?? base, "git"), `#!/bin/sh\n${git}\n`, { mode: 0o755 });
    const { status, stderr } = spawnSync("sh", ["-c", command], {
      cwd,
      encoding: "utf8",
      env: {
        ...process.env,
        TMPDIR: temporary,
        PATH: `${bin}:${process.env["PATH"] ?? ""}`,
        ...env,
      },
    });
    const left = [cwd, temporary].flatMap((folder) => readdirSync(folder ?? base));
    return { status, stderr, left };
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
}

/** Ways in which git hands out less than the whole dump, and fails or does not even say so. */
export const FAILING_GIT = ["exit 128", "exit 0", "printf x", "printf x; exit 1"];

export async function restore(keeper: DatabaseKeeper, to: HeldDatabase, expected: HeldDatabase) {
  const prepared = await keeper.prepare({ to, expected, paths: null });
  try {
    const kept = (await prepared.apply()).map(({ what }) => what);
    return { kept, mismatches: await prepared.mismatches() };
  } finally {
    prepared.close();
  }
}

export function databaseSubject(real: RealDatabase): PartSubject<HeldDatabase> {
  const folder = mkdtempSync(join(tmpdir(), "waymark-test-"));
  const keeper = keeperIn(folder, { ...process.env, ...real.env });
  const entry = (held: HeldDatabase, name: string): [string, Buffer] => {
    const path = `${held.part.folder}/${name}`;
    return [path, held.entries.get(path) ?? Buffer.alloc(0)];
  };
  return {
    put: (state) => real.put(state),
    look: () => real.look(),
    capture: async () => holdInMemory(await keeper.capture({ url: real.url })),
    captureLike: async (held) => holdInMemory(await keeper.captureLike(held)),
    digestOf: (held) => held.part.digest,
    verify: (held) => keeper.verify(held),
    prepareOnly: async (to, expected) =>
      (await keeper.prepare({ to, expected, paths: null })).close(),
    restore: (to, expected) => restore(keeper, to, expected),
    damages: {
      "the dump is cut": async (held) => {
        const [path, bytes] = entry(held, "dump");
        held.entries.set(path, bytes.subarray(0, bytes.length / 2));
      },
      "a byte of the dump is turned": async (held) => {
        const [path, bytes] = entry(held, "dump");
        const at = Math.floor(bytes.length / 2);
        bytes[at] = (bytes[at] ?? 0) ^ 1;
        held.entries.set(path, bytes);
      },
      "the dump is gone": async (held) => {
        held.entries.delete(entry(held, "dump")[0]);
      },
      "the manifest is another": async (held) => {
        const [path, bytes] = entry(held, "manifest.json");
        held.entries.set(path, Buffer.from(bytes.toString().replace(/"rows": \d+/, '"rows": 99')));
      },
    },
    nowOf: async (held) => (await keeper.preview(held)).now,
    saysAbout: async (held) => {
      const entries = [...held.entries].filter(([name]) => name.endsWith(".json"));
      const description = await keeper.describe(held);
      return JSON.stringify([held.part, description, entries.map(([, bytes]) => bytes.toString())]);
    },
    secrets: real.secrets,
    litter: async () => [
      ...readdirSync(folder, { recursive: true })
        .map(String)
        .filter((name) => name !== "tmp"),
      ...((await real.litter?.()) ?? []),
    ],
    close: async () => {
      rmSync(folder, { recursive: true, force: true });
      await real.close();
    },
  };
}
