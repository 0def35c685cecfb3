import type { CommandSpec, OptionSpec } from "../command-spec.ts";

export const configSpec: CommandSpec = {
  name: "config",
  group: "Setup",
  summary: "show each setting and its source",
  description:
    "Settings come from the environment (WAYMARK_…), your own file (~/.config/waymark/config.yml), waymark.yml, the files of other " +
    "tools and defaults, in this order. Project values that need your consent take effect only after `waymark config trust`. The exit " +
    "code is 2 if a setting is wrong; all of them are shown anyway.",
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

const USER: OptionSpec = {
  flags: "--user",
  text: "your own file, for all your projects, instead of waymark.yml",
};

export const configSetSpec: CommandSpec = {
  name: "config set",
  group: "Setup",
  summary: "Change a setting in waymark.yml or in your own file",
  description:
    "Changes only this setting; the rest of the file, including comments, stays the same. The value is checked first. A missing file is created.",
  arguments: [
    { name: "<key>", text: "a setting such as retention.max_age", completes: "setting" },
    {
      name: "<value...>",
      text: "its value; for a list, several items, or one text with commas",
    },
  ],
  options: [USER],
  examples: [
    { command: "waymark config set retention.max_age 30d", text: "for this project" },
    {
      command: "waymark config set --user agents.policy fail_closed",
      text: "for all your projects",
    },
    { command: "waymark config set capture.exclude '*.bin' data/", text: "a list" },
  ],
  toleratesBadConfig: true,
  kinds: ["config_set"],
  load: () => import("./config-set.ts"),
};

export const configUnsetSpec: CommandSpec = {
  name: "config unset",
  group: "Setup",
  summary: "Remove a setting from waymark.yml or from your own file",
  arguments: [{ name: "<key>", text: "a setting such as retention.max_age", completes: "setting" }],
  options: [USER],
  examples: [{ command: "waymark config unset retention.max_age", text: "back to the default" }],
  toleratesBadConfig: true,
  kinds: ["config_set"],
  load: () => import("./config-set.ts"),
};

export const configTrustSpec: CommandSpec = {
  name: "config trust",
  group: "Setup",
  summary: "consent to settings of this project that need it",
  description:
    "Settings in a project's files that reach outside it or turn protection off take effect only with your consent. Shows each of them " +
    "with its effect, and asks. Your consent is stored in ~/.config/waymark/trusted.json, for this folder and for exactly these values: " +
    "another value, or a clone elsewhere, needs consent again. An agent cannot consent for you: when an agent runs this, it ends with exit code " +
    "5, as it does without --yes and without a terminal.",
  options: [
    { flags: "-y, --yes", text: "consent without asking, in scripts" },
    { flags: "--revoke", text: "withdraw your consent to all settings of this project" },
  ],
  examples: [
    { command: "waymark config trust", text: "show them, then decide" },
    { command: "waymark config trust --yes", text: "consent in a script" },
    { command: "waymark config trust --revoke", text: "withdraw your consent" },
  ],
  toleratesBadConfig: true,
  kinds: ["config_trust"],
  load: () => import("./config-trust.ts"),
};
