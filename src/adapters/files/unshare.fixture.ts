/** Processes in namespaces of their own, for tests, as containers and sandboxes have them. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { ownIdentity, type ProcessIdentity } from "./process-identity.ts";

const AS_USER = process.getuid?.() === 0 ? [] : ["--user", "--map-root-user"];

/** Arguments of `unshare`: its own process ids, and a /proc that shows them. */
export const OWN_PROCESSES = [...AS_USER, "--pid", "--fork", "--mount-proc", "--kill-child"];
/** Arguments of `unshare`: a name of the machine that can be changed. */
export const OWN_HOSTNAME = [...AS_USER, "--uts"];

/** Not everywhere: other systems have none, and containers may not make their own. */
export const canUnshare = [OWN_PROCESSES, OWN_HOSTNAME].every(
  (flags) => spawnSync("unshare", [...flags, "true"]).status === 0,
);

export interface Sandboxed {
  readonly identity: ProcessIdentity;
  readonly end: () => Promise<void>;
}

const SAY_WHO = 'echo "$$ $(readlink /proc/$$/ns/pid) $(cat /proc/$$/stat)"; read line; true';

/** A process that waits, and how it names itself. */
export async function sandboxed(): Promise<Sandboxed> {
  const child = spawn("unshare", [...OWN_PROCESSES, "sh", "-c", SAY_WHO], {
    stdio: ["pipe", "pipe", "ignore"],
  });
  const [said] = (await once(child.stdout, "data")) as [Buffer];
  const [, pid, pid_namespace = "", stat = ""] =
    /^(\d+) pid:\[(\d+)\] .*\) (.*)/.exec(said.toString()) ?? [];
  const started = stat.split(" ")[19] ?? "";
  return {
    identity: { ...ownIdentity(), pid: Number(pid), started, pid_namespace },
    end: async () => {
      child.stdin.end("go\n");
      await once(child, "close");
    },
  };
}
