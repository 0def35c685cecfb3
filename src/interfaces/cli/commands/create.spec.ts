import { PART_TYPES } from "../../../domain/parts.ts";
import type { CommandSpec } from "../command-spec.ts";
import {
  durabilityName,
  partType,
  expiry,
  GIVEN_TRIGGERS,
  givenTrigger,
  wholeNumber,
} from "../options.ts";
import { PART_OPTIONS } from "../part-options.ts";

export const createSpec: CommandSpec = {
  name: "create",
  group: "Checkpoints",
  summary: "take a checkpoint of the project as it is; changes nothing",
  description:
    "Holds the work tree (staged, unstaged and untracked files), the index, HEAD and an operation in progress. Nothing in the " +
    "project changes and no hook runs. Untracked files that are surely secrets are left out and listed; what only looks like one stays on this machine. " +
    "When nothing changed since the last checkpoint, a bare `create` names that one. In a plain " +
    "folder without git the checkpoints are kept in .checkpoints/repo.git, which the first one makes.\n\n" +
    "With --expires, `rollback` refuses it after that time (unless --even-if-expired) and the next cleanup removes it. What is " +
    "pinned, and what no cleanup takes, such as the newest of a session, stays.",
  options: [
    { flags: "-m, --reason <text>", text: "why it is taken" },
    { flags: "--name <name>", text: "a name; becomes part of the id" },
    { flags: "--description <text>", text: "a longer description" },
    { flags: "--phase <name>", text: "the phase of the workflow" },
    { flags: "--step <n>", text: "the number of the step", parse: wholeNumber },
    { flags: "--task <id>", text: "the task that it belongs to" },
    { flags: "--issue <n>", text: "the issue that it belongs to", parse: wholeNumber },
    { flags: "--workflow-state <state>", text: "the state of the workflow, for example Planned" },
    {
      flags: "--metrics <file>",
      text: "JSON object with metrics, `-` for standard input",
      completes: "file",
    },
    ...PART_OPTIONS,
    {
      flags: "--type <type>",
      text: "what it is for: refused when it would not hold that",
      parse: partType,
      completes: PART_TYPES,
    },
    {
      flags: "--trigger <trigger>",
      text: "what led to it (default: manual)",
      parse: givenTrigger,
      completes: GIVEN_TRIGGERS,
    },
    {
      flags: "--expires <when>",
      text: "24h, 7d, never (default), or a date, UTC unless it says otherwise",
      parse: expiry,
    },
    {
      flags: "--include-secrets <path...>",
      text: "hold these files too although they look like secrets; a folder means all below it, - standard input",
      completes: "file",
    },
    { flags: "--pin", text: "keep it: no cleanup removes it, not even when it has expired" },
    { flags: "--force", text: "take one even if nothing changed since the last" },
    {
      flags: "--durability <mode>",
      text: "safe (default) or fast: without waiting for the disk",
      parse: durabilityName,
      completes: ["safe", "fast"],
    },
  ],
  examples: [
    { command: 'waymark create -m "before the refactoring"', text: "say why" },
    {
      command: "waymark create --phase implement --step 4 --trigger pre_phase",
      text: "mark a point of a workflow",
    },
    {
      command: "waymark create --expires 24h -m experiment",
      text: "one that is of use today only",
    },
    {
      command: "waymark create --scope src config/local.env ../shared/settings.json",
      text: "hold a part of the project, and a file outside; a rollback touches nothing else",
    },
    { command: "waymark create --json --trigger tool_use", text: "from a script or an agent" },
  ],
  makesProject: true,
  kinds: ["checkpoint_created"],
  audits: "create",
  whenInterrupted: "No checkpoint was made, and nothing was changed.",
  load: () => import("./create.ts"),
};
