/** Cases of the commands for sessions of workflows. */
import { TOKEN } from "../../secrets/fake-secrets.ts";
import { holdSession, loseOwner } from "../../sessions/hold.ts";
import type { RuleProject } from "../../spec/project.ts";
import type { JsonCase } from "./json-case.ts";

const ID = "implement_auth";

async function started(project: RuleProject): Promise<void> {
  await project.ok(
    "session",
    "start",
    "--type",
    "implement",
    "--id",
    ID,
    "--description",
    "log in",
  );
}

async function held(project: RuleProject): Promise<void> {
  await started(project);
  await holdSession(project.repo.root, ID);
}

async function completed(project: RuleProject): Promise<void> {
  await started(project);
  await project.ok("session", "complete");
}

async function full(project: RuleProject): Promise<void> {
  await started(project);
  const { repo } = project;
  await project.create("--phase", "plan", "--step", "1", "--trigger", "pre_phase");
  await repo.write("state.json", '{"todo": ["a"], "deep": {"er": null}}');
  await repo.write("team.json", '{"team_id": "T", "members": [{"agent": "architect", "x": 1}]}');
  await repo.write("messages.json", '{"pending": ["M1"], "later": 1}');
  await repo.write("knowledge.json", '{"captured": ["K1"], "pending": ["K1", "K2"]}');
  await repo.write("out.json", '{"output_summary": "a spec"}');
  const documents = "--state state.json --outputs state.json --metrics state.json --team team.json";
  const lists = "--messages messages.json --knowledge knowledge.json";
  const agent = "--agent-output architect:spec out.json --phase implement --step 2 --checkpoint";
  const words = `${documents} ${lists} ${agent}`.split(" ");
  await project.ok("session", "save", ...words);
  await project.ok("rollback", "1", "--yes");
}

async function secretState({ repo }: RuleProject): Promise<void> {
  await repo.write("state.json", JSON.stringify({ github: { token: TOKEN } }));
}

export const SESSIONS_CASES: Readonly<Record<string, readonly JsonCase[]>> = {
  "session start": [
    {
      title: "a session",
      args: ["session", "start", "--type", "implement", "--task", "task-12", "--issue", "42"],
      prints: { kind: "session_change" },
    },
    {
      title: "while another goes on",
      prepare: started,
      args: ["session", "start", "--type", "test-all", "--topic", "all of it"],
      prints: { kind: "session_change" },
    },
    { title: "no type", args: ["session", "start"], prints: { error: "usage" } },
    {
      title: "an id that is taken",
      prepare: started,
      args: ["session", "start", "--type", "implement", "--id", ID],
      prints: { error: "already_exists" },
    },
    { title: "an action that is none", args: ["session", "strat"], prints: { error: "usage" } },
    { title: "no action", args: ["session"], prints: { error: "usage" } },
  ],
  "session list": [
    { title: "nothing yet", args: ["session", "list"], prints: { kind: "session_list" } },
    {
      title: "every one, one of them held",
      prepare: async (project) => {
        await held(project);
        await project.ok("session", "start", "--type", "other");
        await project.ok("session", "fail", "--error", "it hangs");
        await project.ok("create", "--session", "worktree-main", "--force");
      },
      args: ["session", "list", "--all", "--limit", "5"],
      prints: { kind: "session_list" },
    },
    {
      title: "a status that is none",
      args: ["session", "list", "--status", "done"],
      prints: { error: "usage" },
    },
  ],
  "session show": [
    {
      title: "a full one, by a part",
      prepare: full,
      args: ["session", "show", "auth"],
      prints: { kind: "session" },
    },
    {
      title: "an ended one",
      prepare: completed,
      args: ["session", "show"],
      prints: { kind: "session" },
    },
    {
      title: "the work tree's own",
      prepare: async (project) => void (await project.create()),
      args: ["session", "show", "worktree-main"],
      prints: { kind: "session" },
    },
    {
      title: "none was started",
      args: ["session", "show"],
      prints: { error: "session_not_found" },
    },
    {
      title: "more than one",
      prepare: async (project) => {
        await started(project);
        await project.ok("session", "start", "--type", "implement", "--id", "implement_other");
      },
      args: ["session", "show", "implement"],
      prints: { error: "ambiguous_selector" },
    },
  ],
  "session save": [
    {
      title: "a state and a step",
      prepare: async (project) => {
        await started(project);
        await project.repo.write("s.json", "[1]");
      },
      args: ["session", "save", "--state", "s.json", "--step", "3", "--merge"],
      prints: { kind: "session_change" },
    },
    {
      title: "a secret",
      prepare: async (project) => {
        await started(project);
        await secretState(project);
      },
      args: ["session", "save", "--state", "state.json"],
      prints: { error: "secrets_held" },
    },
    {
      title: "a file that is no JSON",
      prepare: started,
      args: ["session", "save", "--outputs", "b.txt"],
      prints: { error: "usage" },
    },
    { title: "nothing", prepare: started, args: ["session", "save"], prints: { error: "usage" } },
    {
      title: "into one that somebody runs",
      prepare: held,
      args: ["session", "save", "--step", "3"],
      prints: { error: "session_held" },
    },
    {
      title: "into one that ended",
      prepare: completed,
      args: ["session", "save", "--step", "3"],
      prints: { error: "session_status" },
    },
  ],
  "session pause": [
    {
      title: "one",
      prepare: started,
      args: ["session", "pause", "-m", "lunch"],
      prints: { kind: "session_change" },
    },
    {
      title: "one that somebody runs",
      prepare: held,
      args: ["session", "pause"],
      prints: { kind: "session_change" },
    },
    {
      title: "one that ended",
      prepare: completed,
      args: ["session", "pause"],
      prints: { error: "session_status" },
    },
  ],
  "session complete": [
    {
      title: "one, with what goes",
      prepare: async (project) => {
        await started(project);
        await project.create("--trigger", "batch_complete");
        await project.create("--trigger", "batch_complete");
      },
      args: ["session", "complete"],
      prints: { kind: "session_change" },
    },
    {
      title: "again",
      prepare: completed,
      args: ["session", "complete"],
      prints: { kind: "session_change" },
    },
    {
      title: "one that a dead process ran",
      prepare: async (project) => {
        await started(project);
        await loseOwner(project.repo.root, ID);
      },
      args: ["session", "complete", "--no-checkpoint"],
      prints: { kind: "session_change" },
    },
    {
      title: "one that somebody runs",
      prepare: held,
      args: ["session", "complete"],
      prints: { error: "session_held" },
    },
  ],
  "session fail": [
    {
      title: "one",
      prepare: started,
      args: ["session", "fail", ID, "--error", "the tests hang"],
      prints: { kind: "session_change" },
    },
    {
      title: "the work tree's own",
      prepare: async (project) => void (await project.create()),
      args: ["session", "fail", "worktree-main"],
      prints: { error: "session_not_found" },
    },
  ],
  "session abandon": [
    {
      title: "one",
      prepare: started,
      args: ["session", "abandon", "--yes"],
      prints: { kind: "session_change" },
    },
    {
      title: "without an answer",
      prepare: started,
      args: ["session", "abandon"],
      prints: { error: "needs_confirmation" },
    },
  ],
  "session delete": [
    {
      title: "one with checkpoints",
      prepare: full,
      args: ["session", "delete", ID, "--yes", "--force"],
      prints: { kind: "session_change" },
    },
    {
      title: "without an answer",
      prepare: started,
      args: ["session", "delete", ID],
      prints: { error: "needs_confirmation" },
    },
    {
      title: "one that a process runs",
      prepare: held,
      args: ["session", "delete", ID, "--yes"],
      prints: { error: "session_held" },
    },
    {
      title: "one that is not there",
      args: ["session", "delete", "other", "--yes"],
      prints: { error: "session_not_found" },
    },
  ],
};
