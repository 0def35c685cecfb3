/** The commands of the family `hooks`. */
import { AGENTS } from "../../../../domain/agents/agents.ts";
import { HOOK_SCOPES } from "../../../../domain/agents/hook-scope.ts";
import type { ArgumentSpec, CommandFamily, CommandSpec, OptionSpec } from "../../command-spec.ts";
import { hookRoute, hookScope } from "../../options.ts";

export const HOOKS_FAMILY: CommandFamily = {
  name: "hooks",
  group: "Set-up",
  summary: "plug Waymark into agents: a checkpoint before each change that they make",
};

const GROUP = HOOKS_FAMILY.group;

const agents = (text: string): ArgumentSpec => ({ name: "[agent...]", text, completes: AGENTS });

const SCOPE: OptionSpec = {
  flags: "--scope <scope>",
  text: "project (default): for everybody who works on it; user: for all your projects; local: for this work tree only (claude)",
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
    "Agents that are installed call `waymark hook` before each tool that may change something, with each prompt and when they end. The commands do nothing " +
    "where Waymark is not installed, and never keep an agent from working.\n\n" +
    "Settings that are there keep their comments, order and everything else; a file that cannot be understood is left alone, and then nothing is changed " +
    "at all. `hooks uninstall` brings back the exact bytes. Installing twice changes nothing. In the scope `user` an agent that has plugins is told to " +
    "install the plugin that comes with Waymark.",
  arguments: [agents(`${AGENTS.join(", ")} (default: those that were found, after a question)`)],
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
      text: "name Waymark by its path, for agents that are started without a PATH (scopes user and local)",
    },
    {
      flags: "--force",
      text: "although another agent's hooks cover it, or a file of somebody else is in the way",
    },
  ],
  examples: [
    { command: "waymark hooks install", text: "for the agents that were found here" },
    { command: "waymark hooks install claude codex", text: "for these" },
    { command: "waymark hooks install --dry-run gemini", text: "only look at what would change" },
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
  summary: "take the hooks of agents away",
  description:
    "A file that nobody changed since gets back the exact bytes that it had before, one that was made for the hooks goes. Where somebody changed it, only the " +
    "hooks of Waymark are taken out. Works without a record of the installation, too. What stays because somebody changed or wrote it is named, and the exit code is 1 then.",
  arguments: [agents("default: all that have hooks there")],
  options: [
    {
      ...SCOPE,
      text: "project, user or local; default: project and local, what this project has",
    },
    { flags: "--all", text: "in every scope" },
    DRY_RUN,
    { flags: "-y, --yes", text: "nothing is asked; accepted for scripts that add it everywhere" },
    { flags: "--force", text: "also what somebody changed, or wrote by hand" },
  ],
  examples: [
    { command: "waymark hooks uninstall", text: "out of this project" },
    { command: "waymark hooks uninstall claude --scope user", text: "out of your own settings" },
    { command: "waymark hooks uninstall --all", text: "everywhere, before Waymark is removed" },
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
  summary: "show what is installed for which agent, and whether it works",
  description:
    "Looks at the files of agents: what is installed where, whether it is up to date, whether the agent trusts it, whether calls come twice. Also how long " +
    "the last hooks took, and what failed.",
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
