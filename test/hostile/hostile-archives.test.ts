/** Archives that were damaged, or made to do harm: each is refused, and the repository is what it was, byte for byte. */
import { gitPartOf } from "../../src/domain/checkpoint.ts";
import { newSession } from "../../src/domain/session.ts";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { errorMessage, expectExit, waymark, type CliResult } from "../support/cli.ts";
import { differences } from "../support/fingerprint-diff.ts";
import { takeFingerprint } from "../support/fingerprint.ts";
import { deleteObject } from "../support/damage.ts";
import { items } from "../support/json.ts";
import { type HostileScene, withHostileScene } from "./scene.ts";
import { deltaEntry, entry, rawPack, sha1, type Workshop } from "./workshop.ts";

type Change = (workshop: Workshop) => Buffer;

interface Hostile {
  readonly name: string;
  readonly words: RegExp;
  readonly make: Change;
  readonly args?: readonly string[];
}

/** Changes objects or refs, then writes a manifest that fits. */
const fitting =
  (change: (workshop: Workshop) => void): Change =>
  (workshop) => {
    change(workshop);
    workshop.manifest();
    return workshop.bytes();
  };

/** A tree with one hostile entry in it, as the work tree of the checkpoint. */
const worktreeWith = (name: string, mode = "100644", content = "evil\n"): Change =>
  fitting((workshop) => {
    const oid = mode === "40000" ? workshop.tree([]) : workshop.add("blob", content);
    workshop.replacePart("worktree", "40000", workshop.tree([{ mode, name, oid }]));
  });

const hex = (name: string): string => Buffer.from(name).toString("hex");
const extraRef = (name: string): Change =>
  fitting((workshop) => workshop.refs.set(name, workshop.refs.get(workshop.checkpointRef) ?? ""));

function nestedTrees(workshop: Workshop, depth: number): string {
  let oid = workshop.tree([{ mode: "100644", name: "f", oid: workshop.add("blob", "deep\n") }]);
  for (let level = 0; level < depth; level++)
    oid = workshop.tree([{ mode: "40000", name: "d", oid }]);
  return oid;
}

/** The stored index with one path replaced by another of the same length, and the checksum made right. */
function withPathInIndex(workshop: Workshop, from: string, to: string): void {
  const raw =
    workshop.entries(workshop.rootTree).find(({ name }) => name === "index.raw")?.oid ?? "";
  const bytes = Buffer.from(workshop.read(raw).content);
  const at = bytes.indexOf(from, 0, "latin1");
  expect(at).toBeGreaterThan(0);
  bytes.write(to, at, "latin1");
  const body = bytes.subarray(0, -20);
  const blob = workshop.add("blob", Buffer.concat([body, sha1(body)]));
  workshop.replacePart("index.raw", "100644", blob);
}

const document = (change: (old: Workshop["document"]) => object): Change =>
  fitting((workshop) => workshop.remake({ document: change }));

const REFS: readonly Hostile[] = [
  "refs/heads/main",
  "HEAD",
  "refs/tags/v1",
  "refs/waymark/cp/../../heads/main",
  "refs/waymark/cp/x.lock",
  "refs/waymark/cp/UPPER",
  "refs/waymark/cp/",
  "refs/waymark/cp/a/b",
  "refs/waymark/cp/-x",
  `refs/waymark/cp/${"x".repeat(64)}`,
  "refs/waymark/session/../x",
  "refs/waymark/session/a.lock",
  "refs/waymark/trash/x",
  "refs/waymark/export/other",
  "",
].map((name) => ({
  name: `with a ref ${JSON.stringify(name)}`,
  words: /ref/,
  make: extraRef(name),
}));

const TREES: readonly Hostile[] = [
  ...[".git", ".GIT", "git~1", ".git ", "..", ".", "a/b", ""].map((name): Hostile => ({
    name: `with a file ${JSON.stringify(name)}`,
    words: /git says|called/,
    make: worktreeWith(name),
  })),
  {
    name: "with a folder .git that is stored escaped",
    words: /called "\.git"/,
    make: worktreeWith(`waymark=${hex(".git")}`, "40000"),
  },
  {
    name: "with a link in the place of .gitmodules",
    words: /gitmodules/i,
    make: worktreeWith(".gitmodules", "120000", "/etc/passwd"),
  },
  {
    name: "with a file of an unknown kind",
    words: /unknown kind 123456/,
    make: worktreeWith("x", "123456"),
  },
  {
    name: "with the same name twice",
    words: /duplicate|git says/i,
    make: fitting((workshop) => {
      const oid = workshop.add("blob", "twice\n");
      const twice = [
        { mode: "100644", name: "a", oid },
        { mode: "100644", name: "a", oid },
      ];
      workshop.replacePart("worktree", "40000", workshop.tree(twice));
    }),
  },
  {
    name: "with names out of order",
    words: /sorted|git says/i,
    make: fitting((workshop) => {
      const oid = workshop.add("blob", "x\n");
      const entries = ["b", "a"].map((name) => ({ mode: "100644", name, oid }));
      workshop.replacePart("worktree", "40000", workshop.tree(entries));
    }),
  },
  {
    name: "with folders in folders without end",
    words: /deep/,
    make: fitting((workshop) =>
      workshop.replacePart("worktree", "40000", nestedTrees(workshop, 3000)),
    ),
  },
  {
    name: "with such folders in its history",
    words: /deep/,
    make: fitting((workshop) => {
      const who = "A <a@b> 1763232000 +0000";
      const tree = nestedTrees(workshop, 3000);
      const old = workshop.add("commit", `tree ${tree}\nauthor ${who}\ncommitter ${who}\n\nold\n`);
      workshop.remake({
        parents: [
          ...(workshop.document.git.commit === null ? [] : [workshop.document.git.commit]),
          old,
        ],
      });
    }),
  },
  {
    name: "that names a file which it does not have",
    words: /git says/,
    make: fitting((workshop) => {
      const entries = [{ mode: "100644", name: "gone", oid: "1".repeat(40) }];
      workshop.replacePart("worktree", "40000", workshop.tree(entries));
    }),
  },
];

const CHECKPOINTS: readonly Hostile[] = [
  {
    name: "with five hundred refs to one checkpoint",
    words: /another checkpoint/,
    make: fitting((workshop) => {
      const oid = workshop.refs.get(workshop.checkpointRef) ?? "";
      for (let at = 0; at < 500; at++) workshop.refs.set(`refs/waymark/cp/cp-${at}`, oid);
    }),
  },
  {
    name: "whose ref points at a file",
    words: /commit|git says/,
    make: fitting((workshop) => workshop.refs.set("refs/waymark/cp/x", workshop.add("blob", "x"))),
  },
  {
    name: "whose ref points at a folder",
    words: /commit|git says/,
    make: fitting((workshop) => workshop.refs.set("refs/waymark/cp/x", workshop.rootTree)),
  },
  {
    name: "whose ref points at a tag",
    words: /commit/,
    make: fitting((workshop) => {
      const oid = workshop.refs.get(workshop.checkpointRef) ?? "";
      const tag = `object ${oid}\ntype commit\ntag v1\ntagger A <a@b> 1763232000 +0000\n\nx\n`;
      workshop.refs.set("refs/waymark/cp/x", workshop.add("tag", tag));
    }),
  },
  {
    name: "whose ref points at an ordinary commit",
    words: /document/,
    make: fitting((workshop) =>
      workshop.refs.set("refs/waymark/cp/x", workshop.document.git.commit ?? ""),
    ),
  },
  {
    name: "whose session ref points at a file",
    words: /commit|git says/,
    make: fitting((workshop) => workshop.refs.set(workshop.sessionRef, workshop.add("blob", "x"))),
  },
  {
    name: "whose session is another one's",
    words: /session/,
    make: fitting((workshop) =>
      workshop.refs.set("refs/waymark/session/other", workshop.refs.get(workshop.sessionRef) ?? ""),
    ),
  },
  ...[
    { schema_version: 1, id: "worktree-main" },
    { ...newSession("worktree-main", "2026-11-15T18:00:00.000Z"), workflow: { phases: [null] } },
    { ...newSession("worktree-main", "2026-11-15T18:00:00.000Z"), lease: "x" },
    {
      ...newSession("worktree-main", "2026-11-15T18:00:00.000Z"),
      definition: { path: "a.yml", digest: `sha256:${"0".repeat(64)}`, text: "name: x\n" },
    },
  ].map((document, number) => ({
    name: `whose session is not a session (${number})`,
    words: /session/,
    make: fitting((workshop) => {
      const who = "A <a@b> 1763232000 +0000";
      const tree = workshop.tree([]);
      const text = `tree ${tree}\nauthor ${who}\ncommitter ${who}\n\nx\n\n${JSON.stringify(document)}\n`;
      workshop.refs.set(workshop.sessionRef, workshop.add("commit", text));
    }),
  })),
  {
    name: "whose document has a wrong checksum",
    words: /checksum/,
    make: fitting((workshop) => {
      const wrong = { ...workshop.document, reason: "changed" };
      workshop.remake({ message: `waymark manual: x\n\n${JSON.stringify(wrong)}\n` });
    }),
  },
  {
    name: "whose document is not JSON",
    words: /JSON/,
    make: fitting((workshop) => workshop.remake({ message: "x\n\n{{{\n" })),
  },
  {
    name: "from the future",
    words: /newer/,
    make: document((old) => ({ ...old, schema_version: 99 })),
  },
  {
    name: "whose document is that of another checkpoint",
    words: /another checkpoint/,
    make: document((old) => ({ ...old, id: "cp-00-manual-20261115-184530-a3f2" })),
  },
  {
    name: "whose document breaks the schema",
    words: /seq/,
    make: document((old) => ({ ...old, seq: -1 })),
  },
  {
    name: "whose document names another tree",
    words: /tree|not the one/,
    make: document((old) => ({ ...old, parts: [{ ...old.parts[0], digest: "1".repeat(40) }] })),
  },
  {
    name: "whose document names another part",
    words: /worktree does not match the document/,
    make: document((old) => ({
      ...old,
      parts: [{ ...gitPartOf(old), worktree: gitPartOf(old)?.index }],
    })),
  },
  {
    name: "whose content_hash is wrong",
    words: /content_hash/,
    make: document((old) => ({ ...old, content_hash: `sha256:${"0".repeat(64)}` })),
  },
  {
    name: "that would delete another checkpoint's ref",
    words: /would set the ref/,
    make: document((old) => ({
      ...old,
      git: { ...old.git, refs: { "refs/waymark/cp/other": null } },
    })),
  },
  {
    name: "that would set a branch to a commit that it does not contain",
    words: /does not contain/,
    make: document((old) => ({
      ...old,
      git: { ...old.git, refs: { "refs/heads/main": "1".repeat(40) } },
    })),
  },
  {
    name: "on a branch that is none",
    words: /branch/,
    make: document((old) => ({ ...old, git: { ...old.git, branch: "refs/remotes/../../config" } })),
  },
  {
    name: "taken at a commit that is not its parent",
    words: /taken at/,
    make: document((old) => ({ ...old, git: { ...old.git, commit: "1".repeat(40) } })),
  },
  {
    name: "that would put a hook into git's folder",
    words: /operation has the file "hooks"/,
    make: fitting((workshop) => {
      const hook = {
        mode: "100755",
        name: "post-checkout",
        oid: workshop.add("blob", "#!/bin/sh\n"),
      };
      const hooks = { mode: "40000", name: "hooks", oid: workshop.tree([hook]) };
      workshop.replacePart("operation", "40000", workshop.tree([hooks]));
    }),
  },
  {
    name: "that would put a link into git's folder",
    words: /is not a regular file/,
    make: fitting((workshop) => {
      const link = { mode: "120000", name: "MERGE_MSG", oid: workshop.add("blob", "/etc/passwd") };
      workshop.replacePart("operation", "40000", workshop.tree([link]));
    }),
  },
  {
    name: "whose index has a file below .git",
    words: /index has the path "\.git\/hook"/,
    make: fitting((workshop) => withPathInIndex(workshop, "Xgit/hook", ".git/hook")),
  },
  {
    name: "whose index leads out of the project",
    words: /index has the path "\.\.\//,
    make: fitting((workshop) => withPathInIndex(workshop, "Xgit/hook", "../t/hook")),
  },
  {
    name: "whose index is another than index/ says",
    words: /index/,
    make: fitting((workshop) => withPathInIndex(workshop, "Xgit/hook", "Ygit/hook")),
  },
  {
    name: "whose index is garbage",
    words: /index cannot be read/,
    make: fitting((workshop) =>
      workshop.replacePart("index.raw", "100644", workshop.add("blob", "DIRC")),
    ),
  },
  {
    name: "whose index never ends",
    words: /index cannot be read/,
    make: fitting((workshop) => {
      const head = Buffer.from("DIRC\0\0\0\u0002\0\0\0\0REUC\0\0\0\u0005xxxxx", "latin1");
      workshop.replacePart(
        "index.raw",
        "100644",
        workshop.add("blob", Buffer.concat([head, sha1(head)])),
      );
    }),
  },
  {
    name: "whose worktree.json is garbage",
    words: /worktree\.json cannot/,
    make: fitting((workshop) =>
      workshop.replacePart("worktree.json", "100644", workshop.add("blob", "{")),
    ),
  },
  ...["../out", ".git/hooks", "/etc/x", "a/../../b"].map((path): Hostile => ({
    name: `whose worktree.json has an empty folder ${path}`,
    words: /worktree\.json has the path/,
    make: fitting((workshop) => {
      const details = {
        schema_version: 1,
        default_modes: { plain: "0644", executable: "0755" },
        modes: {},
        empty_folders: { [path]: "0755" },
        excluded: [],
      };
      workshop.replacePart(
        "worktree.json",
        "100644",
        workshop.add("blob", JSON.stringify(details)),
      );
    }),
  })),
];

const MANIFESTS: readonly Hostile[] = [
  {
    name: "without a manifest",
    words: /no manifest/,
    make: (workshop) => {
      workshop.refs.delete("refs/waymark/export/manifest");
      return workshop.bytes();
    },
  },
  {
    name: "whose manifest is a file",
    words: /manifest/,
    make: (workshop) => {
      workshop.refs.set("refs/waymark/export/manifest", workshop.add("blob", "{}"));
      return workshop.bytes();
    },
  },
  ...(
    [
      ["leaves a checkpoint out", (manifest) => ({ ...manifest, checkpoints: [] })],
      ["names more than there is", (manifest) => ({ ...manifest, basis: ["1".repeat(40)] })],
      ["names another object format", (manifest) => ({ ...manifest, object_format: "sha256" })],
      ["is from the future", (manifest) => ({ ...manifest, schema_version: 2 })],
      ["is of another kind", (manifest) => ({ ...manifest, kind: "other" })],
      [
        "tells another time than the document",
        (manifest) => ({
          ...manifest,
          checkpoints: (manifest["checkpoints"] as object[]).map((one) => ({
            ...one,
            created_at: "2001-01-01T00:00:00.000Z",
          })),
        }),
      ],
    ] as readonly (readonly [string, (manifest: Record<string, unknown>) => object])[]
  ).map(([name, change]): Hostile => ({
    name: `whose manifest ${name}`,
    words: /manifest/,
    make: (workshop) => {
      workshop.manifest(change);
      return workshop.bytes();
    },
  })),
  {
    name: "that names a checkpoint twice",
    words: /twice/,
    make: (workshop) => {
      const line = `${workshop.refs.get(workshop.checkpointRef) ?? ""} ${workshop.checkpointRef}\n`;
      const header = workshop.header();
      return Buffer.concat([header.subarray(0, -1), Buffer.from(`${line}\n`), workshop.pack()]);
    },
  },
  {
    name: "that builds on commits which nobody has",
    words: /does not have: 1{40}/,
    make: (workshop) => {
      const basis = ["1".repeat(40)];
      workshop.manifest((same) => same, basis);
      return Buffer.concat([workshop.header(undefined, basis), workshop.pack()]);
    },
  },
];

const ZEROS = Buffer.alloc(3_000_000);
const withPack =
  (pack: Buffer): Change =>
  (workshop) =>
    Buffer.concat([workshop.header(), pack]);

function chainOfDeltas(length: number): Buffer {
  const entries = [entry(3, Buffer.from("start"))];
  const copyAll = Buffer.from([0x90, 5]);
  for (let at = 0; at < length; at++) {
    entries.push(deltaEntry(entries.at(-1)?.length ?? 0, 5, 5, copyAll));
  }
  return rawPack(entries);
}

const PACKS: readonly Hostile[] = [
  {
    name: "that unfolds to more than was allowed",
    words: /3 MB, more than 1 MB.*--max-size-mb/,
    args: ["--max-size-mb", "1"],
    make: withPack(rawPack([entry(3, ZEROS)])),
  },
  {
    name: "whose many objects unfold to more than was allowed",
    words: /more than 4 MB/,
    args: ["--max-size-mb", "4"],
    make: withPack(rawPack([entry(3, ZEROS), entry(3, ZEROS.subarray(1))])),
  },
  {
    name: "that says an object has five gigabytes",
    words: /5000 MB/,
    make: withPack(rawPack([entry(3, ZEROS, 5e9)])),
  },
  {
    name: "with more in an object than it says",
    words: /does not have its recorded size/,
    make: withPack(rawPack([entry(3, ZEROS, 10)])),
  },
  {
    name: "with less in an object than it says",
    words: /does not have its recorded size/,
    make: withPack(rawPack([entry(3, Buffer.from("x"), 10)])),
  },
  {
    name: "with less in a large object than it says",
    words: /does not have its recorded size/,
    make: withPack(rawPack([entry(3, ZEROS, 4_000_000)])),
  },
  {
    name: "with a delta that makes a terabyte",
    words: /1000000 MB/,
    make: withPack(
      (() => {
        const base = entry(3, Buffer.from("start"));
        return rawPack([base, deltaEntry(base.length, 5, 1e12, Buffer.from([0x90, 5]))]);
      })(),
    ),
  },
  {
    name: "with deltas on deltas without end",
    words: /4096 deep/,
    make: withPack(chainOfDeltas(5000)),
  },
  {
    name: "with a delta on nothing",
    words: /a delta of a missing one/,
    make: withPack(
      rawPack([entry(3, Buffer.from("start")), deltaEntry(7, 5, 5, Buffer.from([0x90, 5]))]),
    ),
  },
  {
    name: "with an object that builds on one outside",
    words: /kind/,
    make: withPack(rawPack([entry(7, Buffer.from("x"), 1, Buffer.alloc(20))])),
  },
  {
    name: "that says it has four billion objects",
    words: /4294967295 objects/,
    make: withPack(rawPack([], 0xffff_ffff)),
  },
  {
    name: "with fewer objects than it says",
    words: /cut short|kind|damaged/,
    make: withPack(rawPack([entry(3, Buffer.from("x"))], 2)),
  },
  {
    name: "with more objects than it says",
    words: /has the wrong length/,
    make: withPack(rawPack([entry(3, Buffer.from("x"))], 0)),
  },
  { name: "without a pack", words: /no pack/, make: withPack(Buffer.alloc(0)) },
  {
    name: "with something after its end",
    words: /has the wrong length/,
    make: (workshop) => Buffer.concat([workshop.bytes(), Buffer.from("more")]),
  },
  {
    name: "with a pack of version 9",
    words: /version 9/,
    make: withPack(Buffer.from("PACK\0\0\0\u0009\0\0\0\0", "latin1")),
  },
];

const HEADERS: readonly Hostile[] = [
  { name: "that is empty", words: /not a git bundle/, make: () => Buffer.alloc(0) },
  { name: "that is text", words: /not a git bundle/, make: () => Buffer.from("hello\n") },
  {
    name: "of another version",
    words: /not a git bundle/,
    make: (workshop) => Buffer.concat([workshop.header("# v9 git bundle\n"), workshop.pack()]),
  },
  {
    name: "with sha256 objects",
    words: /sha256/,
    make: () =>
      Buffer.from(
        `# v3 git bundle\n@object-format=sha256\n${"1".repeat(64)} refs/waymark/export/manifest\n\nPACK`,
      ),
  },
  {
    name: "with a filter",
    words: /@filter/,
    make: (workshop) =>
      Buffer.concat([workshop.header("# v3 git bundle\n@filter=blob:none\n"), workshop.pack()]),
  },
  {
    name: "with ids that are none",
    words: /object id/,
    make: () => Buffer.from("# v2 git bundle\nxyz refs/waymark/cp/a\n\nPACK"),
  },
  {
    name: "without an end of its refs",
    words: /refs is cut off/,
    make: () => Buffer.from(`# v2 git bundle\n${"1".repeat(40)} refs/waymark/cp/a\n`),
  },
];

async function tryAll(scene: HostileScene, all: readonly Hostile[]): Promise<void> {
  for (const { name, words, make, args } of all) {
    const result = await scene.importBytes(make(scene.workshop.copy()), ...(args ?? []));
    try {
      await scene.expectRefused(result, words);
    } catch (error) {
      throw new Error(`an archive ${name}`, { cause: error });
    }
  }
}

describe("a hostile archive", () => {
  it("is told from an honest one: what the workshop builds without a change is imported", async () => {
    await withHostileScene(async ({ workshop, importBytes }) => {
      workshop.manifest();
      const result = await importBytes(workshop.bytes());
      expectExit(result, 0);
      expect(items(result.json, "imported")).toEqual([workshop.id]);
    });
  });

  it.each([
    ["header", HEADERS],
    ["list of refs", REFS],
    ["pack", PACKS],
    ["manifest", MANIFESTS],
    ["tree", TREES],
    ["checkpoint", CHECKPOINTS],
  ])(
    "[R32] is refused for its %s, and nothing is changed",
    async (_, all) => {
      await withHostileScene((scene) => tryAll(scene, all));
    },
    180_000,
  );

  it("[R32] is refused wherever it is cut short", async () => {
    await withHostileScene(async (scene) => {
      const { good } = scene;
      const places = Array.from({ length: 24 }, (_, at) => Math.floor((good.length * at) / 24));
      for (const end of [...places, good.length - 1, good.length - 20, good.length - 21]) {
        await scene.expectRefused(await scene.importBytes(good.subarray(0, end)), /./);
      }
    });
  }, 120_000);

  it("[R32] is refused when it is no file at all, without waiting for one", async () => {
    await withHostileScene(async (scene) => {
      const { repo, importFile, expectRefused } = scene;
      const folder = join(repo.base, "folder");
      await mkdir(folder);
      await expectRefused(await importFile(folder), /not a file/);
      await repo.fifo("pipe");
      await expectRefused(await importFile(join(repo.root, "pipe")), /not a file/);
      await expectRefused(await importFile("/dev/zero"), /not a file/);
      await symlink("/dev/zero", join(repo.base, "link"));
      await expectRefused(await importFile(join(repo.base, "link")), /not a file/);
      await expectRefused(await importFile(join(repo.base, "nowhere")), /no such file/, 3);
    });
  });

  it("[R35] is no source for a rebuild: a checkpoint that would do harm is not taken from it", async () => {
    await withHostileScene(async ({ repo, workshop }) => {
      const { id } = workshop;
      await deleteObject(repo, workshop.refs.get(workshop.checkpointRef) ?? "");
      const refs = await repo.storeRefs("--format=%(objectname) %(refname)", "refs/waymark");
      const file = join(repo.base, "hostile.bundle");
      for (const change of [
        worktreeWith(`waymark=${hex(".git")}`, "40000"),
        fitting((other) => withPathInIndex(other, "Xgit/hook", ".git/hook")),
        document((old) => ({
          ...old,
          git: { ...old.git, refs: { "refs/heads/main": null, HEAD: null } },
        })),
      ]) {
        const other = workshop.copy();
        // With it in the archive the checkpoint itself would be repaired.
        other.leftOut.add(workshop.refs.get(workshop.checkpointRef) ?? "");
        await writeFile(file, change(other));
        const result = await waymark(repo.root, ["rebuild", id, "--from", file], { env: repo.env });
        expectExit(result, 4);
        expect(await repo.storeRefs("--format=%(objectname) %(refname)", "refs/waymark")).toBe(
          refs,
        );
      }
    });
  });

  it("[R32] that was fetched by plain git is refused by the rollback, and nothing is changed", async () => {
    await withHostileScene(async ({ repo, victim, workshop }) => {
      const { id } = workshop;
      const file = join(repo.base, "hostile.bundle");
      for (const change of [
        worktreeWith(`waymark=${hex(".git")}`, "100644"),
        fitting((other) => withPathInIndex(other, "Xgit/hook", ".git/hook")),
        document((old) => ({
          ...old,
          git: { ...old.git, refs: { "refs/heads/main": null, HEAD: null } },
        })),
      ]) {
        await writeFile(file, change(workshop.copy()));
        const ref = `refs/waymark/cp/${id}`;
        const fetch = ["-c", "fetch.fsckObjects=false", "fetch", "-q", file];
        await victim.store(...fetch, `+${ref}:${ref}`);
        const before = await takeFingerprint(victim);
        const args = ["rollback", id, "--yes", "--discard-commits"];
        const result = await waymark(victim.root, args, { env: repo.env });
        expectExit(result, 1, 4);
        expect(differences(await takeFingerprint(victim), before)).toEqual([]);
        expect(await victim.exists(".git/hook")).toBe(false);
      }
    });
  });

  it("[R161] that was fetched by plain git meets the checks of an import before it is used", async () => {
    await withHostileScene(async ({ repo, victim, workshop }) => {
      const { id } = workshop;
      const file = join(repo.base, "hostile.bundle");
      const ref = `refs/waymark/cp/${id}`;
      const run = (...args: readonly string[]): Promise<CliResult> =>
        waymark(victim.root, args, { env: repo.env });
      for (const [change, words] of [
        [document((old) => ({ ...old, content_hash: `sha256:${"0".repeat(64)}` })), "content_hash"],
        [document((old) => ({ ...old, state_digest: "sha256:0" })), "state_digest"],
      ] as const) {
        await writeFile(file, change(workshop.copy()));
        await victim.store("fetch", "-q", file, `+${ref}:${ref}`);
        const before = await takeFingerprint(victim);
        for (const args of [
          ["rollback", id, "--yes", "--discard-commits"],
          ["diff", id],
          ["stash", id],
        ]) {
          const result = await run(...args);
          expectExit(result, 4);
          expect(errorMessage(result)).toContain(words);
        }
        expect(differences(await takeFingerprint(victim), before)).toEqual([]);
      }
      await writeFile(file, fitting(() => undefined)(workshop.copy()));
      await victim.store("fetch", "-q", file, `+${ref}:${ref}`);
      expectExit(await run("rollback", id, "--yes", "--discard-commits"), 0);
    });
  });

  it("[R32] with .git split between two names of a version 4 index is refused by rollback and import", async () => {
    await withHostileScene(
      async ({ repo, victim, workshop, importFile, expectRefused }) => {
        const { id } = workshop;
        const file = join(repo.base, "hostile.bundle");
        const hidden = fitting((other) =>
          withPathInIndex(other, "X/hooks/pre-commit", "t/hooks/pre-commit"),
        );
        const bytes = hidden(workshop.copy());
        expect(bytes.includes(".git/hooks")).toBe(false);
        await writeFile(file, bytes);
        await expectRefused(await importFile(file), /its index has the path ".git\/hooks/);
        const ref = `refs/waymark/cp/${id}`;
        await victim.store("fetch", "-q", file, `+${ref}:${ref}`);
        const before = await takeFingerprint(victim);
        const args = ["rollback", id, "--yes", "--discard-commits"];
        const result = await waymark(victim.root, args, { env: repo.env });
        expectExit(result, 4);
        expect(errorMessage(result)).toContain("its index has the path");
        expect(differences(await takeFingerprint(victim), before)).toEqual([]);
      },
      async (repo) => {
        await repo.write(".gi-a", "a\n");
        await repo.write(".giX/hooks/pre-commit", "#!/bin/sh\n");
        await repo.git("add", "-A");
        await repo.git("update-index", "--index-version", "4");
        return [];
      },
    );
  });
});
