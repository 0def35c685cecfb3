/** Refs with the messages of the commits that they point at: few of them by the process that reads objects, many by one of their own. */
import { messageOf } from "./commit-object.ts";
import { treeOfCommit } from "./head.ts";
import type { ObjectReader } from "./object-reader.ts";
import { isBrokenRef, readRefs } from "./read-refs.ts";
import type { Repository } from "./repository.ts";
import { runGit } from "./run-git.ts";

export interface RefMessage {
  readonly ref: string;
  readonly oid: string;
  readonly tree: string | undefined;
  readonly message: string;
}

const FIELDS = ["refname", "objectname", "tree", "contents"];
const FORMAT = `--format=${FIELDS.map((field) => `%(${field})%00`).join("")}`;

/** Above that, what each costs more than in a list of git is as much as a process that is not started. */
const FEW = 100;

/** Of all refs below a folder. Undefined when one points at nothing: git then lists none. */
export async function refMessages(
  repository: Repository,
  reader: ObjectReader,
  folder: string,
): Promise<RefMessage[] | undefined> {
  const refs = readRefs(repository, folder);
  const few = refs === undefined || refs.size > FEW ? undefined : await readFew(reader, refs);
  return few ?? messagesOf(repository, [folder]);
}

/** Undefined when one of them is no commit, or cannot be read: git then says what is wrong. */
async function readFew(
  reader: ObjectReader,
  refs: ReadonlyMap<string, string>,
): Promise<RefMessage[] | undefined> {
  const asked = [...refs].map(async ([ref, oid]) => {
    const commit = await reader.read(oid);
    if (commit?.type !== "commit") return undefined;
    return { ref, oid, tree: treeOfCommit(commit.content), message: messageOf(commit.content) };
  });
  const read = await Promise.allSettled(asked);
  const found = read.flatMap((one) =>
    one.status === "fulfilled" && one.value !== undefined ? [one.value] : [],
  );
  // In the order of git's own list.
  return found.length === refs.size
    ? found.toSorted((one, other) => (one.ref < other.ref ? -1 : 1))
    : undefined;
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
    const [ref = "", oid = "", tree = "", message = ""] = fields.slice(at, at + FIELDS.length);
    found.push({ ref: ref.trimStart(), oid, tree, message });
  }
  return found;
}

export async function refNames(repository: Repository, prefix: string): Promise<string[]> {
  const { stdout } = await runGit(repository, ["for-each-ref", "--format=%(refname)", prefix]);
  return stdout.toString("utf8").split("\n").filter(Boolean);
}

/** For what was in a list of refs and cannot be read: another process may have removed it since. */
export async function isRemoved(repository: Repository, ref: string): Promise<boolean> {
  return (
    !isBrokenRef(repository.commonDir, ref) && !(await refNames(repository, ref)).includes(ref)
  );
}
