/** Settings of git that would delete checkpoints, send them away, or mislead somebody. */
import { problem, warning, type Finding } from "./health.ts";

export type GitSetting = readonly [name: string, value: string];

/** One ref of ours stands for all of them. */
const OURS = "refs/waymark/cp/x";

/** Names as git prints them: section and key in lower case, the middle as it is. */
export function gitAdvice(settings: readonly GitSetting[]): Finding[] {
  const last = new Map(settings);
  const remotes = new Set(settings.flatMap(([name]) => remoteOf(name) ?? []));
  return [
    ...[...remotes].flatMap((remote) => remoteAdvice(remote, settings, last)),
    ...pruneAdvice(last),
    ...monitorAdvice(last),
    ...refStorageAdvice(last),
  ];
}

function remoteOf(name: string): string | undefined {
  return /^remote\.(.+)\.[a-z]+$/s.exec(name)?.[1];
}

function remoteAdvice(
  remote: string,
  settings: readonly GitSetting[],
  last: ReadonlyMap<string, string>,
): Finding[] {
  const values = (key: string): string[] =>
    settings.flatMap(([name, value]) => (name === `remote.${remote}.${key}` ? [value] : []));
  const found: Finding[] = [];
  const fetched = values("fetch").find((spec) => covers(destination(spec)));
  const prunes = isTrue(last.get(`remote.${remote}.prune`) ?? last.get("fetch.prune"));
  if (fetched !== undefined) {
    const hint = `git config remote.${remote}.fetch '+refs/heads/*:refs/remotes/${remote}/*'`;
    found.push(
      prunes
        ? problem(`git fetch ${remote} deletes every checkpoint (fetch = ${fetched}, prune)`, hint)
        : warning(
            `git fetch --prune ${remote} would delete every checkpoint (fetch = ${fetched})`,
            hint,
          ),
    );
  }
  const pushed = values("push").find((spec) => covers(source(spec)));
  if (pushed !== undefined || isTrue(last.get(`remote.${remote}.mirror`))) {
    const why = pushed === undefined ? "mirror = true" : `push = ${pushed}`;
    const hint = `Checkpoints contain work that was never committed. To keep them here: git config --unset-all remote.${remote}.${pushed === undefined ? "mirror" : "push"}`;
    found.push(warning(`git push ${remote} sends the checkpoints too (${why})`, hint));
  }
  return found;
}

function isTrue(value: string | undefined): boolean {
  return value !== undefined && ["true", "yes", "on", "1", ""].includes(value.toLowerCase());
}

/** `+refs/*:refs/*`; without a colon nothing is written anywhere. */
function destination(spec: string): string {
  return spec.split(":")[1] ?? "";
}

function source(spec: string): string {
  return spec.replace(/^\+/, "").split(":")[0] ?? "";
}

function covers(pattern: string): boolean {
  const star = pattern.indexOf("*");
  if (star < 0) return pattern === OURS;
  const end = pattern.slice(star + 1);
  return OURS.startsWith(pattern.slice(0, star)) && OURS.endsWith(end);
}

function pruneAdvice(last: ReadonlyMap<string, string>): Finding[] {
  const expire = last.get("gc.pruneexpire");
  if (expire !== "now" && expire !== "all") return [];
  return [
    warning(
      `gc.pruneExpire is ${expire}: git gc immediately deletes objects that another git command is writing, and those of deleted checkpoints`,
      "git config --unset gc.pruneExpire",
    ),
  ];
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

/** Checkpoints show up in `git log --all`; this is for those who mind. */
export function decorationTip(settings: readonly GitSetting[]): string | undefined {
  const isSet = settings.some(
    ([name, value]) => name === "log.excludedecoration" && value.startsWith("refs/waymark"),
  );
  return isSet
    ? undefined
    : "To hide checkpoints from git log decorations: `git config --add log.excludeDecoration refs/waymark/`";
}
