/** Cases of `resume`. */
import type { RuleProject } from "../../spec/project.ts";
import type { JsonCase } from "./json-case.ts";

const paused = async (project: RuleProject): Promise<void> => {
  const phases = [
    { name: "plan", run: "true", breakpoint: true },
    { name: "implement", run: "echo x > made.txt" },
  ];
  await project.repo.write("wf.yml", JSON.stringify({ name: "test", issue: 7, phases }));
  await project.run("run", "wf.yml");
};

const cutOffPhase = async (project: RuleProject): Promise<void> => {
  await project.run("phase", "implement", "--", "sh", "-c", "kill -9 $PPID");
};

export const RESUMING_CASES: Readonly<Record<string, readonly JsonCase[]>> = {
  resume: [
    {
      title: "to its end",
      prepare: paused,
      args: ["resume", "--yes"],
      prints: { kind: "run_event", areLines: true },
    },
    {
      title: "only looked at",
      prepare: paused,
      args: ["resume", "--issue", "7", "--dry-run"],
      prints: { kind: "resume_plan" },
    },
    {
      title: "only looked at, and something has to be decided",
      prepare: async (project) => {
        await paused(project);
        await project.repo.write("b.txt", "by hand\n");
      },
      args: ["resume", "--dry-run"],
      prints: { kind: "resume_plan", exit: 5 },
    },
    {
      title: "files changed, and nobody to ask",
      prepare: async (project) => {
        await paused(project);
        await project.repo.write("b.txt", "by hand\n");
      },
      args: ["resume"],
      prints: { error: "needs_confirmation" },
    },
    {
      title: "a session of phases",
      prepare: cutOffPhase,
      args: ["resume"],
      prints: { kind: "resume_plan" },
    },
    {
      title: "a session of phases that is put away",
      prepare: cutOffPhase,
      args: ["resume", "--fresh"],
      prints: { kind: "session_change" },
    },
    { title: "nothing to resume", args: ["resume"], prints: { error: "session_not_found" } },
    {
      title: "what is over",
      prepare: async (project) => {
        await paused(project);
        await project.run("session", "abandon", "--yes");
      },
      args: ["resume", "test"],
      prints: { error: "session_status" },
    },
    {
      title: "two flags that exclude each other",
      prepare: paused,
      args: ["resume", "--from", "latest", "--restore-files"],
      prints: { error: "usage" },
    },
  ],
};
