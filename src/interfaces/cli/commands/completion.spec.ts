import type { CommandSpec } from "../command-spec.ts";

export const SHELLS = ["bash", "zsh", "fish"] as const;

export const completionSpec: CommandSpec = {
  name: "completion",
  group: "Setup",
  summary: "print the completion script of a shell",
  description:
    "The script asks Waymark for candidates, so it offers the checkpoints, phases and sessions of the current project and does not have " +
    "to be installed again after an update. `git waymark` is completed too.",
  arguments: [{ name: "<shell>", text: SHELLS.join(", "), completes: SHELLS }],
  examples: [
    { command: 'eval "$(waymark completion bash)"', text: "bash: a line for ~/.bashrc" },
    {
      command: "source <(waymark completion zsh)",
      text: "zsh: a line for ~/.zshrc, after compinit",
    },
    {
      command: "waymark completion fish > ~/.config/fish/completions/waymark.fish",
      text: "fish: once",
    },
  ],
  kinds: [],
  load: () => import("./completion.ts"),
};
