/** The owner and mode of our files follow the git folder: `core.sharedRepository`, and another user's repository in the hands of root. */
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { errorCode, isDenied } from "../files/errors.ts";
import {
  giveBelow,
  isRoot,
  lacksRights,
  shareBelow,
  shareFolder,
} from "../files/owner-and-mode.ts";
import { namesIn } from "../files/names-in.ts";
import type { Repository } from "./repository.ts";
import { runGit, runGitSync } from "./run-git.ts";
import { isStore } from "./store/store-place.ts";

type Places = Pick<Repository, "commonDir" | "gitDir" | "directory" | "privateDir" | "sharedDir">;

/** The words of git; see `git config --help`. */
const GROUP = new Set(["group", "true", "yes", "on", "1"]);
const EVERYBODY = new Set(["all", "world", "everybody", "2"]);

function rightsOf(value: string | undefined): number {
  if (value === undefined) return 0;
  if (GROUP.has(value)) return 0o060;
  if (EVERYBODY.has(value)) return 0o064;
  return /^0?[0-7]{3}$/.test(value) ? Number.parseInt(value, 8) & 0o066 : 0;
}

/** The store of a project that is not shared has secrets, so it is less readable than the project. */
export function storeSharing(project: Places): string {
  return sharedRepository(project) ?? "0600";
}

/** Git is asked only where the project has it; most have not. */
function sharedRepository({ commonDir, gitDir, directory }: Places): string | undefined {
  if (!/^\s*(?:\[core\]\s*)?sharedrepository\b/im.test(textOf(join(commonDir, "config")))) {
    return undefined;
  }
  const args = ["config", "--get", "core.sharedRepository"];
  const { stdout } = runGitSync({ directory, gitDir }, args, { accept: [0, 1] });
  return stdout.toString("utf8").trim() || undefined;
}

/** To be called before anything is written there. */
export function shareOwnFolders(places: Places): void {
  const rights = rightsOf(sharedRepository(places));
  for (const folder of [places.sharedDir, places.privateDir]) shareFolder(folder, rights);
}

/** Files of a work tree are in them, whose modes are compared with what they were. */
const OF_WORK_TREES: ReadonlySet<string> = new Set(["aside", "isolated", "later", "new"]);

/** Before a command that changes something: what was made before the setting changed follows it. */
export async function followSharing(project: Repository): Promise<void> {
  const { store, sharedDir, privateDir } = project;
  if (project.isPlain || !isStore(store)) return;
  const wanted = storeSharing(project);
  const rights = rightsOf(wanted);
  const config = textOf(join(store.commonDir, "config"));
  const isSet = /^\s*sharedRepository = (.*)$/m.exec(config)?.[1] === wanted;
  if (!isSet) await runGit(store, ["config", "core.sharedRepository", wanted]);
  const folders = new Set([sharedDir, privateDir]);
  const isOld = [...folders].some((folder) => lacksRights(folder, rights));
  if (isSet && !isOld) return;
  for (const folder of folders) shareBelow(folder, rights, OF_WORK_TREES);
}

/** At the end of a command of root: files that git made, too, belong to the owner of the repository. */
export function giveToOwner(project: Repository): void {
  if (!isRoot()) return;
  const { commonDir, gitDir, isPlain, ownFolder, privateDir, sharedDir, workTree } = project;
  // One that was deleted meanwhile has nothing of ours.
  const uid = uidOf(commonDir);
  if (uid === undefined) return;
  // A plain folder has no git folder yet that says whose it is. Without sudo, root could not open what it gave away.
  const isForUser = isPlain && uid === 0 && String(uidOf(workTree)) === process.env["SUDO_UID"];
  const folder = isForUser ? workTree : commonDir;
  const ofGit = ["refs", "logs", "packed-refs", "worktrees"].map((name) => join(commonDir, name));
  const ofWorkTree = ["logs", "HEAD", "ORIG_HEAD", "index"].map((name) => join(gitDir, name));
  const places = isPlain ? [ownFolder] : [privateDir, sharedDir, ...ofGit, ...ofWorkTree];
  for (const place of new Set([...places, ...newObjectFolders(project)])) giveBelow(place, folder);
}

/** What is in the others can be read and removed by their owner. */
function newObjectFolders({ commonDir }: Repository): string[] {
  const objects = join(commonDir, "objects");
  return namesIn(objects)
    .map((name) => join(objects, name))
    .filter((path) => uidOf(path) === 0);
}

function uidOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.uid;
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (isDenied(error) || errorCode(error) === "ENOENT") return "";
    throw error;
  }
}
