/**
 * What a checkout of an index would put on disk, where that is not what git stores: line ends, `$Id$`, encodings. Git itself converts them, in
 * a private folder. Filter drivers are programs, and none is run: files that go through one are named.
 */
import { readFileSync, rmSync } from "node:fs";
import { makeFolders } from "../../files/make-folders.ts";
import type { BytePath } from "../../../domain/byte-path.ts";
import { onDisk, rootFolder } from "../../files/byte-names.ts";
import type { IndexFile } from "../index-file.ts";
import type { Quarantine } from "../quarantine.ts";
import type { Repository } from "../repository.ts";
import { runGit } from "../run-git.ts";
import { readSettings, type GitSettings } from "../settings.ts";

const ATTRIBUTES = ["text", "crlf", "eol", "ident", "filter", "working-tree-encoding"];

export interface CheckedOut {
  /** Bytes on disk of files that git converts. */
  readonly converted: ReadonlyMap<BytePath, Buffer>;
  /** Files that only a program could convert. */
  readonly filtered: readonly BytePath[];
}

export async function checkOut(
  repository: Repository,
  quarantine: Quarantine,
  index: IndexFile,
  indexPath: string,
): Promise<CheckedOut> {
  const folder = quarantine.path("checked-out");
  makeFolders(folder, 0o700);
  // An empty work tree: the attributes are those of the index then, and not those of now.
  const place = { directory: folder, gitDir: repository.gitDir, workTree: folder };
  const env = { GIT_INDEX_FILE: indexPath };
  try {
    const paths = regularFiles(index);
    const rules = await attributesOf(place, env, paths);
    const settings = await readSettings(repository);
    const filtered = paths.filter((path) => isOn(rules.get(path)?.get("filter")));
    const isFiltered = new Set(filtered);
    const wanted = paths.filter(
      (path) => !isFiltered.has(path) && mayConvert(rules.get(path), settings),
    );
    if (wanted.length > 0) {
      await runGit(place, ["-c", "core.symlinks=true", "checkout-index", "-z", "-f", "--stdin"], {
        env,
        input: Buffer.from(wanted.map((path) => `${path}\0`).join(""), "latin1"),
      });
    }
    const root = rootFolder(folder);
    const converted = new Map(wanted.map((path) => [path, readFileSync(onDisk(root, path))]));
    return { converted, filtered };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function regularFiles(index: IndexFile): BytePath[] {
  const found: BytePath[] = [];
  for (let entry = 0; entry < index.length; entry++) {
    if ((index.mode(entry) & 0o170000) === 0o100000) found.push(index.path(entry));
  }
  return found;
}

type Rules = ReadonlyMap<BytePath, ReadonlyMap<string, string>>;

async function attributesOf(
  place: Parameters<typeof runGit>[0],
  env: Readonly<Record<string, string>>,
  paths: readonly BytePath[],
): Promise<Rules> {
  const rules = new Map<BytePath, Map<string, string>>();
  if (paths.length === 0) return rules;
  const { stdout } = await runGit(
    place,
    ["check-attr", "--cached", "-z", "--stdin", ...ATTRIBUTES],
    {
      env,
      input: Buffer.from(`${paths.join("\0")}\0`, "latin1"),
    },
  );
  const fields = stdout.toString("latin1").split("\0");
  for (let at = 0; at + 2 < fields.length; at += 3) {
    const value = fields[at + 2] ?? "";
    if (value === "unspecified") continue;
    const path = fields[at] as BytePath;
    const known = rules.get(path) ?? new Map<string, string>();
    rules.set(path, known.set(fields[at + 1] ?? "", value));
  }
  return rules;
}

function isOn(value: string | undefined): boolean {
  return value !== undefined && value !== "unset";
}

/** Line ends of files are changed on the way out only where somebody wants CRLF. */
function mayConvert(
  rules: ReadonlyMap<string, string> | undefined,
  settings: GitSettings,
): boolean {
  const rule = (name: string): string | undefined => rules?.get(name);
  if (isOn(rule("ident")) || isOn(rule("working-tree-encoding"))) return true;
  if (rule("eol") === "crlf") return true;
  const autocrlf = settings.get("core.autocrlf")?.toLowerCase();
  const wantsCrlf = autocrlf === "true" || settings.get("core.eol")?.toLowerCase() === "crlf";
  const isText = isOn(rule("text")) || isOn(rule("crlf")) || autocrlf === "true";
  return wantsCrlf && isText;
}
