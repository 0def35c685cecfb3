/** File system calls with byte names: Node's strings cannot name a file that is not valid UTF-8. */
import type { BytePath } from "../../domain/byte-path.ts";

export type RootFolder = string & { readonly rootFolder: true };

/** The root with one character per byte, so that it can be joined with a BytePath. */
export function rootFolder(path: string): RootFolder {
  return Buffer.from(path, "utf8").toString("latin1") as RootFolder;
}

const ASCII = /^[ -~]*$/;

/** True when the string names the same file as its bytes do; strings are quicker. */
export function isPlainText(path: string): boolean {
  return ASCII.test(path);
}

/** As a string where that does; with thousands of paths the bytes are worth sparing. */
export function quickPath(root: RootFolder, path: BytePath): Buffer | string {
  const whole = `${root}/${path}`;
  return isPlainText(whole) ? whole : Buffer.from(whole, "latin1");
}

export function onDisk(root: RootFolder, path: BytePath | string): Buffer {
  return Buffer.from(path === "" ? root : `${root}/${path}`, "latin1");
}
