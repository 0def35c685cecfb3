/** Who works here, by one name everywhere: git's `user.name`, else the login. Asked for when it is first needed. */
import { userInfo } from "node:os";
import { runGitSync, type GitLocation } from "./run-git.ts";

const known = new Map<string, string>();

/** Whoever has read the settings anyway spares the question. */
export function rememberUserName({ directory }: GitLocation, name = ""): void {
  known.set(directory, name);
}

export function userName(location: GitLocation): string | null {
  const { directory } = location;
  if (!known.has(directory)) known.set(directory, askGit(location));
  return known.get(directory) || login();
}

/** A name is no reason to fail. */
function askGit(location: GitLocation): string {
  try {
    const { stdout } = runGitSync(location, ["config", "user.name"], { accept: [0, 1] });
    return stdout.toString("utf8").trim();
  } catch {
    return "";
  }
}

/** A user id may have no name. */
export function login(): string | null {
  try {
    return userInfo().username;
  } catch {
    return null;
  }
}
