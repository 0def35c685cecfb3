/** Which git we need, and which one is there. */
import { tmpdir } from "node:os";
import { runGit } from "./run-git.ts";

/** From here on git syncs refs to the disk when asked to (`core.fsync`). */
export const DURABLE_GIT_VERSION = "2.36";

/** What `git version` says after its name, as in `2.39.5 (Apple Git-154)`. */
export async function gitVersion(): Promise<string> {
  // Anywhere but in the project: a folder that is gone would look like a git that is missing.
  const { stdout } = await runGit({ directory: tmpdir() }, ["version"]);
  return stdout
    .toString("utf8")
    .trim()
    .replace(/^git version /, "");
}

/** By major and minor number. */
export function isOlder(version: string, wanted: string): boolean {
  const [major = 0, minor = 0] = numbers(version);
  const [wantedMajor = 0, wantedMinor = 0] = numbers(wanted);
  return major < wantedMajor || (major === wantedMajor && minor < wantedMinor);
}

function numbers(version: string): number[] {
  return version.split(".").map((part) => Number.parseInt(part, 10) || 0);
}
