/**
 * The environment and settings of every git process that we start.
 *
 * The repository's own configuration can run code in almost every git command (hooks, fsmonitor, filters, ssh),
 * and variables inherited from a git hook point at other indexes. Both are shut off here, once.
 */

/** Choices of the user about where configuration lives; everything else that begins with GIT_ is dropped. */
const KEPT_VARIABLES = new Set([
  "GIT_CONFIG_GLOBAL",
  "GIT_CONFIG_SYSTEM",
  "GIT_CONFIG_NOSYSTEM",
  "GIT_EXEC_PATH",
  "GIT_CEILING_DIRECTORIES",
  "GIT_DISCOVERY_ACROSS_FILESYSTEM",
]);

export function cleanEnvironment(inherited: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const env: NodeJS.ProcessEnv = {};
  for (const [name, value] of Object.entries(inherited)) {
    if (!name.startsWith("GIT_") || KEPT_VARIABLES.has(name)) env[name] = value;
  }
  return Object.assign(env, {
    LC_ALL: "C",
    LANGUAGE: "",
    GIT_OPTIONAL_LOCKS: "0",
    GIT_TERMINAL_PROMPT: "0",
    GIT_ASKPASS: "true",
    // Partial clones would fetch missing objects. The first works from git 2.45 on, the second everywhere.
    GIT_NO_LAZY_FETCH: "1",
    GIT_ALLOW_PROTOCOL: "none",
    GIT_NO_REPLACE_OBJECTS: "1",
    GIT_LITERAL_PATHSPECS: "1",
    GIT_AUTHOR_NAME: "Waymark",
    GIT_AUTHOR_EMAIL: "waymark@localhost",
    GIT_COMMITTER_NAME: "Waymark",
    GIT_COMMITTER_EMAIL: "waymark@localhost",
  });
}

export type Durability = "safe" | "fast";

/**
 * For what reads or writes whole objects: git holds files up to 512 MB in memory and maps packs of any size, unless it is
 * told not to.
 */
export const IN_PIECES: readonly string[] = [
  "core.bigFileThreshold=32m",
  "core.packedGitWindowSize=64m",
  "core.packedGitLimit=512m",
].flatMap((setting) => ["-c", setting]);

export function fixedSettings(durability: Durability): string[] {
  const settings = [
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "core.untrackedCache=false",
    "gc.auto=0",
    "maintenance.auto=false",
    "protocol.allow=never",
    // Others hold these locks for a moment; git would give up after a tenth of a second.
    "core.filesRefLockTimeout=4000",
    "core.packedRefsTimeout=4000",
    "credential.helper=",
    "core.trustctime=true",
    "core.checkStat=default",
    "core.ignoreStat=false",
    "core.quotePath=false",
    durability === "safe" ? "core.fsync=all" : "core.fsync=none",
  ];
  return settings.flatMap((setting) => ["-c", setting]);
}

export const ALTERNATES_VARIABLE = "GIT_ALTERNATE_OBJECT_DIRECTORIES";

/** Folders of objects that git looks into besides. A colon in one of them would make two of it. */
export function alternates(...folders: readonly string[]): Record<string, string> {
  if (folders.length === 0) return {};
  const quoted = folders.map((folder) =>
    /[:"]/.test(folder) ? `"${folder.replaceAll(/["\\]/g, "\\$&")}"` : folder,
  );
  return { [ALTERNATES_VARIABLE]: quoted.join(":") };
}
