/** Nodes in work trees of their own: merged after their batch, also after an interruption, and conflicts in between. */
import { describe, expect, it } from "vitest";
import { projectChecks } from "../../src/operations/project-checks.ts";
import { resumeWorkflow } from "../../src/operations/resume/resume-workflow.ts";
import { items, text } from "../support/json.ts";
import { TOKEN } from "../secrets/fake-secrets.ts";
import { withRunning, type Running } from "./running.ts";
import type { RunResult } from "../../src/operations/run/run-workflow.ts";

const node = (name: string, run: string) => ({ name, run, isolate: "worktree" });

const CONFLICTING = {
  name: "implement",
  nodes: [node("api", "echo api > b.txt"), node("ui", "echo ui > b.txt; echo more > ui.txt")],
};

function resume(running: Running, sessionId: string): Promise<RunResult> {
  return resumeWorkflow(running.project, {
    session: sessionId,
    acceptChanges: true,
    onEvent: (event) => running.events.push(event),
  });
}

/** Undefined: the checkpoint does not hold it. */
async function reportIn({ rules }: Running, id: string): Promise<string | undefined> {
  const path = `refs/waymark/cp/${id}:worktree/build/report.json`;
  return rules.repo.store("cat-file", "blob", path).catch(() => undefined);
}

describe("isolated nodes", () => {
  it("do not see each other, and their work is merged after the batch", async () => {
    await withRunning(async (running) => {
      await running.write("mine.txt", "untracked\n");
      const result = await running.run([
        {
          name: "implement",
          nodes: [
            node(
              "api",
              "test ! -e ui.txt; cat mine.txt; echo api > api.txt; sleep 0.3; test ! -e ui.txt",
            ),
            node("ui", "echo ui > ui.txt"),
            { name: "wire", run: "cat api.txt ui.txt mine.txt > all.txt", needs: ["api", "ui"] },
          ],
        },
      ]);
      expect(result.status).toBe("completed");
      expect(await running.read("all.txt")).toBe("api\nui\nuntracked\n");
      expect((await running.rules.repo.git("worktree", "list")).trim().split("\n")).toHaveLength(1);
    });
  });

  it("bring the outputs that they promised, also where git ignores them and one of an earlier run is there", async () => {
    await withRunning(async (running) => {
      await running.write(".gitignore", "build/\n");
      await running.write("build/report.json", "of an earlier run\n");
      const writes = (name: string, file: string) => ({
        ...node(name, `mkdir -p build; echo $WAYMARK_NODE > build/${file}; touch build/cache`),
        outputs: { [name]: `build/${file}` },
      });
      const result = await running.run([
        { name: "implement", nodes: [writes("api", "report.json"), writes("ui", "ui.json")] },
      ]);
      expect(result).toMatchObject({ status: "completed", reason: null });
      expect(await running.read("build/report.json")).toBe("api\n");
      expect(await running.read("build/ui.json")).toBe("ui\n");
      expect(await running.rules.repo.exists("build/cache")).toBe(false);
      expect(running.of("warning")).toEqual([]);
      const { json } = await running.rules.ok("list", "--all");
      const held = items(json, "checkpoints").map((checkpoint) => text(checkpoint, "id"));
      const old = await Promise.all(held.map((id) => reportIn(running, id)));
      expect(old).toContain("of an earlier run\n");
    });
  });

  it("that promise the same output conflict", async () => {
    await withRunning(async (running) => {
      await running.write(".gitignore", "build/\n");
      const writes = (name: string) => ({
        ...node(name, "mkdir -p build; echo $WAYMARK_NODE > build/report.json"),
        outputs: { [name]: "build/report.json" },
      });
      const result = await running.run([
        { name: "implement", nodes: [writes("api"), writes("ui")] },
      ]);
      expect(result).toMatchObject({ status: "paused", exitCode: 5 });
      expect(await running.read("build/report.json")).toContain("<<<<<<<");
      await running.write("build/report.json", "both\n");
      expect(await resume(running, result.sessionId)).toMatchObject({ status: "completed" });
      expect(await running.read("build/report.json")).toBe("both\n");
    });
  });

  it.each([
    ["that git ignores and that was there before", "build/report.json", "of an earlier run\n"],
    ["that git ignores", "build/report.json", null],
    ["that git does not ignore", "report.md", null],
  ])(
    "never write over what a person made of an output meanwhile: one %s",
    async (_what, path, before) => {
      await withRunning(async (running) => {
        const project = running.rules.repo.root;
        await running.write(".gitignore", "build/\n");
        if (before !== null) await running.write(path, before);
        const person = `mkdir -p ${project}/build; echo person > ${project}/${path}`;
        const result = await running.run([
          {
            name: "implement",
            nodes: [
              {
                ...node("api", `${person}; mkdir -p build; echo api > ${path}`),
                outputs: { report: path },
              },
            ],
          },
        ]);
        expect(result).toMatchObject({ status: "paused", exitCode: 5 });
        expect(await running.read(path)).toContain("person\n");
        expect(await running.read(path)).toContain("api\n");
        const { json } = await running.rules.ok("list", "--all", "--trigger", "conflict_start");
        const [start] = items(json, "checkpoints").map((checkpoint) => text(checkpoint, "id"));
        await running.rules.ok("rollback", start ?? "", "--yes");
        expect(await running.read(path)).toBe("person\n");
      });
    },
  );

  it("that fail are taken back with the ignored output of before", async () => {
    await withRunning(async (running) => {
      await running.write(".gitignore", "build/\n");
      await running.write("build/report.json", "mine\n");
      const result = await running.run([
        {
          name: "implement",
          modifies: true,
          on_fail: "rollback",
          verify: ["false"],
          nodes: [
            {
              ...node("api", "mkdir -p build; echo api > build/report.json"),
              outputs: { report: "build/report.json" },
            },
          ],
        },
      ]);
      expect(result.status).toBe("failed");
      expect(await running.read("build/report.json")).toBe("mine\n");
    });
  });

  it("that fail leave what they had done in a checkpoint that is named; what completed ones left is not named again", async () => {
    await withRunning(async (running) => {
      const result = await running.run([
        {
          name: "implement",
          nodes: [
            node("good", "echo good > good.txt"),
            node("bad", "sleep 1; echo half > half.txt; exit 1"),
            node("idle", "sleep 1; exit 1"),
          ],
        },
      ]);
      expect(result.status).toBe("failed");
      const said = running.of("warning").map(({ message }) => message);
      expect(said).toEqual([expect.stringMatching(/^the work of bad is in cp-[\w-]+$/)]);
      const id = /cp-[\w-]+/.exec(said[0] ?? "")?.[0] ?? "nowhere";
      const path = `refs/waymark/cp/${id}:worktree/half.txt`;
      expect(await running.rules.repo.store("cat-file", "blob", path)).toBe("half\n");
    });
  });

  it("that fail are tried again alone: the others keep their work", async () => {
    await withRunning(async (running) => {
      const result = await running.run(
        [
          {
            name: "implement",
            retries: 1,
            nodes: [
              node("good", "echo x >> ${WAYMARK_COUNTS}good; echo good > good.txt"),
              node(
                "bad",
                'echo x >> ${WAYMARK_COUNTS}bad; test "$(wc -l < ${WAYMARK_COUNTS}bad)" -gt 1; echo bad > bad.txt; test "$(wc -l < ${WAYMARK_COUNTS}bad)" -gt 1',
              ),
            ],
          },
        ],
        {},
        { env: { WAYMARK_COUNTS: `${running.rules.repo.base}/` } },
      );
      expect(result.status).toBe("completed");
      expect(await running.read("../good")).toBe("x\n");
      expect(await running.read("../bad")).toBe("x\nx\n");
      expect(await running.read("good.txt")).toBe("good\n");
      expect(await running.read("bad.txt")).toBe("bad\n");
      expect(running.of("rolled_back")).toEqual([]);
    });
  });

  it("may have secrets in the subjects of their commits: nothing of the session has them", async () => {
    await withRunning(async (running) => {
      await running.write("../token", TOKEN);
      const identity = "-c user.name=n -c user.email=e";
      const commit = `git ${identity} commit -qm "with $(cat '${running.root}/../token')"`;
      const result = await running.run([
        { name: "implement", nodes: [node("api", `echo x > x.txt; git add -A; ${commit}`)] },
      ]);
      expect(result).toMatchObject({ status: "completed", reason: null });
      expect(await running.read("x.txt")).toBe("x\n");
      const ref = `refs/waymark/session/${result.sessionId}`;
      const journal = await running.rules.repo.store("log", ref, "--format=%B");
      expect(journal).toContain('"subject": "with [redacted: ');
      expect(journal).not.toContain(TOKEN);
    });
  });

  it("that are done are merged also when their phase fails and is passed over", async () => {
    await withRunning(async (running) => {
      const result = await running.run([
        {
          name: "implement",
          on_fail: "continue",
          nodes: [node("good", "echo good > good.txt"), node("bad", "sleep 1; exit 1")],
        },
      ]);
      expect(result).toMatchObject({ status: "completed", passedOver: ["implement"] });
      expect(await running.read("good.txt")).toBe("good\n");
    });
  });

  it("that damage their work trees have failed; the others keep their work, and nothing stays unnamed", async () => {
    await withRunning(async (running) => {
      const once = (line: string): string =>
        `test -e "$MARK$WAYMARK_NODE" || { touch "$MARK$WAYMARK_NODE"; ${line}; }; echo done > $WAYMARK_NODE.txt`;
      const result = await running.run(
        [
          {
            name: "implement",
            nodes: [
              node("unlinked", once("rm .git")),
              node("gone", once('rm -rf "$PWD"; exit 0')),
              node("good", "sleep 1; echo done > good.txt"),
            ],
          },
        ],
        {},
        { env: { MARK: `${running.rules.repo.base}/once-` } },
      );
      expect(result.status).toBe("failed");
      const ends = running.of("node_finished").map(({ node: name, status }) => [name, status]);
      expect(Object.fromEntries(ends)).toEqual({
        unlinked: "failed",
        gone: "failed",
        good: "completed",
      });
      const stays = running.of("warning").map(({ message }) => message);
      expect(stays).toEqual([
        expect.stringMatching(/^the work tree of unlinked is kept in \S+: .*no longer a work tree/),
      ]);
      const check = projectChecks(running.project).find(({ name }) => name === "work_trees");
      expect(await check?.look()).toMatchObject([
        { status: "warning", message: expect.stringContaining("unlinked") as unknown },
      ]);
      const done = await resume(running, result.sessionId);
      expect(done.status).toBe("completed");
      for (const name of ["unlinked", "gone", "good"]) {
        expect(await running.read(`${name}.txt`)).toBe("done\n");
      }
    });
  });

  it("that conflict are for the resolver, which gets the list", async () => {
    await withRunning(async (running) => {
      const result = await running.run([
        { ...CONFLICTING, resolver: 'cp "$WAYMARK_CONFLICTS" conflicts.json; echo both > b.txt' },
      ]);
      expect(result.status).toBe("completed");
      expect(await running.read("b.txt")).toBe("both\n");
      expect(await running.read("ui.txt")).toBe("more\n");
      expect(JSON.parse(await running.read("conflicts.json"))).toMatchObject([{ path: "b.txt" }]);
      expect(running.of("conflict_found")).toMatchObject([{ node: "ui", paths: ["b.txt"] }]);
      expect(running.of("conflict_resolved")).toMatchObject([{ node: "ui", by: "resolver" }]);
      const resolved = running.of("conflict_resolved")[0]?.checkpoint_id;
      const held = await running.checkpoints(result.sessionId);
      expect(held.find(({ id }) => id === resolved)?.trigger).toBe("conflict_resolved");
    });
  });

  it("that conflict wait for a person, and go on when the markers are gone", async () => {
    await withRunning(async (running) => {
      const result = await running.run([CONFLICTING, { name: "after", run: "touch after" }]);
      expect(result).toMatchObject({ status: "paused", exitCode: 5 });
      expect(await running.read("b.txt")).toContain("<<<<<<<");
      expect((await running.session(result.sessionId)).workflow?.message_state.conflicts).toEqual([
        "ui: b.txt",
      ]);
      const still = await resume(running, result.sessionId);
      expect(still).toMatchObject({ status: "paused", reason: "b.txt still has conflict markers" });
      await running.write("b.txt", "by hand\n");
      const done = await resume(running, result.sessionId);
      expect(done.status).toBe("completed");
      expect(await running.read("b.txt")).toBe("by hand\n");
      expect(await running.read("ui.txt")).toBe("more\n");
      expect(await running.rules.repo.exists("after")).toBe(true);
      const { workflow } = await running.session(result.sessionId);
      expect(workflow?.message_state.conflicts).toEqual([]);
      expect(workflow?.execution_graph?.nodes["implement/ui"]).toMatchObject({ attempts: 1 });
    });
  });
});
