import {
  chmodSync,
  chownSync,
  readFileSync,
  renameSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { deleteObject, flipByteOfObject } from "../../../test/support/damage.ts";
import { DEFAULT_POLICY } from "../../domain/capture-policy.ts";
import { draftOf } from "../../ports/checkpoint-store.suite.ts";
import { GitCheckpointStore } from "./git-checkpoint-store.ts";
import { countGitProcesses } from "./git-processes.fixture.ts";
import { GitWorkTree } from "./git-work-tree.ts";
import { ObjectReader } from "./object-reader.ts";
import {
  openedRepository,
  waitForRefLocks,
  type OpenedRepository,
} from "./temp-repository.fixture.ts";

const isRoot = process.getuid?.() === 0;

let opened: OpenedRepository;
let store: GitCheckpointStore;
let remembered: string;

beforeEach(async () => {
  opened = await openedRepository();
  await waitForRefLocks(opened.repo);
  store = new GitCheckpointStore(opened.repository, opened.reader);
  remembered = join(opened.repository.sharedDir, "glances.json");
  for (const id of ["cp-a", "cp-b", "cp-c"]) await publish(id);
  await store.glance();
});

async function publish(id: string): Promise<void> {
  await opened.repo.write("file.txt", id);
  const workTree = new GitWorkTree(opened.repository, opened.reader);
  const capture = await workTree.capture({ policy: DEFAULT_POLICY });
  const draft = draftOf(id, capture, { reason: `the truth about ${id}` });
  expect(await store.publish(draft)).toEqual({ kind: "published" });
}

const truth = (...ids: readonly string[]): string[] =>
  ids.map((id) => `${id}: the truth about ${id}`);

async function seen(): Promise<string[]> {
  // With a reader of its own: an older one may still have a file open that is gone.
  const reader = new ObjectReader(opened.repository);
  onTestFinished(() => reader.close());
  const found = await new GitCheckpointStore(opened.repository, reader).glance();
  return found
    .map((each) => `${each.id}: ${each.kind === "ok" ? each.document.reason : each.kind}`)
    .toSorted();
}

/** What is remembered is not true any more, and looks as if it were. */
function lie(change: (text: string) => string = (text) => text): void {
  const text = readFileSync(remembered, "utf8");
  const forged = text.replaceAll("the truth", "a lie");
  expect(forged).not.toBe(text);
  writeFileSync(remembered, change(forged));
}

const commitOf = async (id: string): Promise<string> =>
  (await opened.repo.store("rev-parse", `refs/waymark/cp/${id}`)).trim();

describe("a glance at checkpoints", () => {
  it("starts no git where nothing changed, with packed refs too", async () => {
    for (const args of [[], ["pack-refs", "--all"]]) {
      if (args.length > 0) await opened.repo.store(...args);
      const { result, processes } = await countGitProcesses(opened.repo, seen);
      expect(result).toEqual(truth("cp-a", "cp-b", "cp-c"));
      expect(processes).toEqual([]);
    }
  });

  it("sees what came and what went, and asks git for the new ones only", async () => {
    await publish("cp-d");
    await store.trash(["cp-b"]);
    const { result, processes } = await countGitProcesses(opened.repo, seen);
    expect(result).toEqual(truth("cp-a", "cp-c", "cp-d"));
    expect(processes).toHaveLength(1);
    expect(processes[0]).toMatch(/for-each-ref \S+ refs\/waymark\/cp\/cp-d$/);
    expect((await countGitProcesses(opened.repo, seen)).processes).toEqual([]);
  });

  it("reads a checkpoint anew whose ref points at another commit", async () => {
    await opened.repo.store("update-ref", "refs/waymark/cp/cp-b", await commitOf("cp-a"));
    expect(await seen()).toEqual([
      "cp-a: the truth about cp-a",
      "cp-b: damaged",
      "cp-c: the truth about cp-c",
    ]);
  });

  it.each<[string, (oid: string) => Promise<void>]>([
    ["lost", (oid) => deleteObject(opened.repo, oid)],
    ["damaged", (oid) => flipByteOfObject(opened.repo, oid)],
  ])("shows one whose commit was %s as damaged", async (_how, damage) => {
    await damage(await commitOf("cp-b"));
    expect(await seen()).toContain("cp-b: damaged");
  });

  it("shows one whose ref is no ref as damaged", async () => {
    const path = opened.repo.storePath("refs/waymark/cp/cp-b");
    await writeFile(path, "");
    expect(await seen()).toContain("cp-b: damaged");
  });

  it.each<[string, (text: string) => string]>([
    ["of another format", (text) => text.replace('"format":2', '"format":3')],
    ["cut off", (text) => text.slice(0, -1)],
    ["empty", () => ""],
    ["a list", (text) => `[${text}]`],
    ["about other ids", (text) => text.replaceAll('"id":"cp-', '"id":"cp-x')],
    ["with values of other types", (text) => text.replaceAll(/"seq":\d+/g, '"seq":"1"')],
    ["without stats", (text) => text.replaceAll('"stats":', '"states":')],
  ])("does not believe what is remembered when it is %s", async (_what, change) => {
    lie(change);
    expect(await seen()).toEqual(truth("cp-a", "cp-b", "cp-c"));
  });

  it("does not believe it when others can write it", async () => {
    lie();
    chmodSync(remembered, 0o620);
    expect(await seen()).toEqual(truth("cp-a", "cp-b", "cp-c"));
  });

  it("does not believe it behind a link", async () => {
    lie();
    renameSync(remembered, `${remembered}-there`);
    symlinkSync(`${remembered}-there`, remembered);
    expect(await seen()).toEqual(truth("cp-a", "cp-b", "cp-c"));
  });

  it.runIf(isRoot)("does not believe it when somebody else wrote it", async () => {
    lie();
    chownSync(remembered, 12, 12);
    expect(await seen()).toEqual(truth("cp-a", "cp-b", "cp-c"));
  });

  it("does not believe it when a pack is another file, or gone", async () => {
    lie();
    const folder = opened.repo.storePath("objects/pack");
    const [pack = ""] = (await readdir(folder)).filter((name) => name.endsWith(".pack"));
    utimesSync(join(folder, pack), new Date(0), new Date(0));
    expect(await seen()).toEqual(truth("cp-a", "cp-b", "cp-c"));
    lie();
    await opened.repo.store("repack", "-q", "-a", "-d");
    expect(await seen()).toEqual(truth("cp-a", "cp-b", "cp-c"));
  });
});
