// A slot is one place where one case at a time runs. Its paths never change, because a repository may hold absolute paths
// (linked work trees, a program's own records); projects are built in it once, saved beside it and copied back per case.
import { accessSync, constants, mkdirSync, mkdtempSync, rmSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cleanEnvironment, IDENTITY, must, run } from "./process.mjs";

/**
 * @typedef {object} Slot
 * @property {string} folder
 * @property {string} root the project's repository and work trees; what the tracer watches
 * @property {string} side where commands that run at a point leave notes
 * @property {Record<string, string>} env
 * @property {Map<string, Promise<unknown>>} fixtures
 * @property {(name: string) => Promise<string>} save keeps what is in the root, under a name
 * @property {(saved: string) => Promise<unknown>} putBack makes the root what it was then
 * @property {() => Promise<unknown>} [reboot] what comes after a power cut
 * @property {() => void} [makeRoom] what comes after a disk was filled
 * @property {string} [mount] the file system that the root is on, where it is one of its own
 * @property {() => void} close
 */

const TMPFS_MAGIC = 0x01021994;

/** Memory is an order of magnitude faster than a disk here, and the faults are injected above the file system anyway. */
function fastFolder() {
  for (const folder of ["/dev/shm", tmpdir()]) {
    try {
      accessSync(folder, constants.W_OK);
      if (folder === tmpdir() || statfsSync(folder).type === TMPFS_MAGIC) return folder;
    } catch {
      continue;
    }
  }
  return tmpdir();
}

/** Open ones, so that a run that is interrupted leaves nothing in memory. @type {Set<Slot>} */
const open = new Set();
process.on("exit", () => open.forEach(closeSlot));

/** @param {string} [parent] @returns {Slot} */
export function openSlot(parent) {
  const folder = newSlotFolder(parent);
  const root = join(folder, "root");
  return enlist({
    ...commonOf(folder),
    root,
    save: async (name) => {
      const saved = join(folder, "saved", name);
      await must("cp", ["-a", root, saved]);
      return saved;
    },
    putBack: (saved) => must("sh", ["-c", 'rm -rf "$1" && cp -a "$2" "$1"', "sh", root, saved]),
    close: () => rmSync(folder, { recursive: true, force: true }),
  });
}

/** A disk numbers a new file as one that is gone, which memory never does. */
export const openDiskSlot = () => openSlot(tmpdir());

/** What every kind of slot has beside its root. @param {string} [parent] */
export function newSlotFolder(parent = fastFolder()) {
  const folder = mkdtempSync(join(parent, "waymark-faults-"));
  for (const name of ["home", "side", "saved"]) mkdirSync(join(folder, name));
  return folder;
}

/** @param {string} folder */
export const commonOf = (folder) => ({
  folder,
  side: join(folder, "side"),
  env: { ...cleanEnvironment(join(folder, "home")), GIT_CEILING_DIRECTORIES: folder },
  fixtures: new Map(),
});

/** @param {Slot} slot */
export function enlist(slot) {
  open.add(slot);
  return slot;
}

/** @param {Slot} slot */
export function closeSlot(slot) {
  slot.close();
  open.delete(slot);
}

/**
 * @param {Slot} slot @param {import("./scenarios.mjs").Scenario} scenario
 * @returns {Promise<import("./fingerprint.mjs").Place>}
 */
export async function startProject(slot, scenario) {
  const repo = join(slot.root, "repo");
  await must("rm", ["-rf", slot.root]);
  mkdirSync(repo, { recursive: true });
  await must("git", ["init", "-q", "-b", "main", "--template="], { cwd: repo, env: slot.env });
  await script(slot, repo, scenario.base);
  const project = join(slot.root, scenario.project);
  const dirs = await must(
    "git",
    ["rev-parse", "--path-format=absolute", "--git-dir", "--git-common-dir"],
    { cwd: project, env: slot.env },
  );
  const [gitDir = "", commonDir = ""] = dirs.stdout.toString().split("\n");
  return { project, gitDir, commonDir, env: { ...slot.env, GIT_OPTIONAL_LOCKS: "0" } };
}

/** @param {Slot} slot @param {string} cwd @param {string} text */
export async function script(slot, cwd, text) {
  await must("sh", ["-eu", "-c", text], { cwd, env: { ...slot.env, ...IDENTITY } });
}

/**
 * Puts a saved project back. A copy has new inodes, which would make git think that every file may have changed, so the index
 * is refreshed; in a merge that says "needs merge" and exits 1.
 * @param {Slot} slot @param {string} saved @param {string} project
 */
export async function restore(slot, saved, project) {
  // The program may remember things at home, too: what an agent was told already.
  for (const folder of [slot.side, join(slot.folder, "home")]) {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder);
  }
  await slot.putBack(saved);
  await run("git", ["update-index", "-q", "--refresh"], { cwd: project, env: slot.env });
}
