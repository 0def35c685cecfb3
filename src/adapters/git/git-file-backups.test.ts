import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { folderOnOtherDisk, otherDisk } from "../files/other-disk.fixture.ts";
import { namesIn } from "../files/names-in.ts";
import { tempFolder } from "../files/temp-folder.fixture.ts";
import { asBytePath } from "../../domain/byte-path.ts";
import { DEFAULT_POLICY, type CapturePolicy } from "../../domain/capture-policy.ts";
import { encodeManifest, MANIFEST_ENTRY } from "../../domain/file-backup.ts";
import type { FilePart } from "../../domain/parts.ts";
import type { FileAsk } from "../../ports/part-keepers.ts";
import { partKeeperSuite, type PartSubject } from "../../ports/part-keeper.suite.ts";
import { deleteObject, flipByteOfObject } from "../../../test/support/damage.ts";
import { gitFileBackups } from "./git-file-backups.ts";
import { holdInGit, type HeldInGit } from "./held-part.fixture.ts";
import { openedRepository } from "./temp-repository.fixture.ts";

type Held = HeldInGit<FilePart>;

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
  const opened = await openedRepository();
  const { repo, repository, reader } = opened;
  const outside = tempFolder();
  const root = repo.root;
  writeFileSync(join(root, ".gitignore"), "/local/\n*.local\n/data/\n");
  writeFileSync(join(root, "tracked.txt"), "tracked\n");
  await repo.git("add", ".");
  const keeper = await gitFileBackups(repository, reader, {
    policy: { ...DEFAULT_POLICY, ...policy },
  });
  const ask = (more: Partial<FileAsk> = {}): FileAsk => ({
    ...ASK,
    outside: [`${outside}/**`],
    ...more,
  });
  const capture = async (more: Partial<FileAsk> = {}): Promise<Held> =>
    holdInGit(opened, await keeper.capture(ask(more)));
  const like = async (held: Held): Promise<Held> =>
    holdInGit(opened, await keeper.captureLike(held));
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
  return {
    opened,
    repo,
    repository,
    root,
    outside,
    keeper,
    ask,
    capture,
    like,
    restore,
    write,
    now,
  };
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
  const at = await scene();
  const blobOf = async (held: Held, path: string): Promise<string> =>
    (await at.repo.store("rev-parse", `${halfOf(held)}:files/${path}`)).trim();
  return {
    put: (state) => Promise.resolve(put(at, state)),
    look: () => Promise.resolve(at.now()),
    capture: () => at.capture(),
    captureLike: (held) => at.like(held),
    digestOf: (held) => held.part.digest,
    verify: (held) => at.keeper.verify(held),
    prepareOnly: async (to, expected) => {
      (await at.keeper.prepare({ to, expected, paths: null })).close();
    },
    restore: (to, expected) => at.restore(to, expected),
    restoresItemByItem: true,
    damages: {
      "a byte of a copy is turned": async (held) =>
        flipByteOfObject(at.repo, await blobOf(held, "project/local/a")),
      "a copy is gone": async (held) => {
        await deleteObject(at.repo, await blobOf(held, `outside${at.outside}/conf`));
        held.reopen();
      },
      "all copies are gone": async (held) =>
        void (await at.repo.store("update-ref", "-d", halfOf(held))),
      "the copies of another checkpoint": async (held) => {
        put(at, 1);
        const other = await at.capture();
        await at.repo.store("update-ref", halfOf(held), halfOf(other));
      },
      "no manifest": async (held) => {
        held.instead.set(MANIFEST_ENTRY, undefined);
      },
      "another manifest": async (held) => {
        held.instead.set(
          MANIFEST_ENTRY,
          Buffer.from(encodeManifest({ entries: [], leftOut: [], absentFolders: [] })),
        );
      },
      garbage: async (held) => {
        held.instead.set(MANIFEST_ENTRY, Buffer.from([0xff, 0x00, 0x7b]));
      },
    },
    nowOf: async (held) => (await at.keeper.preview(held, null)).now,
    saysAbout: async (held) => {
      const manifest = (await held.read(MANIFEST_ENTRY)).toString("latin1");
      return JSON.stringify([held.part, await at.keeper.describe(held), manifest]);
    },
    secrets: ["a in 0", "conf in 0"],
    litter: () =>
      Promise.resolve(
        ["quarantine", "restore"].flatMap((name) => {
          const folder = join(at.root, ".git/waymark", name);
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
    "a byte of a copy is turned",
    "a copy is gone",
    "all copies are gone",
    "the copies of another checkpoint",
    "no manifest",
    "another manifest",
    "garbage",
  ]);
});

describe("what a file backup takes", () => {
  it("takes ignored files and not those that git holds already", async () => {
    const at = await scene();
    at.write("local/ignored", "1");
    at.write("untracked.txt", "1");
    at.write("other.ignored", "1");
    const held = await at.capture({ patterns: ["**"], outside: [] });
    expect(await pathsIn(held)).toEqual(["local/ignored"]);
  });

  it("leaves secrets, large and special files and repositories out, and says so", async () => {
    const at = await scene({ maxFileBytes: 10 });
    at.write("local/.env", "TOKEN=hunter2");
    at.write("local/allowed.pem", "key");
    at.write("local/large", "more than ten bytes");
    at.write("data/large", "named, so it does not matter");
    mkdirSync(join(at.root, "local/nested/.git"), { recursive: true });
    execFileSync("mkfifo", [join(at.root, "local/fifo")]);
    const captured = await at.keeper.capture(
      at.ask({
        patterns: ["/local/", "/data/large"],
        includeSecrets: ["local/allowed.pem"],
      }),
    );
    const held = await holdInGit(at.opened, captured);
    expect(await pathsIn(held)).toEqual(["data/large", "local/allowed.pem"]);
    expect(captured.leftOut?.map(({ path, reason }) => `${path} ${reason}`).toSorted()).toEqual([
      "local/.env sensitive",
      "local/fifo special_file",
      "local/large over_budget",
      "local/nested/ nested_repository",
    ]);
    // What it knows nothing about stays, also when the rules are others by then.
    rmSync(join(at.root, "local/large"));
    const other = await gitFileBackups(at.repository, at.opened.reader, {
      policy: { ...DEFAULT_POLICY, excludeSensitive: false },
    });
    const safety = await holdInGit(at.opened, await other.captureLike(held));
    expect(await pathsIn(safety)).toContain("local/.env");
    expect(await at.restore(held, safety)).toEqual({ kept: [], mismatches: [] });
    expect(readFileSync(join(at.root, "local/.env"), "utf8")).toBe("TOKEN=hunter2");
  });

  it("refuses more than the budgets allow, and leaves nothing behind", async () => {
    const at = await scene({ maxFiles: 2 });
    for (const name of ["a", "b", "c"]) at.write(`local/${name}`, "1");
    await expect(at.capture()).rejects.toMatchObject({ code: "over_budget" });
    const small = await scene({ maxTotalBytes: 2 });
    for (const name of ["a", "b", "c"]) small.write(`local/${name}`, "1");
    await expect(small.capture()).rejects.toMatchObject({ code: "over_budget" });
    expect(existsSync(join(small.root, ".checkpoints"))).toBe(false);
    expect(namesIn(join(small.root, ".git/waymark/quarantine"))).toEqual([]);
  });

  it("holds any name, and brings it back by hand in a fresh shell", async () => {
    const at = await scene();
    const names = [
      "-rf",
      "new\nline",
      "end\n",
      "sp ace",
      "quo'te\"$x`",
      "\xff\xfe",
      "caf\xc3\xa9",
      "\x1b[31m",
      "a\\b",
    ];
    const folder = join(at.root, "local");
    mkdirSync(folder);
    for (const name of names) {
      writeFileSync(Buffer.from(`${folder}/${name}`, "latin1"), `in ${name}`, "latin1");
    }
    symlinkSync("../nowhere\n", join(folder, "li\nnk"));
    mkdirSync(join(folder, "empty folder"), { mode: 0o711 });
    at.write(`${at.outside}/conf`, "outside", 0o600);
    const before = at.now();
    const held = await at.capture();
    rmSync(folder, { recursive: true });
    rmSync(join(at.outside, "conf"));
    const empty = at.now();
    const safety = await at.like(held);
    expect(await at.restore(held, safety)).toEqual({ kept: [], mismatches: [] });
    expect(at.now()).toEqual(before);
    expect(await at.restore(safety, held)).toEqual({ kept: [], mismatches: [] });
    expect(at.now()).toEqual(empty);
    const { commands } = await at.keeper.describe(held);
    for (const command of commands) execFileSync("sh", ["-c", command], { cwd: "/" });
    expect(at.now()).toEqual(before);
  });

  it("does not follow links on the way to a file outside, and records where they lead", async () => {
    const at = await scene();
    const elsewhere = tempFolder();
    at.write(`${at.outside}/real/conf`, "1");
    symlinkSync(join(at.outside, "real"), join(elsewhere, "way"));
    const held = await at.capture({ outside: [`${elsewhere}/way/conf`] });
    expect(held.part.outside).toEqual([`${at.outside}/real/conf`]);
    // Somebody puts a link in the place of a folder: nothing is written through it.
    at.write(`${at.outside}/real/conf`, "2");
    const safety = await at.like(held);
    rmSync(join(at.outside, "real"), { recursive: true });
    symlinkSync(elsewhere, join(at.outside, "real"));
    await expect(at.restore(held, safety)).rejects.toMatchObject({ code: "obstructed" });
    expect(readdirSync(elsewhere)).toEqual(["way"]);
  });

  it("touches nothing outside for a checkpoint of another repository", async () => {
    const at = await scene();
    at.write("local/a", "1");
    at.write(`${at.outside}/conf`, "1");
    const own = await at.capture();
    const held = { ...own, isForeign: true };
    at.write("local/a", "2");
    at.write(`${at.outside}/conf`, "2");
    const safety = await at.like(held);
    expect(await pathsIn(safety)).toEqual(["local/a"]);
    expect(await at.restore(held, safety)).toEqual({ kept: [], mismatches: [] });
    expect(at.now().outside["conf"]).toBe("644 2");
    expect(at.now().project["local/a"]).toBe("644 1");
  });

  it("leaves a file alone that git holds at the checkpoint", async () => {
    const at = await scene();
    at.write("local/a", "1");
    const held = await at.capture();
    at.write("local/gits", "1");
    const safety = await at.like(held);
    const git = { ...held, hasFile: (path: string) => Promise.resolve(path === "local/gits") };
    expect(await at.restore(git, safety)).toEqual({ kept: [], mismatches: [] });
    expect(existsSync(join(at.root, "local/gits"))).toBe(true);
    expect((await at.restore(held, safety)).kept).toEqual([]);
    expect(existsSync(join(at.root, "local/gits"))).toBe(false);
  });

  it("keeps the time stamps of files that are equal, and restores single paths", async () => {
    const at = await scene();
    for (const name of ["a", "b", "c"]) at.write(`local/${name}`, "1");
    const held = await at.capture();
    const mtime = lstatSync(join(at.root, "local/c"), { bigint: true }).mtimeNs;
    at.write("local/a", "2");
    at.write("local/b", "2");
    const safety = await at.like(held);
    expect(await at.restore(held, safety, ["local/a"])).toEqual({ kept: [], mismatches: [] });
    expect(readFileSync(join(at.root, "local/b"), "utf8")).toBe("2");
    await at.restore(held, safety);
    expect(readFileSync(join(at.root, "local/b"), "utf8")).toBe("1");
    expect(lstatSync(join(at.root, "local/c"), { bigint: true }).mtimeNs).toBe(mtime);
  });

  it("previews exactly what it does", async () => {
    const at = await scene();
    put(at, 0);
    const held = await at.capture();
    put(at, 1);
    const { changes } = await at.keeper.preview(held, null);
    const said = changes.map(({ what, operation }) => `${operation} ${what}`);
    expect(said).toContain("changed_back local/a");
    expect(said).toContain("mode_changed_back local/mode");
    expect(said).toContain("restored local/only/in/0");
    expect(said).toContain("removed local/only/in/1");
    expect(said).toContain(`changed_back ${at.outside}/conf`);
    await at.restore(held, await at.like(held));
    expect((await at.keeper.preview(held, null)).changes).toEqual([]);
  });

  it("[R76] touches nothing, there and back, when an imported one has no copies here", async () => {
    const at = await scene();
    put(at, 0);
    const own = await at.capture();
    const held = { ...own, isForeign: true };
    await at.repo.store("update-ref", "-d", halfOf(held));
    for (const state of [0, 1] as const) {
      put(at, state);
      const before = at.now();
      expect(await at.keeper.verify(held)).toEqual([]);
      expect((await at.keeper.preview(held, null)).changes).toEqual([]);
      const safety = await at.like(held);
      const { kept, mismatches } = await at.restore(held, safety);
      expect(kept).toContain("local/a");
      expect(mismatches).toEqual([]);
      expect(await at.restore(held, safety, ["sub"])).toMatchObject({
        kept: ["sub/only-0.local", "sub/x.local"],
      });
      // What equals a copy elsewhere is nobody's to remove on the way back.
      expect(await at.restore(safety, held)).toEqual({ kept: [], mismatches: [] });
      expect(at.now()).toEqual(before);
    }
    expect(await at.keeper.verify(own)).not.toEqual([]);
    await expect(at.restore(own, await at.like(own))).rejects.toThrow("are not here");
  });

  it.skipIf(otherDisk === undefined)("exchanges files on another file system", async () => {
    const at = await scene();
    const folder = folderOnOtherDisk();
    at.write(`${folder}/a`, "1");
    at.write(`${folder}/deep/b`, "1");
    const before = look(folder);
    const held = await at.capture({ outside: [`${folder}/**`] });
    at.write(`${folder}/a`, "2");
    rmSync(join(folder, "deep"), { recursive: true });
    at.write(`${folder}/new/c`, "2");
    const now = look(folder);
    const safety = await at.like(held);
    expect(await at.restore(held, safety)).toEqual({ kept: [], mismatches: [] });
    expect(look(folder)).toEqual(before);
    expect(await at.restore(safety, held)).toEqual({ kept: [], mismatches: [] });
    expect(look(folder)).toEqual(now);
  });

  it("copies five thousand files, and brings them back", async () => {
    const at = await scene();
    const names = Array.from({ length: 5000 }, (_, n) => `local/${n % 50}/${n}`);
    for (const name of names) at.write(name, name);
    const held = await at.capture();
    expect(held.part.files).toBe(5000);
    rmSync(join(at.root, "local"), { recursive: true });
    const safety = await at.like(held);
    expect(await at.restore(held, safety)).toEqual({ kept: [], mismatches: [] });
    for (const name of names) expect(readFileSync(join(at.root, name), "utf8")).toBe(name);
  });
});

const halfOf = ({ checkpointId }: Held): string => `refs/waymark/local/${checkpointId}`;

async function pathsIn(held: Held): Promise<string[]> {
  const manifest = JSON.parse((await held.read(MANIFEST_ENTRY)).toString("utf8")) as {
    files: { path: string }[];
  };
  return manifest.files.map(({ path }) => path);
}
