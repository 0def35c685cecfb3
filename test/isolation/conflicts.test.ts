// Results that do not fit: what is written, who resolves it, and the way back.
import { describe, expect, it } from "vitest";
import { concludeConflict, type MergeOutcome } from "../../src/operations/merge-isolated.ts";
import type { OpenConflict } from "../../src/domain/workflow/merge-conflict.ts";
import { takeFingerprint } from "../support/fingerprint.ts";
import { Batch, filesOf, lines, PLACE, seeded, text } from "./batch.ts";

type Stopped = Extract<MergeOutcome, { kind: "conflict" }>;

function stopped(outcome: MergeOutcome): Stopped {
  if (outcome.kind !== "conflict") throw new Error("it was merged");
  return outcome;
}

/** Two nodes that changed the same line, and a third that has nothing to do with it. */
async function quarrel(): Promise<Batch> {
  const repo = await seeded();
  const batch = await Batch.start(repo, "api", "ui", "docs");
  await batch.node("api").write("a.txt", lines({ one: "API" }));
  await batch.node("ui").write("a.txt", lines({ one: "UI" }));
  await batch.node("ui").write("ui.txt", "ui\n");
  await batch.node("docs").write("docs.txt", "docs\n");
  return batch;
}

async function triggersOf({ project }: Batch, ids: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (const id of ids) {
    const stored = await project.checkpoints.read(id);
    if (stored?.kind === "ok") found.push(stored.document.trigger);
  }
  return found;
}

describe("a conflict", () => {
  it("[R82] is resolved by a command between two checkpoints, and the rest is merged after it", async () => {
    const batch = await quarrel();
    const { repo } = batch;
    let seen: OpenConflict | undefined;
    const outcome = await batch.merge({
      resolve: async (conflict) => {
        seen = conflict;
        expect(await text(repo, "a.txt")).toBe(
          `<<<<<<< main\nAPI\n=======\nUI\n>>>>>>> ui\n${lines({ "one\n": "" })}`,
        );
        expect(await text(repo, "ui.txt")).toBe("ui\n");
        await repo.write("a.txt", lines({ one: "BOTH" }));
        return { kind: "resolved" };
      },
    });
    expect(seen?.paths).toMatchObject([{ path: "a.txt", why: "content", has_markers: true }]);
    expect(outcome).toMatchObject({
      kind: "merged",
      merged: ["api", "ui", "docs"],
      pending: [],
      changed: ["a.txt", "docs.txt", "ui.txt"],
    });
    expect(await text(repo, "a.txt")).toBe(lines({ one: "BOTH" }));
    expect(await text(repo, "docs.txt")).toBe("docs\n");
    const triggers = await triggersOf(batch, outcome.checkpoints);
    expect(triggers.filter((trigger) => trigger.startsWith("conflict"))).toEqual([
      "conflict_start",
      "conflict_resolved",
    ]);
  });

  it("has no checkpoints of its own with triggers.conflict_events: false, and the way back is the one before the merge", async () => {
    const batch = await quarrel();
    const { repo } = batch;
    const { triggers } = batch.project.config;
    const config = { ...batch.project.config, triggers: { ...triggers, conflictEvents: false } };
    const outcome = await batch.merge(
      {
        resolve: async (conflict) => {
          const start = await batch.project.checkpoints.read(conflict.start_id);
          expect(start).toMatchObject({ document: { trigger: "pre_phase" } });
          expect(conflict.restore_command).toContain(conflict.start_id);
          await repo.write("a.txt", lines({ one: "BOTH" }));
          return { kind: "resolved" };
        },
      },
      { ...batch.project, config },
    );
    expect(outcome).toMatchObject({ kind: "merged", merged: ["api", "ui", "docs"] });
    const triggersTaken = await triggersOf(batch, outcome.checkpoints);
    expect(triggersTaken.filter((trigger) => trigger.startsWith("conflict"))).toEqual([]);
  });

  it("[R82] waits for a person, who resolves it, and is concluded then", async () => {
    const batch = await quarrel();
    const { repo, project } = batch;
    const results = await batch.results();
    const open = stopped(await batch.merge({ results }));
    expect(open).toMatchObject({
      why: "waits_for_person",
      merged: ["api"],
      pending: ["ui", "docs"],
      unresolved: ["a.txt"],
    });
    expect(await concludeConflict(project, open.conflict, PLACE)).toEqual({
      kind: "unresolved",
      paths: ["a.txt"],
    });
    await repo.write("a.txt", lines({ one: "PERSON" }));
    expect(await concludeConflict(project, open.conflict, PLACE)).toMatchObject({
      kind: "resolved",
    });
    expect(await batch.merge({ results: results.slice(2) })).toMatchObject({ kind: "merged" });
    expect(await text(repo, "docs.txt")).toBe("docs\n");
    expect(await text(repo, "a.txt")).toBe(lines({ one: "PERSON" }));
  });

  it("[R82] whose resolver fails or leaves markers can be taken back to before the merge", async () => {
    const batch = await quarrel();
    const { repo, project } = batch;
    const results = await batch.results();
    await repo.write("b.txt", "unstaged work\n");
    const before = await filesOf(repo);
    const marks = stopped(
      await batch.merge({ results, resolve: () => Promise.resolve({ kind: "resolved" }) }),
    );
    expect(marks).toMatchObject({ why: "markers_left", unresolved: ["a.txt"] });
    expect(marks.conflict.restore_command).toContain(marks.conflict.start_id);
    await batch.backTo(marks.conflict.start_id);
    expect(await filesOf(repo)).toEqual(before);
    expect(await concludeConflict(project, marks.conflict, PLACE)).toEqual({ kind: "not_begun" });
    const failed = stopped(
      await batch.merge({
        results,
        resolve: () => Promise.resolve({ kind: "failed", message: "no idea" }),
      }),
    );
    expect(failed).toMatchObject({ why: "resolver_failed", message: "no idea" });
    expect(failed.pending).toEqual(["ui", "docs"]);
  });

  it("is announced before anything is written, so that a killed engine knows of it", async () => {
    const batch = await quarrel();
    const before = await takeFingerprint(batch.repo);
    let announced: OpenConflict | undefined;
    const outcome = batch.merge({
      onConflict: async (conflict) => {
        announced = conflict;
        expect((await takeFingerprint(batch.repo)).paths).toEqual(before.paths);
        throw new Error("killed");
      },
    });
    await expect(outcome).rejects.toThrow("killed");
    if (announced === undefined) throw new Error("nothing was announced");
    expect(await concludeConflict(batch.project, announced, PLACE)).toEqual({ kind: "not_begun" });
  });
});

describe("what does not fit", () => {
  it.each([
    {
      name: "a binary file",
      path: "bin",
      why: "binary",
      ours: Buffer.from([0, 1, 2, 0xff]),
      theirs: Buffer.from([0, 9, 9, 0xfe]),
    },
    { name: "a file that both made", path: "made", why: "both_added", ours: "x\n", theirs: "y\n" },
    {
      name: "a file that one took away",
      path: "b.txt",
      why: "modify_delete",
      ours: null,
      theirs: "B\n",
    },
    {
      name: "a file that the other took away",
      path: "b.txt",
      why: "modify_delete",
      ours: "B\n",
      theirs: null,
    },
  ])(
    "$name is reported, with both sides, and nothing is lost",
    async ({ path, why, ours, theirs }) => {
      const repo = await seeded();
      await repo.write("bin", Buffer.from([0, 0, 0]));
      const batch = await Batch.start(repo, "api", "ui");
      const change = async (node: string, content: string | Buffer | null): Promise<void> =>
        content === null ? batch.node(node).remove(path) : batch.node(node).write(path, content);
      await change("api", ours);
      await change("ui", theirs);
      const { conflict } = stopped(await batch.merge());
      expect(conflict.paths).toMatchObject([{ path, why }]);
      const [side] = conflict.paths;
      const content = async (oid: string | undefined): Promise<Buffer | null> =>
        oid === undefined ? null : (await repo.tryStore(["cat-file", "blob", oid])).stdout;
      expect(await content(side?.ours?.oid)).toEqual(ours === null ? null : Buffer.from(ours));
      expect(await content(side?.theirs?.oid)).toEqual(
        theirs === null ? null : Buffer.from(theirs),
      );
    },
  );

  it("a link against a file, and a file against a folder", async () => {
    const repo = await seeded();
    const batch = await Batch.start(repo, "api", "ui");
    await batch.node("api").link("b.txt", "a.txt");
    await batch.node("ui").write("b.txt", "still a file\n");
    await batch.node("api").remove("lib");
    await batch.node("api").write("lib", "a file\n");
    await batch.node("ui").write("lib/d.txt", "in a folder\n");
    const { conflict } = stopped(await batch.merge());
    const paths = conflict.paths.map(({ path }) => path);
    expect(paths).toContain("b.txt");
    expect(paths.some((path) => path.startsWith("lib"))).toBe(true);
    const found = await filesOf(repo);
    expect([...found.keys()].some((path) => path.startsWith("lib"))).toBe(true);
  });

  it("a name that is not UTF-8", async () => {
    const repo = await seeded();
    const odd = Buffer.from([0xff, 0x0a, 0x41]);
    await repo.write(odd, "x\n");
    const batch = await Batch.start(repo, "api", "ui");
    await batch.node("api").write(odd, "api\n");
    await batch.node("ui").write(odd, "ui\n");
    const open = stopped(await batch.merge());
    expect(open.unresolved).toEqual(['"\\377\\nA"']);
    await repo.write(odd, "both\n");
    expect(await concludeConflict(batch.project, open.conflict, PLACE)).toMatchObject({
      kind: "resolved",
    });
  });

  it("a node called main", async () => {
    const repo = await seeded();
    const batch = await Batch.start(repo, "x y/../z", "main");
    await batch.node("x y/../z").write("b.txt", "1\n");
    await batch.node("main").write("b.txt", "2\n");
    const open = stopped(await batch.merge());
    expect(await text(repo, "b.txt")).toBe("<<<<<<< main\n1\n=======\n2\n>>>>>>> node-main\n");
    expect(open.unresolved).toEqual(["b.txt"]);
  });
});
