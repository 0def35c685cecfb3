import type { CommandSpec } from "../command-spec.ts";

export const configSpec: CommandSpec = {
  name: "config",
  group: "Set-up",
  summary: "show each setting and where it came from",
  description:
    "Settings come from the environment (WAYMARK_…), your own file (~/.config/waymark/config.yml), waymark.yml, the files of other tools and defaults, in this order. " +
    "What a project's file may not decide alone counts only after `waymark config trust`. " +
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

export const configTrustSpec: CommandSpec = {
  name: "config trust",
  group: "Set-up",
  summary: "agree to settings of this project that need your consent",
  description:
    "Settings in the files of a project that reach out of it or switch protection off count only after you have agreed. Shows each of them with what it " +
    "does, and asks. Your consent is kept in ~/.config/waymark/trusted.json, for this folder and for exactly these values: another value, and a clone elsewhere, ask " +
    "anew. An agent cannot agree for you: in a command of an agent it ends with exit code 5, as it does without --yes where there is no terminal.",
  options: [
    { flags: "-y, --yes", text: "agree without a question, in scripts" },
    { flags: "--revoke", text: "take back your consent to all settings of this project" },
  ],
  examples: [
    { command: "waymark config trust", text: "look at them, then decide" },
    { command: "waymark config trust --yes", text: "agree in a script" },
    { command: "waymark config trust --revoke", text: "none of them counts any more" },
  ],
  toleratesBadConfig: true,
  kinds: ["config_trust"],
  load: () => import("./config-trust.ts"),
};
