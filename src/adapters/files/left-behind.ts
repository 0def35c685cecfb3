/** Whether something temporary was left by a process that is gone, as far as its name and its age tell. */
import { join } from "node:path";
import { hostTag } from "./durable-write.ts";
import { quickStatOf } from "./file-stat.ts";
import { namesIn } from "./names-in.ts";
import { isGone } from "./process-identity.ts";

/** No command takes this long, so what nobody touched for it was left, also by a process that cannot be seen from here. */
export const ABANDONED_MS = 24 * 3_600_000;

/** The process id and the tag are those in the name. */
export function isLeftBehind(path: string, pid: number, tag: string): boolean {
  return tag === hostTag() ? isGone(pid) : isAbandoned(path);
}

/** By the time of the last change, which nobody can set, of it and of what is right in it. */
export function isAbandoned(path: string): boolean {
  const changed = [path, ...namesIn(path).map((name) => join(path, name))].map(
    (each) => quickStatOf(each)?.ctimeMs ?? 0,
  );
  return Date.now() - Math.max(...changed) > ABANDONED_MS;
}
