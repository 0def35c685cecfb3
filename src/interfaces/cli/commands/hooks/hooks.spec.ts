/** The commands of the family `hooks`. */
import { AGENTS } from "../../../../domain/agents/agents.ts";
import { HOOK_SCOPES } from "../../../../domain/agents/hook-scope.ts";
import type { ArgumentSpec, CommandFamily, CommandSpec, OptionSpec } from "../../command-spec.ts";
import { hookRoute, hookScope } from "../../options.ts";

export const HOOKS_FAMILY: CommandFamily = {
  name: "hooks",
  group: "Setup",
  summary: "install hooks in agents: a checkpoint before each of their changes",
};

const GROUP = HOOKS_FAMILY.group;

const agents = (text: string): ArgumentSpec => ({ name: "[agent...]", text, completes: AGENTS });

const SCOPE: OptionSpec = {
  flags: "--scope <scope>",
  text: "project (default): for everyone who works on it; user: for all your projects; local: for this work tree only (claude)",
  parse: hookScope,
  completes: HOOK_SCOPES,
};
const DRY_RUN: OptionSpec = {
  flags: "-n, --dry-run",
  text: "show what would change, as a diff, and change nothing",
};

const installSpec: CommandSpec = {
  name: "hooks install",
  group: GROUP,
  summary: "install hooks for agents",
  description:
    "Agents then call `waymark hook` before each tool that may change something, with each prompt and when they end. The hooks do " +
    "nothing where Waymark is not installed, and block an agent only if `agents.policy: fail_closed` is set.\n\n" +
    "Existing settings keep their comments, order and everything else; if a file cannot be parsed, nothing is changed at all. `hooks " +
    "uninstall` restores the exact bytes. Installing twice changes nothing. With --scope user, agents that support plugins " +
    "install the plugin that comes with Waymark instead.",
  arguments: [agents(`${AGENTS.join(", ")} (default: those found, after asking)`)],
  options: [
    SCOPE,
    DRY_RUN,
    { flags: "-y, --yes", text: "do not ask" },
    {
      flags: "--via <way>",
      text: "auto (default), plugin (scope user), or file",
      parse: hookRoute,
      completes: ["auto", "plugin", "file"],
    },
    {
      flags: "--absolute",
      text: "use the full path of Waymark, for agents that run without a PATH (scopes user and local)",
    },
    {
      flags: "--force",
      text: "install even if another agent's hooks cover it, or replace a file that Waymark did not write",
    },
  ],
  examples: [
    { command: "waymark hooks install", text: "for the agents found here" },
    { command: "waymark hooks install claude codex", text: "for these" },
    { command: "waymark hooks install --dry-run gemini", text: "only show what would change" },
    {
      command: "waymark hooks install claude --scope user",
      text: "in all your projects, as a plugin",
    },
  ],
  toleratesBadConfig: true,
  kinds: ["hooks_install"],
  audits: "hooks_install",
  whenInterrupted: "Nothing was installed.",
  load: () => import("./install.ts"),
};

const uninstallSpec: CommandSpec = {
  name: "hooks uninstall",
  group: GROUP,
  summary: "remove the hooks of agents",
  description:
    "Restores the exact previous bytes of a file that was not edited since; deletes one that was created for the hooks. In an edited " +
    "file, only the hooks of Waymark are removed. Also works without a record of the installation. Hooks that stay because they were " +
    "edited or added manually are named, and the exit code is then 1.",
  arguments: [agents("default: all that have hooks there")],
  options: [
    {
      ...SCOPE,
      text: "project, user or local; default: project and local, what this project has",
    },
    { flags: "--all", text: "in every scope" },
    DRY_RUN,
    { flags: "-y, --yes", text: "no effect (nothing is asked); for scripts" },
    { flags: "--force", text: "also remove hooks that were edited or added manually" },
  ],
  examples: [
    { command: "waymark hooks uninstall", text: "from this project" },
    { command: "waymark hooks uninstall claude --scope user", text: "from your own settings" },
    { command: "waymark hooks uninstall --all", text: "everywhere, before removing Waymark" },
  ],
  toleratesBadConfig: true,
  kinds: ["hooks_uninstall"],
  audits: "hooks_uninstall",
  whenInterrupted: "Nothing was uninstalled.",
  load: () => import("./uninstall.ts"),
};

const statusSpec: CommandSpec = {
  name: "hooks status",
  group: GROUP,
  summary: "show which hooks are installed and whether they work",
  description:
    "Shows for each agent which hooks are installed where, whether they are up to date and trusted by the agent, whether they are called " +
    "twice, how long the last ones took, and what failed.",
  arguments: [agents("default: all")],
  examples: [
    { command: "waymark hooks status", text: "of all agents" },
    { command: "waymark hooks status codex --json", text: "of one, for a script" },
  ],
  looksOnly: true,
  toleratesBadConfig: true,
  kinds: ["hooks_status"],
  load: () => import("./status.ts"),
};

export const HOOKS_SPECS: readonly CommandSpec[] = [installSpec, uninstallSpec, statusSpec];
