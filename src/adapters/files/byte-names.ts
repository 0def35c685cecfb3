/** File system calls with byte names: Node's strings cannot name a file that is not valid UTF-8. */
import type { BytePath } from "../../domain/byte-path.ts";

export type RootFolder = string & { readonly rootFolder: true };

/** The root with one character per byte, so that it can be joined with a BytePath. */
export function rootFolder(path: string): RootFolder {
  return Buffer.from(path, "utf8").toString("latin1") as RootFolder;
}

const ASCII = /^[ -~]*$/;

/** A string where that names the same file, which is quicker than bytes. */
export function plainName(root: RootFolder, path: BytePath): string | Buffer {
  const full = path === "" ? root : `${root}/${path}`;
  return ASCII.test(full) ? full : Buffer.from(full, "latin1");
}

export function onDisk(root: RootFolder, path: BytePath | string): Buffer {
  return Buffer.from(path === "" ? root : `${root}/${path}`, "latin1");
}
