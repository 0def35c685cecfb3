/** Folders of the user, as the environment names them. An empty variable says nothing, and neither does a relative path. */
import { homedir, userInfo } from "node:os";
import { isAbsolute, join } from "node:path";

/** Stands for a folder that there is none of: nothing can be made below a device. */
export const NO_FOLDER = "/dev/null";

/** Undefined for a user without one: containers run as users that the system does not know. */
export function homeFolder(): string | undefined {
  try {
    // `homedir` returns an empty HOME as it is.
    const home = homedir() || userInfo().homedir;
    return isAbsolute(home) ? home : undefined;
  } catch {
    return undefined;
  }
}

const IN_HOME = {
  XDG_CACHE_HOME: ".cache",
  XDG_CONFIG_HOME: ".config",
  XDG_STATE_HOME: ".local/state",
} as const;

/** Undefined where neither the variable nor a home folder says where. */
export function userFolder(variable: keyof typeof IN_HOME): string | undefined {
  const given = process.env[variable] ?? "";
  if (isAbsolute(given)) return given;
  const home = homeFolder();
  return home === undefined ? undefined : join(home, IN_HOME[variable]);
}
