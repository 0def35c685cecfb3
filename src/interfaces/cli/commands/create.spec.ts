import { PART_TYPES } from "../../../domain/parts.ts";
import type { CommandSpec } from "../command-spec.ts";
import {
  durabilityName,
  partType,
  expiry,
  GIVEN_TRIGGERS,
  givenTrigger,
  notBlank,
  wholeNumber,
} from "../options.ts";
import { PART_OPTIONS } from "../part-options.ts";

export const createSpec: CommandSpec = {
  name: "create",
  group: "Checkpoints",
  summary: "create a checkpoint of the project as it is",
  description:
    "Contains the work tree (staged, unstaged and untracked files), the index, HEAD and a merge or rebase in progress. Your files, the " +
    "index, HEAD, branches and the stash do not change, and no hook runs. Everything is written to .git/waymark; " +
    "your own repository gets at most a ref that keeps a commit. A plain folder without git gets " +
    ".checkpoints/repo.git (.waymark/repo.git if it has a .checkpoints folder of its own).\n\n" +
    "Untracked files that are certainly secrets are skipped and listed; files that only look like secrets never leave this machine. If " +
    "nothing changed since the last checkpoint, no new one is created.\n\n" +
    "With --expires, `rollback` refuses the checkpoint after that time (unless --even-if-expired) and the next cleanup removes it, " +
    "unless it is pinned or the newest of its session.",
  arguments: [{ name: "[reason]", text: "the same as -m" }],
  options: [
    { flags: "-m, --reason <text>", text: "why it is created", alias: "--message" },
    { flags: "--name <name>", text: "a name; becomes part of the id", parse: notBlank },
    { flags: "--description <text>", text: "a longer description" },
    { flags: "--phase <name>", text: "the phase of the workflow" },
    { flags: "--step <n>", text: "the number of the step", parse: wholeNumber },
    { flags: "--task <id>", text: "the task it belongs to" },
    { flags: "--issue <n>", text: "the issue it belongs to", parse: wholeNumber },
    { flags: "--workflow-state <state>", text: "the state of the workflow, such as Planned" },
    {
      flags: "--metrics <file>",
      text: "JSON object with metrics, `-` for standard input",
      completes: "file",
    },
    ...PART_OPTIONS,
    {
      flags: "--type <type>",
      text: "refuse to create it unless it contains this part",
      parse: partType,
      completes: PART_TYPES,
    },
    {
      flags: "--trigger <trigger>",
      text: "what caused it (default: manual)",
      parse: givenTrigger,
      completes: GIVEN_TRIGGERS,
    },
    {
      flags: "--expires <when>",
      text: "24h, 7d, never (default), or a date (UTC unless it has an offset)",
      parse: expiry,
    },
    {
      flags: "--include-secrets <path...>",
      text: "capture these files although they look like secrets; a folder includes everything in it, - reads paths from standard input",
      completes: "file",
    },
    { flags: "--pin", text: "keep it: no cleanup removes it, even after it expires" },
    { flags: "--force", text: "create one even if nothing changed" },
    {
      flags: "--durability <mode>",
      text: "safe (default) or fast (does not wait for the disk)",
      parse: durabilityName,
      completes: ["safe", "fast"],
    },
  ],
  examples: [
    { command: 'waymark create "before the refactoring"', text: "say why" },
    {
      command: "waymark create --phase implement --step 4 --trigger pre_phase",
      text: "mark a point in a workflow",
    },
    {
      command: "waymark create --expires 24h -m experiment",
      text: "one that is only useful today",
    },
    {
      command: "waymark create --scope src config/local.env ../shared/settings.json",
      text: "only part of the project, and a file outside; a rollback changes nothing else",
    },
    { command: "waymark create --json --trigger tool_use", text: "from a script or an agent" },
  ],
  makesProject: true,
  kinds: ["checkpoint_created"],
  audits: "create",
  whenInterrupted: "No checkpoint was created, and nothing was changed.",
  load: () => import("./create.ts"),
};
