/** Where settings may be, in the project and in the environment. */

/** The names of our own file; one of them may be there. */
export const OWN_FILES = ["waymark.yml", "waymark.yaml"] as const;

/** Files of other tools that have a section about checkpoints. */
export const FOREIGN_FILES = {
  claude: ".claude/checkpoint-config.yaml",
  flowspecWorkflow: "flowspec_workflow.yml",
  flowspec: ".flowspec/checkpoint.yml",
} as const;

export const SETTINGS_VARIABLE = "WAYMARK_";

export const CONFIG_FILES: readonly string[] = [...OWN_FILES, ...Object.values(FOREIGN_FILES)];
