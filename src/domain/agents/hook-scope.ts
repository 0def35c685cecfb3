/** For whom hooks are installed. `local`: this work tree only, where the agent has a file that is not shared. */
export const HOOK_SCOPES = ["project", "user", "local"] as const;
export type HookScope = (typeof HOOK_SCOPES)[number];
