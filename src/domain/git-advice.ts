/** Settings of git that would mislead the user, or that Waymark was not tested with. */
import { warning, type Finding } from "./health.ts";

export type GitSetting = readonly [name: string, value: string];

/** Names as git prints them: section and key in lower case, the middle as it is. */
export function gitAdvice(settings: readonly GitSetting[]): Finding[] {
  const last = new Map(settings);
  return [...monitorAdvice(last), ...refStorageAdvice(last)];
}

function monitorAdvice(last: ReadonlyMap<string, string>): Finding[] {
  const monitor = last.get("core.fsmonitor");
  if (monitor === undefined || /^(?:true|false|yes|no|on|off|0|1|)$/i.test(monitor)) return [];
  return [
    warning(
      `core.fsmonitor runs ${monitor}; Waymark never runs it, but your own git status trusts it, also for files that a rollback changed`,
      "git config core.fsmonitor true (git's own monitor, in git 2.37 or newer), or --unset it",
    ),
  ];
}

function refStorageAdvice(last: ReadonlyMap<string, string>): Finding[] {
  const storage = last.get("extensions.refstorage");
  if (storage === undefined || storage === "files") return [];
  return [
    warning(
      `the refs of this repository are stored as ${storage}, which Waymark was not tested with`,
      "git refs migrate --ref-format=files",
    ),
  ];
}
