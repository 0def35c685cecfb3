/** Refs with the messages of the commits that they point at, by one git process for all of them. */
import { readRefs } from "./read-refs.ts";
import type { Repository } from "./repository.ts";
import { runGit } from "./run-git.ts";

export interface RefMessage {
  readonly ref: string;
  readonly oid: string;
  readonly message: string;
}

const FIELDS = ["refname", "objectname", "contents"];
const FORMAT = `--format=${FIELDS.map((field) => `%(${field})%00`).join("")}`;

/** Of all refs below a folder. Undefined when one points at nothing: git then lists none. */
export async function refMessages(
  repository: Repository,
  folder: string,
): Promise<RefMessage[] | undefined> {
  return readRefs(repository, folder)?.size === 0 ? [] : messagesOf(repository, [folder]);
}

/** Of these refs; undefined as above. */
export async function messagesOf(
  repository: Repository,
  refs: readonly string[],
): Promise<RefMessage[] | undefined> {
  const { exitCode, stdout } = await runGit(repository, ["for-each-ref", FORMAT, ...refs], {
    accept: [0, 128],
  });
  if (exitCode !== 0) return undefined;
  const fields = stdout.toString("utf8").split("\0");
  const found: RefMessage[] = [];
  for (let at = 0; at + FIELDS.length <= fields.length; at += FIELDS.length) {
    const [ref = "", oid = "", message = ""] = fields.slice(at, at + FIELDS.length);
    found.push({ ref: ref.trimStart(), oid, message });
  }
  return found;
}

export async function refNames(repository: Repository, prefix: string): Promise<string[]> {
  const { stdout } = await runGit(repository, ["for-each-ref", "--format=%(refname)", prefix]);
  return stdout.toString("utf8").split("\n").filter(Boolean);
}
