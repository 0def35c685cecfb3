/** Names of Waymark's folders in a work tree. In a git project its own files are in the git folder (`Repository.ownFolder`). */

/** Of a plain folder. Earlier versions had it in git projects too. */
export const OWN_FOLDER = ".checkpoints";
/** Of a plain folder whose `.checkpoints` belongs to the user. */
export const OTHER_OWN_FOLDER = ".waymark";

/** What is, or was, in such a folder. */
const OWN_NAMES =
  /^(?:repo\.git.*|before-git-.*|cp-.*|audit\.log.*|exports|replaced|restore|runs|tmp|waymark|\.gitignore)$/i;

/** Where no checkpoint may write: one that was imported could replace a hook in a private repository. */
export function isInOwnFolder(path: string): boolean {
  const [folder = "", name = ""] = path.split("/");
  if (folder.toLowerCase() === TRANSIENT_FOLDER) return true;
  const isOwn = [OWN_FOLDER, OTHER_OWN_FOLDER].includes(folder.toLowerCase());
  return isOwn && OWN_NAMES.test(name);
}

/** For what has to be on the disk of the work tree, where the git folder is on another one; removed when it is empty. */
export const TRANSIENT_FOLDER = ".waymark-tmp";
