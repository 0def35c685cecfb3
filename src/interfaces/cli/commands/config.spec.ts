import type { CommandSpec } from "../command-spec.ts";

export const configSpec: CommandSpec = {
  name: "config",
  group: "Set-up",
  summary: "show each setting and where it came from",
  description:
    "Settings come from the environment (WAYMARK_…), your own file (~/.config/waymark/config.yml), waymark.yml, the files of other tools and defaults, in this order. " +
    "Ends with exit code 2 when a setting is wrong, after showing all of them.",
  arguments: [
    {
      name: "[key]",
      text: "a setting such as retention.max_age, or a section such as retention",
      completes: "setting",
    },
  ],
  examples: [
    { command: "waymark config", text: "everything" },
    { command: "waymark config retention", text: "one section" },
    { command: "waymark config capture.exclude --json", text: "one setting, for a script" },
  ],
  toleratesBadConfig: true,
  kinds: ["config"],
  load: () => import("./config.ts"),
};
