// What the figures were measured on.
import { execFileSync } from "node:child_process";
import { statfsSync } from "node:fs";
import { cpus, loadavg, release, totalmem, type } from "node:os";

/** @type {Record<number, string>} */
const FILE_SYSTEMS = {
  0xef53: "ext4",
  0x58465342: "xfs",
  0x9123683e: "btrfs",
  0x01021994: "tmpfs",
  0x794c7630: "overlayfs",
};

/** @param {string} folder where the repositories are */
export function describeMachine(folder) {
  const processors = cpus();
  const magic = statfsSync(folder).type;
  return [
    `${processors.length} cores (${processors[0]?.model.trim() ?? "unknown"})`,
    `${Math.round(totalmem() / 2 ** 30)} GiB`,
    `node ${process.version.slice(1)}`,
    execFileSync("git", ["--version"], { encoding: "utf8" }).trim().replace(" version", ""),
    `${type()} ${release()}`,
    FILE_SYSTEMS[magic] ?? `file system 0x${magic.toString(16)}`,
    `load ${(loadavg()[0] ?? 0).toFixed(1)} at the start`,
  ].join(", ");
}
