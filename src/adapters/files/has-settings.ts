/** Whether there is anything to read settings from: a look that costs a few system calls. */
import { join } from "node:path";
import {
  CONFIG_FILES,
  SETTINGS_VARIABLE,
  USER_FILE,
  userSettingsFolder,
} from "../../domain/config-places.ts";
import { statOf } from "./file-stat.ts";

export function hasSettings(root: string, environment: NodeJS.ProcessEnv): boolean {
  const own = userSettingsFolder(environment);
  return (
    Object.keys(environment).some((name) => name.startsWith(SETTINGS_VARIABLE)) ||
    CONFIG_FILES.some((file) => isThere(join(root, file))) ||
    (own !== undefined && isThere(join(own, USER_FILE)))
  );
}

/** What cannot be looked at may be one; whoever reads it says what is wrong. */
function isThere(path: string): boolean {
  try {
    return statOf(path) !== undefined;
  } catch {
    return true;
  }
}
