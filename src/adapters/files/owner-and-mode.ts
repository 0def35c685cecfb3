/**
 * Owner and mode of the files that Waymark makes for itself. They are for their user alone, with two exceptions: what root makes belongs to the
 * owner of the folder that it is in, and in a shared repository (`core.sharedRepository`) the group gets the rights that git would give it.
 */
import {
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  fchownSync,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  statSync,
  type Stats,
} from "node:fs";
import { basename, dirname } from "node:path";

const { O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants;
const SETGID = 0o2000;
const WRITABLE = 0o200;

/** By folder of ours in a shared repository: rights of others for what is in it, like the last digits of a mode. */
const shared = new Map<string, number>();

/** From now on; what is there already stays as it is. */
export function shareFolder(folder: string, rights: number): void {
  if (rights === 0) shared.delete(folder);
  else shared.set(folder, rights);
}

function rightsIn(path: string): number {
  for (const [folder, rights] of shared) {
    if (path === folder || path.startsWith(`${folder}/`)) return rights;
  }
  return 0;
}

/** Of a file in this folder that is never changed. */
export function readOnlyMode(folder: string): number {
  return 0o400 | (rightsIn(folder) & 0o444);
}

export function isRoot(): boolean {
  return process.geteuid?.() === 0;
}

/** A descriptor of a file of ours that is made, or of one that is there if the flags allow it. */
export function openOwn(path: string, flags: string | number = "wx", mode = 0o600): number {
  const fd = openSync(path, flags, mode);
  adjust(fd, path);
  return fd;
}

/** For a folder that was just made. */
export function adjustFolder(path: string | Buffer): void {
  if (!isRoot() && (shared.size === 0 || rightsIn(String(path)) === 0)) return;
  visit(path, O_DIRECTORY, (fd) => adjust(fd, path));
}

function adjust(fd: number, path: string | Buffer): void {
  const rights = rightsIn(String(path));
  if (rights === 0 && !isRoot()) return;
  const folder = typeof path === "string" ? dirname(path) : path.subarray(0, path.lastIndexOf("/"));
  const stat = fstatSync(fd);
  const above = statSync(folder);
  if (stat.uid !== process.geteuid?.()) return;
  addRights(fd, stat, rights);
  if (isRoot()) giveTo(above, fd);
  // Where the folder does not pass its group on.
  else if (stat.gid !== above.gid) trying(() => fchownSync(fd, stat.uid, above.gid));
}

/** What root makes belongs to the owner of this folder; anything else stays as it is. */
export function giveToOwnerOf(folder: string, fd: number): void {
  if (isRoot()) giveTo(statSync(folder), fd);
}

function giveTo({ uid, gid }: Stats, fd: number): void {
  // In a namespace of users there may be no such user, and some file systems have no owners.
  if (uid !== 0) trying(() => fchownSync(fd, uid, gid));
}

/** Everything of root at a path and below it becomes that of the owner of a folder. */
export function giveBelow(path: string, folder: string): void {
  if (!isRoot()) return;
  const owner = statSync(folder);
  if (owner.uid === 0) return;
  walk(path, (fd, at) => {
    const stat = fstatSync(fd);
    const named = lstatSync(at);
    // The owner may have given a file of root that is elsewhere a name here.
    const isHere = named.ino === stat.ino && (stat.isDirectory() || named.nlink === 1);
    if (stat.uid === 0 && isHere) giveTo(owner, fd);
  });
}

/** Whether a folder was made before it was shared like this. */
export function lacksRights(folder: string, rights: number): boolean {
  const mode = statSync(folder, { throwIfNoEntry: false })?.mode;
  return mode !== undefined && (mode & rights) !== rights;
}

/** Everything of this user below a folder gets the rights, but for what is in folders of some names. */
export function shareBelow(folder: string, rights: number, closed: ReadonlySet<string>): void {
  const share = (fd: number): void => {
    const stat = fstatSync(fd);
    if (isRoot() || stat.uid === process.geteuid?.()) addRights(fd, stat, rights);
  };
  walk(folder, share, closed);
}

/** As git does it: who may read a folder may enter it, and what nobody may write stays like that. */
function addRights(fd: number, stat: Stats, rights: number): void {
  if (rights === 0) return;
  const isFolder = stat.isDirectory();
  const given = (stat.mode & WRITABLE) === 0 ? rights & ~0o222 : rights;
  const added = isFolder ? given | ((given & 0o444) >> 2) | SETGID : given;
  trying(() => fchmodSync(fd, (stat.mode & 0o7777) | added));
}

const HAS_PROC = existsSync("/proc/self/fd");

/** By descriptors: a folder that is exchanged for a link meanwhile leads nowhere. What cannot be opened is left as it is. */
function walk(
  path: string | Buffer,
  see: (fd: number, path: string | Buffer) => void,
  closed: ReadonlySet<string> = new Set(),
): void {
  visit(path, O_NONBLOCK, (fd) => {
    const stat = fstatSync(fd);
    see(fd, path);
    if (!stat.isDirectory() || closed.has(basename(String(path)))) return;
    const here = HAS_PROC ? `/proc/self/fd/${fd}` : path;
    for (const entry of readdirSync(here, { withFileTypes: true, encoding: "buffer" })) {
      if (!entry.isDirectory() && !entry.isFile()) continue;
      walk(Buffer.concat([Buffer.from(here), Buffer.from("/"), entry.name]), see, closed);
    }
  });
}

function visit(path: string | Buffer, flags: number, see: (fd: number) => void): void {
  trying(() => {
    const fd = openSync(path, O_RDONLY | O_NOFOLLOW | flags);
    try {
      see(fd);
    } finally {
      closeSync(fd);
    }
  });
}

/** No command fails because of an owner or a mode: whoever needs the file is told that it cannot be read. */
function trying(step: () => void): void {
  try {
    step();
  } catch {
    // As above.
  }
}
