/** Cases of `run`. */
import type { RuleProject } from "../../spec/project.ts";
import type { JsonCase } from "./json-case.ts";

const workflow =
  (...phases: readonly object[]) =>
  async ({ repo }: RuleProject): Promise<void> => {
    await repo.write("wf.yml", JSON.stringify({ name: "test", phases }));
  };

export const RUNNING_CASES: Readonly<Record<string, readonly JsonCase[]>> = {
  run: [
    {
      title: "completed",
      prepare: workflow(
        { name: "plan", run: "echo planned" },
        {
          name: "implement",
          nodes: [
            { name: "api", run: "echo api > api.txt", isolate: "worktree" },
            { name: "ui", run: "echo ui; echo '{\"a\": 1}' > $WAYMARK_STATE" },
          ],
          verify: ["true"],
          outputs: { api: "api.txt" },
        },
      ),
      args: ["run", "wf.yml", "--yes"],
      prints: { kind: "run_event", areLines: true },
    },
    {
      title: "failed, after another attempt",
      prepare: workflow({ name: "implement", run: "exit 3", retries: 1, on_fail: "rollback" }),
      args: ["run", "wf.yml"],
      prints: { kind: "run_event", areLines: true, exit: 1 },
    },
    {
      title: "waiting at a breakpoint",
      prepare: workflow({ name: "plan", run: "true", breakpoint: true }),
      args: ["run", "wf.yml"],
      prints: { kind: "run_event", areLines: true, exit: 5 },
    },
    {
      title: "only looked at",
      prepare: workflow({ name: "plan", run: "true" }),
      args: ["run", "wf.yml", "--dry-run"],
      prints: { kind: "run_plan" },
    },
    {
      title: "only checked",
      prepare: workflow({ name: "plan", run: "true" }),
      args: ["run", "wf.yml", "--check"],
      prints: { kind: "workflow_check" },
    },
    {
      title: "a wrong file",
      prepare: workflow({ name: "plan", rum: "true" }),
      args: ["run", "wf.yml", "--check"],
      prints: { error: "workflow_invalid" },
    },
    {
      title: "an unfinished session of it, and nobody to ask",
      prepare: async (project) => {
        await workflow({ name: "plan", run: "true", breakpoint: true })(project);
        await project.run("run", "wf.yml");
      },
      args: ["run", "wf.yml"],
      prints: { error: "needs_confirmation" },
    },
    {
      title: "no such workflow file",
      args: ["run", "nowhere.yml"],
      prints: { error: "file_not_found" },
    },
    {
      title: "an option that there is not",
      args: ["run", "wf.yml", "--frehs"],
      prints: { error: "usage" },
    },
    {
      title: "two flags that exclude each other",
      prepare: workflow({ name: "plan", run: "true" }),
      args: ["run", "wf.yml", "--fresh", "--resume"],
      prints: { error: "usage" },
    },
  ],
};
