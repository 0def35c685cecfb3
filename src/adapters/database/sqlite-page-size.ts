/** The size of the pages of a SQLite database, from its header. 0: it is empty and has none yet. */
import { closeSync, openSync, readSync } from "node:fs";

/** Two bytes of the header; 1 stands for 65536. */
const AT = 16;

export function pageSizeOf(path: string): number {
  const header = Buffer.alloc(2);
  const fd = openSync(path, "r");
  try {
    readSync(fd, header, 0, header.length, AT);
  } finally {
    closeSync(fd);
  }
  const size = header.readUInt16BE();
  return size === 1 ? 65_536 : size;
}
