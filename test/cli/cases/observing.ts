/** Cases of `observe`. */
import { acquireSession } from "../../../src/operations/owned-session.ts";
import { startSession } from "../../../src/operations/start-session.ts";
import { openGitProject } from "../../../src/app.ts";
import type { RuleProject } from "../../spec/project.ts";
import { checkpointAndChange } from "./preparations.ts";
import type { JsonCase } from "./json-case.ts";

/** A session that this very process runs. */
async function runHere({ repo }: RuleProject): Promise<void> {
  const project = await openGitProject({ directory: repo.root });
  const { id } = await startSession(project, { workflowType: "test" });
  await acquireSession(project, id, { purpose: "test" });
  project.close();
}

export const OBSERVING_CASES: Readonly<Record<string, readonly JsonCase[]>> = {
  observe: [
    { title: "help", args: ["observe", "*help"], prints: { kind: "observer" } },
    {
      title: "the steps for a person",
      prepare: checkpointAndChange,
      args: ["observe", "*manual-restore:4"],
      prints: { kind: "observer" },
    },
    {
      title: "a command of the command line",
      prepare: checkpointAndChange,
      args: ["observe", "*cp-list"],
      prints: { kind: "checkpoint_list" },
    },
    {
      title: "a rollback, with the answer",
      prepare: checkpointAndChange,
      args: ["observe", "*rollback:4", "--yes"],
      prints: { kind: "rollback" },
    },
    {
      title: "a rollback without the answer",
      prepare: checkpointAndChange,
      args: ["observe", "*rollback:4"],
      prints: { error: "needs_confirmation" },
    },
    {
      title: "a request to whoever runs the session",
      prepare: runHere,
      args: ["observe", "*pause"],
      prints: { kind: "request" },
    },
    { title: "no such command", args: ["observe", "*paus"], prints: { error: "usage" } },
    { title: "no session", args: ["observe", "*pause"], prints: { error: "session_not_found" } },
  ],
};
