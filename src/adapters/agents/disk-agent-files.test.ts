import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
  chmodSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { agentFilesSuite } from "../../ports/agent-files.suite.ts";
import { DiskAgentFiles } from "./disk-agent-files.ts";

agentFilesSuite(() => {
  const folder = mkdtempSync(join(tmpdir(), "waymark-agent-files-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return {
    files: new DiskAgentFiles(),
    folder,
    put: (path, text, mode) => {
      writeFileSync(path, text);
      chmodSync(path, mode);
    },
    link: (path, target) => symlinkSync(target, path),
    makeFolder: (path) => void mkdirSync(path),
    isLink: (path) => lstatSync(path).isSymbolicLink(),
    names: (path) => readdirSync(path).toSorted(),
  };
});
