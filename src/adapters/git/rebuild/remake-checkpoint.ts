/**
 * Writes a checkpoint anew whose document, raw index or worktree.json is lost and whose files are there. What it replaces
 * is kept as text inside the new one (`replaced.commit`): a parent or a ref would keep git from collecting garbage as
 * long as something below the old commit is missing.
 */
import { readFileSync } from "node:fs";
import { asBytePath, type BytePath } from "../../../domain/byte-path.ts";
import { gitPartOf, type CheckpointDocument, type GitPart } from "../../../domain/checkpoint.ts";
import { documentMessage } from "../../../domain/document-text.ts";
import { Failure } from "../../../domain/failure.ts";
import {
  rebuildDocument,
  withRemadePart,
  type RebuiltDocument,
} from "../../../domain/rebuild-document.ts";
import {
  decodeDetails,
  encodeDetails,
  STANDARD_MODES,
  type WorkTreeDetails,
} from "../../../domain/work-tree-details.ts";
import type { Remade } from "../../../ports/rebuilder.ts";
import { digestFlags } from "../capture/index-facts.ts";
import { committedAt, encodeCommit, messageOf, parentsOf } from "../commit-object.ts";
import { contentHashOf, isOfOtherParts } from "../content-hash.ts";
import { treeOfCommit } from "../head.ts";
import { IndexFile } from "../index-file.ts";
import { localHalfHere } from "../local-half.ts";
import { objectId, type ObjectType } from "../object-hash.ts";
import type { ObjectReader } from "../object-reader.ts";
import { nameOperation, type StateFile } from "../operation-state.ts";
import { PackSpool } from "../pack-spool.ts";
import { publish } from "../publish.ts";
import { Quarantine } from "../quarantine.ts";
import { checkpointRef } from "../ref-names.ts";
import type { Repository } from "../repository.ts";
import { runGit } from "../run-git.ts";
import { sha256 } from "../sha256.ts";
import { encodeTree, type TreeEntry } from "../tree-object.ts";
import { diffTrees, TreeSource, type LeafChange } from "../tree-source.ts";

/** Parts that can be made again from the others. */
export type LostPart = "index.raw" | "worktree.json";

export interface RemakeOrder {
  readonly id: string;
  readonly oid: string;
  readonly commit: Buffer;
  /** Undefined: it is damaged. */
  readonly document: CheckpointDocument | undefined;
  readonly lost: ReadonlySet<LostPart>;
  readonly sessionId: string;
  readonly at: Date;
}

/** Where the old commit is kept. */
const REPLACED = "replaced.commit";

export async function remakeCheckpoint(
  repository: Repository,
  reader: ObjectReader,
  order: RemakeOrder,
): Promise<Remade> {
  const quarantine = new Quarantine(repository);
  const spool = new PackSpool(() => quarantine.path("remade.pack"), repository.hash);
  try {
    const add = (type: ObjectType, content: Buffer): string => {
      const oid = objectId(repository.hash, type, content);
      spool.add(oid, type, content);
      return oid;
    };
    const source = new TreeSource(repository, reader);
    const old = new Map<string, TreeEntry>(
      (await source.entries(treeOfCommit(order.commit))).map((entry) => [entry.name, entry]),
    );
    const index = await indexOf(repository, reader, source, quarantine, order, old);
    const details = await detailsOf(reader, order, old);
    const put = (name: string, content: Buffer): void =>
      void old.set(name, { mode: "100644", name, oid: add("blob", content) });
    if (order.lost.has("index.raw") && index !== undefined) put("index.raw", index.bytes);
    if (order.lost.has("worktree.json")) put("worktree.json", Buffer.from(encodeDetails(details)));
    put(REPLACED, order.commit);
    const part: GitPart = {
      type: "git_stash",
      digest: add("tree", encodeTree([...old.values()])),
      worktree: needed(old, "worktree"),
      index: needed(old, "index"),
      conflicts: old.get("conflicts")?.oid ?? null,
      index_raw: old.get("index.raw")?.oid ?? null,
      // Without it git looks at the content of every file once.
      index_mtime_ns: order.lost.has("index.raw")
        ? null
        : ((order.document && gitPartOf(order.document)?.index_mtime_ns) ?? null),
      index_flags: digestFlags(index),
      details: needed(old, "worktree.json"),
      operation: old.get("operation")?.oid ?? null,
    };
    const rebuilt =
      order.document === undefined
        ? await wholeDocument(repository, reader, source, order, part, [...old.values()], details)
        : withRemadePart(
            order.document,
            { part, replaces: order.oid, rebuiltAt: order.at.toISOString() },
            unknownOf(order.lost),
            sha256,
          );
    const parents = parentsOf(order.commit);
    const oid = await publish(repository, reader, {
      spool,
      quarantine,
      commit: encodeCommit({
        tree: part.digest,
        parents,
        at: new Date(rebuilt.document.created_at),
        message: documentMessage(rebuilt.document),
      }),
      ref: checkpointRef(order.id),
      expected: order.oid,
      reliesOn: [],
      durability: "safe",
    });
    if (oid === undefined) throw movedMeanwhile(order.id);
    const parts = [...(order.document === undefined ? ["document"] : []), ...order.lost];
    return { parts, unknown: rebuilt.unknown, unverified: rebuilt.unverified };
  } finally {
    spool.close();
    quarantine.discard();
  }
}

export function movedMeanwhile(what: string): Failure {
  return new Failure("repository_busy", `${what} was changed by another process meanwhile`, {
    hint: "Run the command again.",
  });
}

function unknownOf(lost: ReadonlySet<LostPart>): string[] {
  return [
    ...(lost.has("index.raw") ? ["flags of index entries"] : []),
    ...(lost.has("worktree.json") ? ["full modes of files", "empty folders"] : []),
  ];
}

function needed(entries: ReadonlyMap<string, TreeEntry>, name: string): string {
  const oid = entries.get(name)?.oid;
  if (oid === undefined) {
    throw new Failure("rebuild_failed", `the tree of the checkpoint has no ${name}`, {
      hint: "Name another clone or an export that has it with --from. Nothing was changed.",
    });
  }
  return oid;
}

async function indexOf(
  repository: Repository,
  reader: ObjectReader,
  source: TreeSource,
  quarantine: Quarantine,
  order: RemakeOrder,
  entries: ReadonlyMap<string, TreeEntry>,
): Promise<IndexFile | undefined> {
  const raw = entries.get("index.raw")?.oid;
  if (raw === undefined) return undefined;
  if (!order.lost.has("index.raw")) {
    return new IndexFile(await reader.readChecked(raw, "blob"), repository.hash);
  }
  const staged = await leavesOf(source, needed(entries, "index"));
  const conflicts = await leavesOf(source, entries.get("conflicts")?.oid);
  const lines = staged.map((leaf) => indexLine(leaf, 0, leaf.path));
  for (const leaf of conflicts) {
    const [, stage, path] = /^([123])\/(.+)$/s.exec(leaf.path) ?? [];
    if (path !== undefined) lines.push(indexLine(leaf, Number(stage), asBytePath(path)));
  }
  const file = quarantine.path("index");
  await runGit(repository, ["update-index", "-z", "--index-info"], {
    env: { GIT_INDEX_FILE: file },
    input: Buffer.from(lines.join(""), "latin1"),
  });
  return new IndexFile(readFileSync(file), repository.hash);
}

function indexLine({ after }: LeafChange, stage: number, path: BytePath): string {
  return `${after?.mode ?? ""} ${after?.oid ?? ""} ${stage}\t${path}\0`;
}

/** Every file of a tree, with its original name. */
async function leavesOf(source: TreeSource, oid: string | undefined): Promise<LeafChange[]> {
  return diffTrees({ source, oid: undefined }, { source, oid });
}

async function detailsOf(
  reader: ObjectReader,
  order: RemakeOrder,
  entries: ReadonlyMap<string, TreeEntry>,
): Promise<WorkTreeDetails> {
  if (!order.lost.has("worktree.json")) {
    const oid = needed(entries, "worktree.json");
    return decodeDetails((await reader.readChecked(oid, "blob")).toString("utf8"));
  }
  const withheld = order.document?.coverage.withheld;
  return {
    defaults: STANDARD_MODES,
    modes: new Map<BytePath, number>(),
    emptyFolders: new Map<BytePath, number>(),
    excluded: order.document?.coverage.excluded ?? [],
    ...(withheld === undefined ? {} : { withheld }),
  };
}

async function wholeDocument(
  repository: Repository,
  reader: ObjectReader,
  source: TreeSource,
  order: RemakeOrder,
  part: GitPart,
  root: readonly TreeEntry[],
  { excluded, withheld }: WorkTreeDetails,
): Promise<RebuiltDocument> {
  const local = await localHalfHere(repository, reader, order.id);
  const state = await stateFiles(reader, source, part.operation);
  return rebuildDocument(
    {
      id: order.id,
      createdAt: committedAt(order.commit).toISOString(),
      replaces: order.oid,
      rebuiltAt: order.at.toISOString(),
      headCommit: parentsOf(order.commit)[0] ?? null,
      operation: nameOperation(state),
      part,
      holdsMore: root.some(({ name }) => isOfOtherParts(name)),
      contentHash: contentHashOf(root, local.worktree),
      files: (await leavesOf(source, local.worktree ?? part.worktree)).length,
      excluded,
      withheld,
      local,
      sessionId: order.sessionId,
      worktreeId: repository.worktreeId,
    },
    leftOf(messageOf(order.commit)),
    sha256,
  );
}

async function stateFiles(
  reader: ObjectReader,
  source: TreeSource,
  operation: string | null,
): Promise<StateFile[]> {
  const files: StateFile[] = [];
  for (const { path, after } of await leavesOf(source, operation ?? undefined)) {
    const content = await reader.readChecked(after?.oid ?? "", "blob");
    files.push({ path, mode: 0o644, content });
  }
  return files;
}

/** Whatever can still be read of a damaged document. */
function leftOf(message: string): unknown {
  try {
    return JSON.parse(message.slice(message.indexOf("\n\n{") + 2));
  } catch {
    return undefined;
  }
}
