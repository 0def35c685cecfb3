// What nobody may lose: files that are in the way, work that no checkpoint holds, trees of killed processes.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openedPlainFolder } from "../../src/adapters/git/temp-repository.fixture.ts";
import { createCheckpoint } from "../../src/operations/create-checkpoint.ts";
import { removeLeftOver, startIsolated } from "../../src/operations/isolated-trees.ts";
import { cliEnvironment } from "../support/cli.ts";
import { takeFingerprint } from "../support/fingerprint.ts";
import { runCommand } from "../support/run-command.ts";
import { KEY_FILE } from "../secrets/fake-secrets.ts";
import { Batch, filesOf, lines, openedProject, PLACE, seeded, text } from "./batch.ts";

const library = new URL("../../dist/index.js", import.meta.url).href;

describe("in the main work tree", () => {
  it("[R81] a file that no checkpoint holds is not overwritten by one of a node", async () => {
    const repo = await seeded();
    await repo.write("ignored/mine", "mine\n");
    const batch = await Batch.start(repo, "api");
    const api = batch.node("api");
    await api.write(".gitignore", "");
    await api.write("ignored/mine", "of the node\n");
    await api.write("b.txt", "node\n");
    const before = await takeFingerprint(repo);
    const ids = (await batch.project.checkpoints.list()).length;
    await expect(batch.merge()).rejects.toMatchObject({
      code: "obstructed",
      details: { paths: ["ignored/mine"] },
    });
    expect((await takeFingerprint(repo)).paths).toEqual(before.paths);
    // The checkpoint of the node, and nothing that never was.
    expect((await batch.project.checkpoints.list()).length).toBe(ids + 1);
  });

  it("[R81] what is saved while results are merged stays, and is merged with them", async () => {
    const repo = await seeded();
    const batch = await Batch.start(repo, "api");
    await batch.node("api").write("a.txt", lines({ one: "ONE" }));
    const results = await batch.results();
    const { project } = batch;
    let saves = 0;
    const busy = {
      ...project,
      isolated: {
        ...project.isolated,
        merge: async (order: Parameters<typeof project.isolated.merge>[0]) => {
          const merged = await project.isolated.merge(order);
          if (saves++ === 0) {
            await repo.write("a.txt", lines({ seven: "SAVED" }));
            await repo.write("b.txt", "saved too\n");
          }
          return merged;
        },
      },
    };
    const outcome = await batch.merge({ results }, busy);
    expect(outcome).toMatchObject({ kind: "merged", changed: ["a.txt"] });
    expect(saves).toBe(2);
    expect(await text(repo, "a.txt")).toBe(lines({ one: "ONE", seven: "SAVED" }));
    expect(await text(repo, "b.txt")).toBe("saved too\n");
  });

  it("a file stays that a node can no longer see, because it is ignored or is a secret there", async () => {
    const repo = await seeded();
    await repo.write("notes.txt", "untracked\n");
    await repo.write("keys.txt", "nothing yet\n");
    const batch = await Batch.start(repo, "api");
    const api = batch.node("api");
    await api.write(".gitignore", "ignored/\nnotes.txt\n");
    await api.write("keys.txt", KEY_FILE);
    const outcome = await batch.merge();
    expect(outcome).toMatchObject({ kind: "merged", changed: [".gitignore"] });
    expect(outcome.leftOut.map(({ name, exclusion }) => [name, exclusion.path])).toEqual([
      ["api", "keys.txt"],
    ]);
    expect(await text(repo, "notes.txt")).toBe("untracked\n");
    expect(await text(repo, "keys.txt")).toBe("nothing yet\n");
  });
});

describe("what a node promised or was given is its work, also where git ignores it:", () => {
  it("a file that it was given and then had ignored is merged with what it changed", async () => {
    const repo = await seeded();
    await repo.write("notes.txt", "mine\n");
    await repo.write("drafts/one.txt", "one\n");
    const batch = await Batch.start(repo, "api");
    const api = batch.node("api");
    await api.write(".gitignore", "ignored/\nnotes.txt\ndrafts/\n");
    await api.write("notes.txt", "mine\nof the node\n");
    await api.write("drafts/one.txt", "one\nmore\n");
    await api.write("drafts/new.txt", "nobody's\n");
    await batch.merge();
    expect(await text(repo, "notes.txt")).toBe("mine\nof the node\n");
    expect(await text(repo, "drafts/one.txt")).toBe("one\nmore\n");
    expect(await batch.removeAll()).toMatchObject([{ kind: "removed" }]);
  });

  it("a tree of which nobody read the result: its last checkpoint has it", async () => {
    const repo = await seeded();
    await repo.write("notes.txt", "mine\n");
    const batch = await Batch.start(repo, "api");
    await batch.node("api").write(".gitignore", "notes.txt\n");
    await batch.node("api").write("notes.txt", "of the node\n");
    const [removed] = await batch.removeAll();
    if (removed?.kind !== "removed" || removed.checkpointId === null) throw new Error("it stayed");
    const ref = `refs/waymark/cp/${removed.checkpointId}:worktree/notes.txt`;
    expect(await repo.store("cat-file", "blob", ref)).toBe("of the node\n");
  });

  it("a secret that it wrote into such a file is left out, and its tree stays", async () => {
    const repo = await seeded();
    await repo.write("notes.txt", "mine\n");
    const batch = await Batch.start(repo, "api");
    await batch.node("api").write(".gitignore", "notes.txt\n");
    await batch.node("api").write("notes.txt", KEY_FILE);
    expect(await batch.removeAll()).toMatchObject([
      { kind: "kept", notHeld: [{ path: "notes.txt", reason: "sensitive_content" }] },
    ]);
  });
});

describe("a tree with something that no checkpoint holds", () => {
  it.each([
    {
      name: "a secret",
      make: (batch: Batch) => batch.node("api").write(".env", "PASSWORD=hunter2\n"),
      reason: "sensitive",
    },
    {
      name: "a repository in it",
      make: async (batch: Batch) => {
        const api = batch.node("api");
        await api.git("init", "-q", "inner");
        await api.write("inner/x", "x");
      },
      reason: "nested_repository",
    },
  ])("stays: $name", async ({ make, reason }) => {
    const repo = await seeded();
    const batch = await Batch.start(repo, "api");
    await make(batch);
    const [result] = await batch.results();
    expect(result?.notHeld.map((exclusion) => exclusion.reason)).toEqual([reason]);
    expect(await batch.removeAll()).toMatchObject([{ kind: "kept", notHeld: [{ reason }] }]);
    expect(await batch.node("api").exists("b.txt")).toBe(true);
  });

  it("goes when that is only what git ignores", async () => {
    const repo = await seeded();
    const batch = await Batch.start(repo, "api");
    await batch.node("api").write("ignored/build", "x");
    expect(await batch.removeAll()).toMatchObject([{ kind: "removed" }]);
  });

  it("is held by a checkpoint before it goes, also when its result was never read", async () => {
    const repo = await seeded();
    const batch = await Batch.start(repo, "api");
    await batch.node("api").write("late.txt", "late\n");
    const [removed] = await batch.removeAll();
    if (removed?.kind !== "removed" || removed.checkpointId === null) throw new Error("it stayed");
    const ref = `refs/waymark/cp/${removed.checkpointId}:worktree/late.txt`;
    expect(await repo.store("cat-file", "blob", ref)).toBe("late\n");
  });
});

describe("isolation is refused", () => {
  it("for a change of a submodule, before anything is changed", async () => {
    const repo = await seeded();
    const inner = repo.at("inner");
    await repo.git("init", "-q", inner.root);
    const first = await inner.commit("1");
    const second = await inner.commit("2");
    await repo.git("update-index", "--add", "--cacheinfo", `160000,${first},sub`);
    await repo.folder("sub");
    await repo.commit("submodule");
    const batch = await Batch.start(repo, "api");
    const api = batch.node("api");
    expect(await api.git("status", "--porcelain")).toBe("");
    await api.git("update-index", "--cacheinfo", `160000,${second},sub`);
    await api.write("b.txt", "node\n");
    await expect(batch.merge()).rejects.toMatchObject({ code: "cannot_isolate" });
    expect(await text(repo, "b.txt")).toBe("b\n");
  });

  it("for a folder without git", async () => {
    const { repo } = await openedPlainFolder();
    await repo.write("x", "x");
    const project = await openedProject(repo.root);
    const { checkpoint } = await createCheckpoint(project, PLACE);
    await expect(startIsolated(project, checkpoint, ["api"])).rejects.toMatchObject({
      code: "cannot_isolate",
    });
  });

  it("for a checkpoint with a scope", async () => {
    const repo = await seeded();
    const project = await openedProject(repo.root);
    const { checkpoint } = await createCheckpoint(project, { ...PLACE, scope: ["lib/**"] });
    await expect(startIsolated(project, checkpoint, ["api"])).rejects.toMatchObject({
      code: "cannot_isolate",
    });
  });
});

describe("trees of a killed process", () => {
  it("are found by the next one, held by a checkpoint and removed; live ones are left alone", async () => {
    const repo = await seeded();
    const script = join(repo.base, "killed.mjs");
    await writeFile(
      script,
      `import { openProject, createCheckpoint, startIsolated } from ${JSON.stringify(library)};
import { writeFileSync } from "node:fs";
const project = await openProject({ directory: process.argv[2] });
const { checkpoint } = await createCheckpoint(project, { sessionId: "flow" });
const [tree] = await startIsolated(project, checkpoint, ["api"]);
writeFileSync(tree.path + "/left.txt", "left\\n");
process.kill(process.pid, "SIGKILL");
`,
    );
    const killed = await runCommand(process.execPath, [script, repo.root], {
      env: cliEnvironment(repo.env),
    });
    expect(killed).toMatchObject({ signal: "SIGKILL" });
    const live = await Batch.start(repo, "ui");
    const [first, ...others] = await removeLeftOver(live.project);
    expect(others).toEqual([]);
    if (first?.kind !== "removed" || first.checkpointId === null) throw new Error("it stayed");
    const ref = `refs/waymark/cp/${first.checkpointId}:worktree/left.txt`;
    expect(await repo.store("cat-file", "blob", ref)).toBe("left\n");
    expect(await filesOf(live.node("ui"))).toEqual(await filesOf(repo));
    expect(await removeLeftOver(live.project)).toEqual([]);
    await live.removeAll();
    expect((await repo.git("worktree", "list")).trim().split("\n")).toHaveLength(1);
  });
});
