/**
 * Makes the store of a project. Written by hand rather than by `git init`: no template, hook or setting of the user counts in it, and a
 * checkpoint does not wait for another process. It is made beside its place and renamed into it, so it is whole or not there.
 */
import { existsSync, realpathSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { syncFolder, uniqueName, writeDurably, writeNew } from "../../files/durable-write.ts";
import { errorCode } from "../../files/errors.ts";
import { makeFolders } from "../../files/make-folders.ts";
import { KEEP_REFS } from "../ref-names.ts";
import { refsBelow } from "../ref-values.ts";
import type { Repository } from "../repository.ts";
import { storeSharing } from "../sharing.ts";
import { readBases } from "./bases.ts";
import {
  ALTERNATES,
  hasOldRefs,
  isStore,
  lendsProject,
  projectObjects,
  storeAt,
  storeFolder,
} from "./store-place.ts";

/** From `<common dir>/waymark/store/objects`: the store goes wherever the repository is moved or copied to. */
const PROJECT_OBJECTS = "../../../objects";

/** No branch is ever there. */
const HEAD = "ref: refs/heads/none\n";

/** `first` puts into it what it has to have before any command sees it. */
export async function makeStore(
  project: Repository,
  first: (store: Repository) => Promise<void> = () => Promise.resolve(),
): Promise<void> {
  if (isStore(project.store)) return;
  const place = storeFolder(project);
  const temporary = join(project.sharedDir, `store.tmp-${uniqueName()}`);
  makeFolders(dirname(place), 0o700);
  try {
    fill(temporary, project);
    mendStore(storeAt(project, temporary));
    await first(storeAt(project, temporary));
    renameSync(temporary, place);
    syncFolder(dirname(place));
  } catch (error) {
    // Another process made it meanwhile.
    const isTaken = ["ENOTEMPTY", "EEXIST"].includes(String(errorCode(error)));
    if (!isTaken) throw error;
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

/** What it borrowed is still kept. */
export async function wasThere(project: Repository): Promise<boolean> {
  return !hasOldRefs(project) && (await refsBelow(project, [KEEP_REFS])).size > 0;
}

/** Files that git needs, and whose content is known. Without them nearly everything looks damaged. */
export function mendStore(store: Repository): void {
  const { commonDir } = store;
  const write = (name: string, content: string): void => {
    makeFolders(dirname(join(commonDir, name)), 0o700);
    writeDurably(join(commonDir, name), content, true);
  };
  if (!existsSync(join(commonDir, "HEAD"))) write("HEAD", HEAD);
  if (readBases(store).owns === true || lendsProject(store)) return;
  write(ALTERNATES, `${PROJECT_OBJECTS}\n`);
  // A folder on the way is a link.
  if (!lendsProject(store)) write(ALTERNATES, `${realpathSync(projectObjects(store))}\n`);
}

function fill(folder: string, project: Repository): void {
  for (const name of ["objects/info", "objects/pack", "refs/heads", "refs/waymark/cp"]) {
    makeFolders(join(folder, name), 0o700);
  }
  const write = (name: string, content: string): void => {
    writeNew(join(folder, name), content, true);
  };
  write("config", configOf(project));
  write(ALTERNATES, `${PROJECT_OBJECTS}\n`);
  write("HEAD", HEAD);
  for (const name of ["objects/info", "objects", "."]) syncFolder(join(folder, name));
}

/** Files for refs, whatever the project uses; no garbage collection but ours, which knows what the project borrows and lends. */
function configOf(project: Repository): string {
  const isSha256 = project.hash === "sha256";
  return [
    "[core]",
    `\trepositoryformatversion = ${isSha256 ? 1 : 0}`,
    "\tbare = true",
    "\tlogAllRefUpdates = false",
    `\tsharedRepository = ${storeSharing(project)}`,
    ...(isSha256 ? ["[extensions]", "\tobjectFormat = sha256"] : []),
    "[gc]",
    "\tauto = 0",
    "[maintenance]",
    "\tauto = false",
    "",
  ].join("\n");
}
