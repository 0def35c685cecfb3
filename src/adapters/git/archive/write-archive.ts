/** Makes an archive: a manifest of what is in it, and a bundle with everything that the checkpoints need. */
import { counted } from "../../../domain/counted.ts";
import { basename, join } from "node:path";
import { ARCHIVE_VERSION, type ArchiveManifest } from "../../../domain/archive.ts";
import { localMessage } from "../../../domain/local-half.ts";
import { Failure } from "../../../domain/failure.ts";
import type { WriteOrder } from "../../../ports/archives.ts";
import { makeFolders } from "../../files/make-folders.ts";
import { encodeCommit } from "../commit-object.ts";
import { localHalfHere } from "../local-half.ts";
import { objectId, type HashName, type ObjectType } from "../object-hash.ts";
import { ObjectReader } from "../object-reader.ts";
import { PackSpool } from "../pack-spool.ts";
import type { Quarantine } from "../quarantine.ts";
import { checkpointRef, localRef, MANIFEST_REF, sessionRef } from "../ref-names.ts";
import { refValues } from "../ref-values.ts";
import { alternates } from "../git-environment.ts";
import type { Repository } from "../repository.ts";
import { runGit } from "../run-git.ts";
import { encodeTree, type TreeEntry } from "../tree-object.ts";
import { MANIFEST_FILE } from "./read-contents.ts";
import { boundary, missingHistory, refuseShallow, writeBundle } from "./write-bundle.ts";

/** Writes a file in the quarantine and returns its path. */
export async function writeArchive(
  repository: Repository,
  quarantine: Quarantine,
  order: WriteOrder,
): Promise<string> {
  const named = order.checkpoints.map(({ id }) => checkpointRef(id));
  const refs = [...named, ...order.sessionIds.map(sessionRef)];
  const values = await refValues(repository, "refs/waymark");
  const tips = refs.map((name) => ({ name, oid: valueOf(values, name) }));
  const oids = tips.map(({ oid }) => oid);
  const since = await commitsOf(repository, order);
  await refuseShallow(repository, oids, since);
  const basis = await boundary(repository, oids, since);
  const objects = quarantine.path("objects");
  const env = {
    GIT_OBJECT_DIRECTORY: objects,
    ...alternates(join(repository.commonDir, "objects")),
  };
  const own = new Map<string, Made>();
  const locals = await addHalves(repository, order, own);
  const manifest: ArchiveManifest = {
    schema_version: ARCHIVE_VERSION,
    kind: "waymark_archive",
    created_at: order.at.toISOString(),
    project: basename(repository.workTree),
    object_format: repository.hash,
    checkpoints: order.checkpoints.map((checkpoint) => ({
      id: checkpoint.id,
      commit: valueOf(values, checkpointRef(checkpoint.id)),
      session_id: checkpoint.sessionId,
      created_at: checkpoint.createdAt,
      ...(locals.has(checkpoint.id) ? { local: locals.get(checkpoint.id) } : {}),
    })),
    sessions: order.sessionIds.map((id) => ({ id, commit: valueOf(values, sessionRef(id)) })),
    basis,
  };
  const commit = addManifest(repository.hash, own, manifest, order.at);
  await storeOwn(repository, objects, env, own);
  const path = quarantine.path("archive.bundle");
  try {
    await writeBundle(repository, {
      path,
      refs: [
        ...tips,
        ...[...locals].map(([id, oid]) => ({ name: localRef(id), oid })),
        { name: MANIFEST_REF, oid: commit },
      ],
      basis,
      env,
      progress: order.progress,
    });
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== "git_failed") throw error;
    throw (await missingHistory(repository, oids, basis)) ?? error;
  }
  return path;
}

function valueOf(values: ReadonlyMap<string, string>, name: string): string {
  const oid = values.get(name);
  if (oid !== undefined) return oid;
  throw new Failure("repository_busy", `${name} was removed meanwhile`, {
    hint: "Run the command again.",
  });
}

async function commitsOf(repository: Repository, order: WriteOrder): Promise<string[]> {
  const commits: string[] = [];
  for (const revision of order.since) {
    const args = ["rev-parse", "--verify", "-q", "--end-of-options", `${revision}^{commit}`];
    const { exitCode, stdout } = await runGit(repository.project, args, { accept: [0, 1, 128] });
    const oid = stdout.toString("latin1").trim();
    if (exitCode !== 0 || !/^[0-9a-f]{40,64}$/.test(oid)) {
      throw new Failure("usage", `--since: ${revision} is not a commit of this repository`, {
        hint: "Name a branch, a tag or a commit that the receiver has.",
      });
    }
    commits.push(oid);
  }
  if (order.sinceRemotes) {
    const remote = await refValues(repository.project, "refs/remotes");
    if (remote.size === 0) {
      throw new Failure("usage", "--thin: this repository has no remote-tracking branches", {
        hint: "Name commits that the receiver has with --since, or omit --thin.",
      });
    }
    commits.push(...remote.values());
  }
  return [...new Set(commits)];
}

/** An object that only the archive has. */
interface Made {
  readonly type: ObjectType;
  readonly content: Buffer;
}

function adderOf(hash: HashName, own: Map<string, Made>) {
  return (type: ObjectType, content: Buffer): string => {
    const oid = objectId(hash, type, content);
    own.set(oid, { type, content });
    return oid;
  };
}

/** Commits by the id of the checkpoint. One with all of its local half is the very commit of the local ref. */
async function addHalves(
  repository: Repository,
  order: WriteOrder,
  own: Map<string, Made>,
): Promise<Map<string, string>> {
  const { hash } = repository;
  const add = adderOf(hash, own);
  const locals = new Map<string, string>();
  const reader = new ObjectReader(repository);
  try {
    for (const { id, createdAt, along = [] } of order.checkpoints) {
      if (along.length === 0) continue;
      const here = await localHalfHere(repository, reader, id);
      const entries = along.map((name): TreeEntry => {
        const oid = here[name];
        if (oid !== undefined) return { mode: "040000", name, oid };
        throw new Failure("repository_busy", `${localRef(id)} was removed meanwhile`, {
          hint: "Run the command again.",
        });
      });
      const tree = add("tree", encodeTree(entries));
      const message = localMessage({ id });
      const commit = encodeCommit({ tree, parents: [], at: new Date(createdAt), message });
      locals.set(id, add("commit", commit));
    }
    return locals;
  } finally {
    reader.close();
  }
}

function addManifest(
  hash: HashName,
  own: Map<string, Made>,
  manifest: ArchiveManifest,
  at: Date,
): string {
  const add = adderOf(hash, own);
  const blob = add("blob", Buffer.from(`${JSON.stringify(manifest, null, 1)}\n`));
  const tree = add("tree", encodeTree([{ mode: "100644", name: MANIFEST_FILE, oid: blob }]));
  const message = `waymark export: ${counted(manifest.checkpoints.length, "checkpoint")}\n`;
  return add("commit", encodeCommit({ tree, parents: [], at, message }));
}

async function storeOwn(
  repository: Repository,
  objects: string,
  env: Readonly<Record<string, string>>,
  own: ReadonlyMap<string, Made>,
): Promise<void> {
  makeFolders(join(objects, "pack"), 0o700);
  const spool = new PackSpool(() => join(objects, "pack", "manifest.pack"), repository.hash);
  try {
    for (const [oid, { type, content }] of own) spool.add(oid, type, content);
    await runGit(repository, ["index-pack", spool.finish(false)], { env });
  } finally {
    spool.close();
  }
}
