/** Everything that is checked about an archive before anything of it counts. */
import type { ArchiveLimits, ArchiveManifest } from "../../../domain/archive.ts";
import { Failure } from "../../../domain/failure.ts";
import type { ReadOrder } from "../../../ports/archives.ts";
import { foldsCase } from "../folds-case.ts";
import type { Repository } from "../repository.ts";
import { runGit } from "../run-git.ts";
import { DocumentChecker } from "./check-document.ts";
import { checkTrees } from "./check-trees.ts";
import { quarantinePack, type PackChecks, type QuarantinedPack } from "./quarantined-pack.ts";
import { manifestOf, readSession, sortRefs, type ArchiveRefs } from "./read-contents.ts";
import { refusal } from "./refusal.ts";

export interface InspectedArchive {
  readonly pack: QuarantinedPack;
  readonly refs: ArchiveRefs;
  readonly manifest: ArchiveManifest;
}

export async function inspectArchive(
  repository: Repository,
  order: ReadOrder,
): Promise<InspectedArchive> {
  let limits: ArchiveLimits | undefined;
  const checks: PackChecks = {
    limitsFor: (bytes) => (limits = order.limitsFor(bytes)),
    objects: "strict",
    header: async (header) => {
      sortRefs(header);
      await refuseMissingBasis(repository, header.basis);
    },
  };
  const pack = await quarantinePack(repository, order.file, checks, order.progress);
  try {
    const refs = sortRefs(pack.header);
    const manifest = await manifestOf(repository, pack.reader, pack.header, refs);
    const isFolding = await foldsCase(repository);
    await checkTrees(repository, pack, limits?.treeDepth ?? 0, isFolding);
    const checker = new DocumentChecker(repository, pack.reader, isFolding);
    const task = order.progress.begin("checking checkpoints", { items: refs.checkpoints.size });
    try {
      for (const { id, commit, session_id, created_at } of manifest.checkpoints) {
        const document = await checker.check(id, commit, refs.locals.get(id));
        if (document.session_id !== session_id || document.created_at !== created_at) {
          throw refusal(`its manifest contradicts the document of ${id}`);
        }
        task.advance(1);
      }
      for (const [ref, commit] of refs.sessions) await readSession(pack.reader, ref, commit);
    } finally {
      task.end();
    }
    return { pack, refs, manifest };
  } catch (error) {
    pack.discard();
    throw asRefusal(error);
  }
}

/** Objects that cannot be read, or that are not what they should be, are the archive's fault here. */
function asRefusal(error: unknown): unknown {
  return error instanceof Failure && error.code === "checkpoint_damaged"
    ? refusal(error.message)
    : error;
}

/** Reachable ones, not only present: nobody promises to keep the others. */
async function refuseMissingBasis(repository: Repository, basis: readonly string[]): Promise<void> {
  const missing: string[] = [];
  for (const oid of basis) {
    const args = ["for-each-ref", "--count=1", "--format=x", `--contains=${oid}`];
    const places = [...new Set([repository.project, repository])];
    const results = places.map((place) => runGit(place, args, { accept: [0, 128, 129] }));
    const isReached = (await Promise.all(results)).some(
      ({ exitCode, stdout }) => exitCode === 0 && stdout.length > 0,
    );
    if (!isReached) missing.push(oid);
  }
  if (missing.length === 0) return;
  throw new Failure(
    "archive_refused",
    `the archive builds on ${missing.length} commits that this repository does not have: ${missing.slice(0, 5).join(", ")}`,
    {
      hint:
        "Fetch them with `git fetch` from a remote of the project and import again, or export without --since and --thin. " +
        "Nothing was imported.",
      details: { missing },
    },
  );
}
