/** A disk whose time stamps are whole seconds: ext4 with inodes that have no room for more. */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { TempRepository } from "./temp-repository.ts";

interface CoarseDisk {
  readonly folder: string;
  readonly unmount: () => void;
}

function mountCoarse(): CoarseDisk | string {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "waymark-coarse-")));
  const [image, folder] = [join(base, "image"), join(base, "disk")];
  const remove = (): void => rmSync(base, { recursive: true, force: true });
  mkdirSync(folder);
  const script = `truncate -s 16M "$1" && mkfs.ext4 -q -I 128 "$1" && mount -o loop "$1" "$2"`;
  const made = spawnSync("sh", ["-c", script, "sh", image, folder], { encoding: "utf8" });
  if (made.status !== 0) {
    remove();
    return made.stderr.trim().split("\n").at(-1) ?? "";
  }
  const unmount = (): void => {
    // A git that a command had for reading objects may end a moment after that command.
    const script = 'for try in $(seq 100); do umount "$1" && exit; sleep 0.1; done';
    spawnSync("sh", ["-c", script, "sh", folder]);
    remove();
  };
  writeFileSync(join(folder, "probe"), "");
  const isCoarse =
    statSync(join(folder, "probe"), { bigint: true }).mtimeNs % 1_000_000_000n === 0n;
  if (isCoarse) return { folder, unmount };
  unmount();
  return "the disk that was made has finer time stamps";
}

/** Why there is none on this machine; undefined: there is. */
export const noCoarseDisk = ((): string | undefined => {
  const disk = mountCoarse();
  if (typeof disk === "string") return disk;
  disk.unmount();
  return undefined;
})();

/** An empty repository on a disk of its own. */
export async function withCoarseDisk(body: (repo: TempRepository) => Promise<void>): Promise<void> {
  const disk = mountCoarse();
  if (typeof disk === "string") throw new Error(disk);
  try {
    const repo = new TempRepository(disk.folder, join(disk.folder, "project"));
    mkdirSync(repo.root);
    mkdirSync(repo.home);
    await repo.git("init", "-q");
    await body(repo);
  } finally {
    disk.unmount();
  }
}
