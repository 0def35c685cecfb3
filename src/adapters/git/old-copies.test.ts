/** Copies as earlier versions kept them: each becomes an object of the local half, or stays where it is. */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { DEFAULT_POLICY } from "../../domain/capture-policy.ts";
import { MANIFEST_ENTRY } from "../../domain/file-backup.ts";
import { draftOf } from "../../ports/checkpoint-store.suite.ts";
import { gitFileBackups } from "./git-file-backups.ts";
import { GitCheckpointStore } from "./git-checkpoint-store.ts";
import { GitWorkTree } from "./git-work-tree.ts";
import { takeInCopies } from "./old-copies.ts";
import { openedRepository } from "./temp-repository.fixture.ts";

const ID = "cp-00-manual-20261115-184530-a3f2";
const LOCAL = `refs/waymark/local/${ID}`;

/** A checkpoint with copies of ignored files and one outside, as an earlier version made it. */
async function oldCheckpoint() {
  const { repo, repository, reader } = await openedRepository();
  const outside = join(repo.base, "outside.conf");
  const files: [path: string, at: string, text: string][] = [
    ["files/data/a", join(repo.root, "data/a"), "a\n"],
    ["files/data/deep/run.sh", join(repo.root, "data/deep/run.sh"), "#!/bin/sh\n"],
    [`outside${outside}`, outside, "outside\n"],
  ];
  writeFileSync(join(repo.root, ".gitignore"), "/data/\n");
  for (const [, at, text] of files) {
    mkdirSync(dirname(at), { recursive: true });
    writeFileSync(at, text);
  }
  chmodSync(join(repo.root, "data/deep/run.sh"), 0o755);
  symlinkSync("a", join(repo.root, "data/link"));
  const keeper = await gitFileBackups(repository, reader, { policy: DEFAULT_POLICY });
  const ask = { patterns: ["/data/"], outside: [outside], includeSecrets: [] };
  const captured = await keeper.capture(ask);
  const capture = await new GitWorkTree(repository, reader).capture({ policy: DEFAULT_POLICY });
  const manifest = captured.entries.get(MANIFEST_ENTRY);
  if (manifest?.kind !== "bytes") throw new Error("there is no manifest");
  await capture.add(new Map([[MANIFEST_ENTRY, manifest]]));
  const store = new GitCheckpointStore(repository, reader);
  const draft = draftOf(ID, capture, { parts: [capture.stored.part, captured.part] });
  expect(await store.publish(draft)).toEqual({ kind: "published" });
  capture.discard();
  captured.discard();
  const folder = join(repo.root, ".checkpoints", ID);
  for (const [name, , text] of files) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text, { mode: 0o600 });
  }
  writeFileSync(join(folder, "manifest.json"), manifest.bytes);
  const document = draft.document;
  return { repo, repository, reader, store, document, folder, outside };
}

describe("copies of earlier versions", () => {
  it("become the local half of their checkpoint, and go", async () => {
    const { repo, repository, reader, store, document, folder, outside } = await oldCheckpoint();
    expect(await store.isHere(document, "files")).toBe(false);
    expect(await takeInCopies(repository, reader)).toEqual({ taken: [ID], left: [] });
    expect(await repo.store("ls-tree", "-r", "--format=%(objectmode) %(path)", LOCAL)).toBe(
      [
        `100644 files/outside${outside}`,
        "100644 files/project/data/a",
        "100755 files/project/data/deep/run.sh",
        "120000 files/project/data/link",
        "",
      ].join("\n"),
    );
    expect(await store.isHere(document, "files")).toBe(true);
    expect((await store.entry(ID, "files/project/data/a")).toString()).toBe("a\n");
    expect(existsSync(folder)).toBe(false);
    expect(await store.verify([ID])).toMatchObject([{ git: true, problems: [] }]);
    expect(await takeInCopies(repository, reader)).toEqual({ taken: [], left: [] });
  });

  it("are taken in by the next one after a kill: before the ref, and before they were removed", async () => {
    const { repo, repository, reader, folder } = await oldCheckpoint();
    await takeInCopies(repository, reader);
    const tip = await repo.store("rev-parse", LOCAL);
    // The ref is there, and a part of the copies.
    mkdirSync(join(folder, "files/data"), { recursive: true });
    writeFileSync(join(folder, "files/data/a"), "a\n");
    expect(await takeInCopies(repository, reader)).toEqual({ taken: [ID], left: [] });
    expect(await repo.store("rev-parse", LOCAL)).toBe(tip);
    expect(existsSync(folder)).toBe(false);
  });

  it.each([
    ["another byte", (at: string) => writeFileSync(at, "b\n")],
    ["a link in its place", (at: string) => (rmSync(at), symlinkSync("/etc/hostname", at))],
    ["gone", (at: string) => rmSync(at)],
  ])("stay where one is not as the manifest says: %s", async (_name, damage) => {
    const { repo, repository, reader, folder } = await oldCheckpoint();
    damage(join(folder, "files/data/a"));
    expect(await takeInCopies(repository, reader)).toEqual({
      taken: [],
      left: [{ id: ID, problem: "the copy of data/a is missing or was changed" }],
    });
    expect(await repo.store("for-each-ref", "refs/waymark/local")).toBe("");
    expect(readFileSync(join(folder, "files/data/deep/run.sh"), "utf8")).toBe("#!/bin/sh\n");
  });

  it("stay where their checkpoint is gone, and nothing is looked for behind a link", async () => {
    const { repo, repository, reader, folder } = await oldCheckpoint();
    await repo.store("update-ref", "-d", `refs/waymark/cp/${ID}`);
    expect((await takeInCopies(repository, reader)).left).toEqual([
      { id: ID, problem: "its checkpoint no longer exists" },
    ]);
    expect(existsSync(folder)).toBe(true);
    const own = join(repo.root, ".checkpoints");
    const elsewhere = join(repo.base, "elsewhere");
    mkdirSync(elsewhere);
    rmSync(own, { recursive: true });
    mkdirSync(join(elsewhere, ID));
    symlinkSync(elsewhere, own);
    expect(await takeInCopies(repository, reader)).toEqual({ taken: [], left: [] });
  });
});
