// A slot on an ext4 file system of its own, in an image that is mounted by a loop device: there the power can be cut. Everything
// that was not synced is gone then, as ext4 leaves it after a real cut and the next mount. And there the disk can be filled.
import { existsSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { must, run } from "./process.mjs";
import { closeSlot, commonOf, enlist, newSlotFolder } from "./slot.mjs";
import { spawnSync } from "node:child_process";

/** A file with holes, so it is copied quickly; less room than this `doctor` complains about. */
const IMAGE_MB = 1024;

/**
 * @returns {Promise<string | undefined>} why the power cannot be cut on this machine
 */
export async function powerCutsMissing() {
  if (process.getuid?.() !== 0) return "power cuts need root, to mount a file system";
  if (!existsSync("/dev/loop-control")) return "power cuts need loop devices, and there are none";
  const made = await run("mkfs.ext4", ["-V"]).catch(() => undefined);
  if (made?.code !== 0) return "power cuts need mkfs.ext4";
  /** @type {import("./slot.mjs").Slot | undefined} */ let slot;
  try {
    slot = openPowerSlot();
    await slot.save("probe");
    return undefined;
  } catch (error) {
    return `power cuts need to mount an image, which does not work here: ${String(error)}`;
  } finally {
    if (slot !== undefined) closeSlot(slot);
  }
}

/** @returns {import("./slot.mjs").Slot} */
export function openPowerSlot() {
  const folder = newSlotFolder();
  const image = join(folder, "image");
  const mount = join(folder, "mount");
  const root = join(mount, "root");
  mkdirSync(mount);
  const mounted = () => must("mount", ["-o", "loop,data=ordered", image, mount]);
  const unmounted = () => must("umount", [mount]);
  for (const [program, ...args] of /** @type {const} */ ([
    ["truncate", "-s", `${IMAGE_MB}M`, image],
    ["mkfs.ext4", "-q", "-F", "-J", "size=4", "-N", "4096", image],
    ["mount", "-o", "loop,data=ordered", image, mount],
  ])) {
    const { status, stderr } = spawnSync(program, args, { encoding: "utf8" });
    if (status !== 0) throw new Error(`${program} ended with ${status}: ${stderr}`);
  }
  return enlist({
    ...commonOf(folder),
    root,
    mount,
    // What was saved is on the disk: only what the command under test wrote can be lost.
    save: async (name) => {
      const saved = join(folder, "saved", name);
      await unmounted();
      await must("cp", ["--sparse=always", image, saved]);
      await mounted();
      return saved;
    },
    putBack: async (saved) => {
      await unmounted();
      await must("cp", ["--sparse=always", saved, image]);
      await mounted();
    },
    reboot: async () => {
      await unmounted();
      await mounted();
    },
    makeRoom: () => {
      for (const name of ["filler", "filler-2"]) rmSync(join(mount, name), { force: true });
    },
    close: () => {
      // What runs in it still, because this run was stopped, must not keep it mounted for ever.
      if (spawnSync("umount", [mount]).status !== 0) spawnSync("umount", ["-l", mount]);
      rmSync(folder, { recursive: true, force: true });
    },
  });
}
