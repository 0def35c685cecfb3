/** Where settings may be: in the user's own folder, in the project and in the environment. */

/** The names of our own file; one of them may be there. */
export const OWN_FILES = ["waymark.yml", "waymark.yaml"] as const;

/** Files of other tools that have a section about checkpoints. */
export const FOREIGN_FILES = {
  claude: ".claude/checkpoint-config.yaml",
  flowspecWorkflow: "flowspec_workflow.yml",
  flowspec: ".flowspec/checkpoint.yml",
} as const;

/**
 * The folder with the user's own settings; undefined: there is none. An empty or relative HOME names none, and the password file is not asked:
 * a container that empties HOME means it.
 */
export function userSettingsFolder(
  env: Readonly<Record<string, string | undefined>>,
): string | undefined {
  const { XDG_CONFIG_HOME: config = "", HOME: home = "" } = env;
  if (config.startsWith("/")) return `${config}/waymark`;
  return home.startsWith("/") ? `${home}/.config/waymark` : undefined;
}

export const USER_FILE = "config.yml";

export const SETTINGS_VARIABLE = "WAYMARK_";

export const CONFIG_FILES: readonly string[] = [...OWN_FILES, ...Object.values(FOREIGN_FILES)];
