/**
 * Which tracked files git stores differently from what is on disk: line ends, `$Id$`, encodings, filters (LFS).
 *
 * Their raw bytes have to be captured even when git calls them clean. Line ends and `$Id$` always change the length,
 * so for those the length tells; encodings and filters may do anything, so those files are read.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { BytePath } from "../../domain/byte-path.ts";
import { statKey, statOf } from "../files/file-stat.ts";
import { homeFolder, NO_FOLDER, userFolder } from "../files/user-folders.ts";
import { readRegular } from "../files/regular-file.ts";
import type { IndexFile } from "./index-file.ts";
import type { Repository } from "./repository.ts";
import { sha256 } from "./sha256.ts";
import { runGit } from "./run-git.ts";
import type { GitSettings } from "./settings.ts";

const ATTRIBUTES = ["text", "crlf", "eol", "ident", "filter", "working-tree-encoding"];

export type Conversion = "changes_length" | "any";

/** Changes whenever an attributes file or a setting that matters does; undefined: nothing can convert anything. */
export function attributesKey(
  repository: Repository,
  index: IndexFile | undefined,
  settings: GitSettings,
  untrackedAttributeFiles: readonly BytePath[],
): string | undefined {
  const tracked = attributeFilesInTree(index);
  const files = [
    ...tracked.map((path) => join(repository.workTree, path)),
    ...untrackedAttributeFiles.map((path) => join(repository.workTree, path)),
    join(repository.commonDir, "info", "attributes"),
    expandHome(settings.get("core.attributesfile")) ?? defaultAttributesFile(),
    "/etc/gitattributes",
  ];
  const present = files.filter((file) => existsSync(file));
  const conversion = [settings.get("core.autocrlf") ?? "false", settings.get("core.eol") ?? ""];
  if (present.length + tracked.length === 0 && conversion[0] === "false") return undefined;
  // Where one was deleted, git goes by the one in the index.
  const inIndex = tracked.map((path) => `${path}@${index?.oid(index.find(path)) ?? ""}`);
  const contents = present.map((file) => `${file}=${digestOf(file)}`);
  return [...conversion, ...inIndex, ...contents].join("\n");
}

/** By its content, which is small: time stamps miss a second edit in one tick of the disk's clock. */
function digestOf(file: string): string {
  try {
    return sha256(readRegular(file, "latin1"));
  } catch {
    const stat = statOf(file);
    return stat === undefined ? "" : statKey(stat);
  }
}

/** Found in the bytes, because decoding every path only for this would take longer than the rest of it. */
function attributeFilesInTree(index: IndexFile | undefined): BytePath[] {
  if (index === undefined) return [];
  const found: BytePath[] = [];
  if (!index.mentions(".gitattributes")) return found;
  for (let entry = 0; entry < index.length; entry++) {
    const path = index.path(entry);
    if (path === ".gitattributes" || path.endsWith("/.gitattributes")) found.push(path);
  }
  return found;
}

function expandHome(path: string | undefined): string | undefined {
  return path?.startsWith("~/") === true ? join(homeFolder() ?? NO_FOLDER, path.slice(2)) : path;
}

function defaultAttributesFile(): string {
  return join(userFolder("XDG_CONFIG_HOME") ?? NO_FOLDER, "git", "attributes");
}

/** Asks git for the attributes of these paths. */
export async function conversionsOf(
  repository: Repository,
  paths: readonly BytePath[],
  settings: GitSettings,
): Promise<Map<BytePath, Conversion>> {
  const found = new Map<BytePath, Conversion>();
  if (paths.length === 0) return found;
  const autocrlf = (settings.get("core.autocrlf") ?? "false") !== "false";
  const { stdout } = await runGit(repository, ["check-attr", "-z", "--stdin", ...ATTRIBUTES], {
    input: Buffer.from(`${paths.join("\0")}\0`, "latin1"),
  });
  const fields = stdout.toString("latin1").split("\0");
  for (let at = 0; at + 2 < fields.length; at += 3) {
    const path = fields[at] as BytePath;
    const attribute = fields[at + 1] ?? "";
    const value = fields[at + 2] ?? "";
    const isOff = value === "unspecified" || value === "unset";
    if (attribute === "filter" || attribute === "working-tree-encoding") {
      if (!isOff) found.set(path, "any");
    } else if (!isOff && found.get(path) === undefined) {
      found.set(path, "changes_length");
    }
  }
  if (autocrlf) for (const path of paths) if (!found.has(path)) found.set(path, "changes_length");
  return found;
}
