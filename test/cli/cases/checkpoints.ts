/** Cases of the commands for taking checkpoints and looking at them. */
import { SECRET_FILE } from "../../secrets/fake-secrets.ts";
import {
  checkpointAndChange,
  damaged,
  deletedOne,
  halfRolledBack,
  oneWholeOneDamaged,
  pinned,
  plainCheckpoint,
  plainFolder,
  rolledBack,
  secretsAround,
  secretsHeld,
  undone,
  unreadable,
  withScope,
  wrongSettings,
} from "./preparations.ts";
import type { JsonCase } from "./json-case.ts";

export const CHECKPOINTS_CASES: Readonly<Record<string, readonly JsonCase[]>> = {
  status: [
    { title: "without a checkpoint", args: ["status"], prints: { kind: "status" } },
    {
      title: "after a rollback",
      prepare: rolledBack,
      args: ["status"],
      prints: { kind: "status" },
    },
    {
      title: "with a half rollback",
      prepare: halfRolledBack,
      args: ["status"],
      prints: { kind: "status" },
    },
    {
      title: "in a plain folder",
      prepare: plainCheckpoint,
      args: ["status"],
      prints: { kind: "status" },
    },
  ],
  create: [
    {
      title: "with secrets left out and one let in",
      prepare: secretsAround,
      args: ["create", "--include-secrets", ".env"],
      prints: { kind: "checkpoint_created" },
    },
    {
      title: "a file let in that is no secret",
      args: ["create", "--include-secrets", "b.txt"],
      prints: { error: "usage" },
    },
    {
      title: "a new checkpoint",
      args: ["create", "-m", "why"],
      prints: { kind: "checkpoint_created" },
    },
    {
      title: "nothing changed",
      prepare: async (project) => void (await project.create()),
      args: ["create"],
      prints: { kind: "checkpoint_created" },
    },
    {
      title: "with a scope, of which some files are ignored",
      args: ["create", "--scope", "dir", "*.log"],
      prints: { kind: "checkpoint_created" },
    },
    {
      title: "with a scope that matches nothing",
      args: ["create", "--scope", "dri"],
      prints: { error: "usage" },
    },
    {
      title: "with a half rollback to warn about",
      prepare: halfRolledBack,
      args: ["create", "--force"],
      prints: { kind: "checkpoint_created" },
    },
    {
      title: "a plain folder",
      prepare: plainFolder,
      args: ["create"],
      prints: { kind: "checkpoint_created" },
    },
    {
      title: "metrics that are not there",
      args: ["create", "--metrics", "nowhere.json"],
      prints: { error: "usage" },
    },
    { title: "a wrong value", args: ["create", "--step", "x"], prints: { error: "usage" } },
    { title: "an unknown option", args: ["create", "--nmae", "x"], prints: { error: "usage" } },
    {
      title: "wrong settings",
      prepare: wrongSettings,
      args: ["create"],
      prints: { error: "config_invalid" },
    },
    {
      title: "no such folder",
      args: ["-C", "nowhere", "create"],
      prints: { error: "not_a_repository" },
    },
  ],
  list: [
    { title: "nothing yet", args: ["list"], prints: { kind: "checkpoint_list" } },
    {
      title: "a plain folder",
      prepare: plainCheckpoint,
      args: ["list", "--all"],
      prints: { kind: "checkpoint_list" },
    },
    {
      title: "a folder that is no project",
      prepare: plainFolder,
      args: ["list"],
      prints: { error: "not_a_repository" },
    },
    {
      title: "valid, invalid and safety checkpoints",
      prepare: async (project) => {
        await rolledBack(project);
        await project.create();
        await project.ok("rollback", "phase:implement", "--yes");
      },
      args: ["list", "--all"],
      prints: { kind: "checkpoint_list" },
    },
    {
      title: "a damaged one and one of a newer Waymark",
      prepare: async (project) => {
        await unreadable(project);
        const { repo } = project;
        const message = `newer\n\n{"schema_version": 99}`;
        const tree = await repo.head("^{tree}");
        const commit = await repo.store("commit-tree", tree, "-m", message);
        await repo.store("update-ref", "refs/waymark/cp/cp-newer", commit.trim());
      },
      args: ["list"],
      prints: { kind: "checkpoint_list" },
    },
    {
      title: "a half rollback",
      prepare: halfRolledBack,
      args: ["list"],
      prints: { kind: "checkpoint_list" },
    },
    {
      title: "a pinned one, and how far each is from now",
      prepare: async (project) => {
        await pinned(project);
        await checkpointAndChange(project);
      },
      args: ["list", "--stat"],
      prints: { kind: "checkpoint_list" },
    },
    {
      title: "how far each is from now, where one is damaged",
      prepare: oneWholeOneDamaged,
      args: ["list", "--stat"],
      prints: { kind: "checkpoint_list" },
    },
  ],
  show: [
    {
      title: "a checkpoint with a scope and copied files",
      prepare: withScope,
      args: ["show", "latest"],
      prints: { kind: "checkpoint" },
    },
    {
      title: "one checkpoint",
      prepare: checkpointAndChange,
      args: ["show", "4"],
      prints: { kind: "checkpoint" },
    },
    {
      title: "a pinned one",
      prepare: pinned,
      args: ["show", "latest"],
      prints: { kind: "checkpoint" },
    },
    {
      title: "a damaged one",
      prepare: unreadable,
      args: ["show", "cp-damaged"],
      prints: { error: "checkpoint_damaged" },
    },
    {
      title: "no such checkpoint",
      prepare: checkpointAndChange,
      args: ["show", "latst"],
      prints: { error: "checkpoint_not_found" },
    },
    {
      title: "no such session",
      prepare: checkpointAndChange,
      args: ["show", "session:xx/4"],
      prints: { error: "session_not_found" },
    },
    {
      title: "more than one",
      prepare: async (project) => {
        await project.create();
        await project.create();
      },
      args: ["show", "cp-00-manual"],
      prints: { error: "ambiguous_selector" },
    },
    {
      title: "none named and none there",
      args: ["show"],
      prints: { error: "checkpoint_not_found" },
    },
  ],
  diff: [
    {
      title: "secrets that are held, and one that is not",
      prepare: async (project) => {
        await project.repo.write("deploy.ts", "const token = read();\n");
        await secretsHeld(project);
        await project.repo.write("deploy.ts", SECRET_FILE);
      },
      args: ["diff", "latest", "--patch"],
      prints: { kind: "diff" },
    },
    {
      title: "from a checkpoint to now",
      prepare: async (project) => {
        await checkpointAndChange(project);
        await project.repo.write("moved.bin", Buffer.from([0, 1]));
        await project.repo.commit("since");
      },
      args: ["diff", "latest"],
      prints: { kind: "diff" },
    },
    {
      title: "between two, of one folder, with the patch",
      prepare: async (project) => {
        await project.create("--phase", "plan", "--step", "3");
        await checkpointAndChange(project);
        await project.create();
      },
      args: ["diff", "3", "latest", "--patch", "--paths", "b.txt", "dir"],
      prints: { kind: "diff" },
    },
    {
      title: "nothing differs",
      prepare: async (project) => void (await project.create()),
      args: ["diff", "latest", "--stat"],
      prints: { kind: "diff" },
    },
    {
      title: "one that lost a file",
      prepare: damaged,
      args: ["diff", "latest", "--patch"],
      prints: { error: "checkpoint_damaged" },
    },
    {
      title: "a damaged one",
      prepare: unreadable,
      args: ["diff", "cp-damaged"],
      prints: { error: "checkpoint_damaged" },
    },
    {
      title: "no such checkpoint",
      args: ["diff", "latest"],
      prints: { error: "checkpoint_not_found" },
    },
    {
      title: "none named and none there",
      args: ["diff"],
      prints: { error: "checkpoint_not_found" },
    },
  ],
  log: [
    { title: "nothing yet", args: ["log"], prints: { kind: "journal" } },
    {
      title: "all that can be done",
      prepare: async (project) => {
        await undone(project);
        await project.ok("pin", "latest", "-m", "good");
        await deletedOne(project);
        await project.ok("export");
      },
      args: ["log"],
      prints: { kind: "journal" },
    },
    {
      title: "of every session, the latest",
      prepare: async (project) => {
        await rolledBack(project);
        await project.ok("--session", "task-12", "create", "--force");
      },
      args: ["log", "--all", "--limit", "2"],
      prints: { kind: "journal" },
    },
    {
      title: "what failed",
      prepare: async (project) => {
        await checkpointAndChange(project);
        await project.run("rollback", "latest");
      },
      args: ["log", "--failed", "--since", "1h"],
      prints: { kind: "journal" },
    },
    { title: "a wrong value", args: ["log", "--limit", "x"], prints: { error: "usage" } },
  ],
};
