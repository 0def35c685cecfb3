import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { asBytePath } from "../../../domain/byte-path.ts";
import { Failure } from "../../../domain/failure.ts";
import { rootFolder } from "../../files/byte-names.ts";
import { lookAt } from "../../files/file-stat.ts";
import type { CaptureContext, DefaultModes } from "./context.ts";
import { readLeaf } from "./read-leaf.ts";

/** A project with a file and a link, and a place for what is stored that fails in this way. */
function failing(code: string) {
  const root = mkdtempSync(join(tmpdir(), "waymark-read-leaf-"));
  onTestFinished(() => rmSync(root, { recursive: true }));
  writeFileSync(join(root, "file"), "content\n");
  symlinkSync("file", join(root, "link"));
  const left: string[] = [];
  const fail = (): never => {
    throw Object.assign(new Error(`${code}: mkdir`), { code, syscall: "mkdir", path: "ours" });
  };
  const context = {
    root: rootFolder(root),
    repository: { hash: "sha1" },
    cache: { files: new Map(), held: new Set() },
    spool: { keeps: true, has: () => false, add: fail, addLarge: fail },
    includesSecret: () => false,
    findings: { blobs: new Set(), exclude: (path: string) => left.push(path) },
  } as unknown as CaptureContext;
  const read = (name: string) => {
    const look = lookAt(join(root, name));
    if (look === undefined) throw new Error(`${name} is not there`);
    const request = { path: asBytePath(name), look, indexOid: undefined };
    return readLeaf(context, request, {} as DefaultModes);
  };
  return { read, left };
}

describe("a file that is read for a checkpoint", () => {
  it.each(["ENOENT", "EACCES", "EPERM"])(
    "[R11] is not called gone or unreadable where our own place for it fails with %s",
    async (code) => {
      const { read, left } = failing(code);
      for (const name of ["file", "link"]) await expect(read(name)).rejects.toThrow(Failure);
      expect(left).toEqual([]);
    },
  );
});
