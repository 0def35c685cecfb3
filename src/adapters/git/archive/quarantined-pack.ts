/** A pack in the quarantine, where git reads its objects and nothing else of the repository (or that beside it). */
import { openSync, closeSync } from "node:fs";
import { join } from "node:path";
import { makeFolders } from "../../files/make-folders.ts";
import type { ArchiveLimits } from "../../../domain/archive.ts";
import { Failure } from "../../../domain/failure.ts";
import type { Progress } from "../../../ports/progress.ts";
import { ObjectReader } from "../object-reader.ts";
import { Quarantine } from "../quarantine.ts";
import { alternates } from "../git-environment.ts";
import type { Repository } from "../repository.ts";
import { runGit } from "../run-git.ts";
import type { BundleHeader } from "./bundle-header.ts";
import { archiveBytes, copyArchive, type CopiedArchive } from "./copy-archive.ts";
import { refusal } from "./refusal.ts";
import { scanPack, type PackSize } from "./scan-pack.ts";

/**
 * What `git fsck --strict` calls an error and old programs wrote for years: it does no harm, and the history of many
 * projects has it.
 */
const HARMLESS = [
  "zeroPaddedFilemode",
  "missingSpaceBeforeDate",
  "missingSpaceBeforeEmail",
  "missingNameBeforeEmail",
  "missingEmail",
  "badEmail",
  "badName",
  "badDate",
  "badDateOverflow",
  "badTimezone",
  "zeroPaddedDate",
  "multipleAuthors",
  "nulInCommit",
  "missingTaggerEntry",
];

export interface QuarantinedPack extends CopiedArchive {
  readonly quarantine: Quarantine;
  /** The pack file, with its index beside it. */
  readonly path: string;
  /** As git names it. */
  readonly hash: string;
  readonly size: PackSize;
  readonly reader: ObjectReader;
  /** Settings with which git sees only what is in the pack. */
  readonly only: Readonly<Record<string, string>>;
  readonly discard: () => void;
}

export interface PackChecks {
  readonly limitsFor: (bytes: number) => ArchiveLimits;
  /** strict: the form of every object, and that what it names is there. ids: only that each is the one that its id says. */
  readonly objects: "strict" | "ids";
  /** Looks at the list of refs before the objects are. */
  readonly header?: (header: BundleHeader) => Promise<void>;
}

/** Every object is counted, hashed and looked at by git before this returns. */
export async function quarantinePack(
  repository: Repository,
  file: string,
  checks: PackChecks,
  progress: Progress,
): Promise<QuarantinedPack> {
  const bytes = archiveBytes(file);
  const limits = checks.limitsFor(bytes);
  if (bytes > limits.contentBytes) throw refusal("it is larger than --max-size-mb allows");
  const quarantine = new Quarantine(repository);
  try {
    const objects = quarantine.path("objects");
    makeFolders(join(objects, "pack"), 0o700);
    const path = join(objects, "pack", "incoming.pack");
    const copied = await step(progress, "reading", { bytes }, (advance) =>
      copyArchive(file, path, (count) => advance(0, count)),
    );
    if (copied.header.hash !== repository.hash) {
      throw refusal(
        `its objects use ${copied.header.hash}, those of this repository ${repository.hash}`,
      );
    }
    await checks.header?.(copied.header);
    const fd = openSync(path, "r");
    let size: PackSize;
    try {
      size = await step(progress, "checking sizes", { bytes: copied.packBytes }, (advance) =>
        scanPack(fd, copied.packBytes, repository.hash, limits, (bytes) => advance(0, bytes)),
      );
    } finally {
      closeSync(fd);
    }
    const only = { GIT_OBJECT_DIRECTORY: objects };
    const env =
      copied.header.basis.length === 0 || checks.objects === "ids"
        ? only
        : { ...only, ...alternates(join(repository.commonDir, "objects")) };
    const hash = await indexPack(repository, path, env, checks.objects, progress);
    const reader = new ObjectReader(repository, env);
    const discard = (): void => {
      reader.close();
      quarantine.discard();
    };
    return { ...copied, quarantine, path, hash, size, reader, only, discard };
  } catch (error) {
    quarantine.discard();
    throw error;
  }
}

async function indexPack(
  repository: Repository,
  path: string,
  env: Readonly<Record<string, string>>,
  check: PackChecks["objects"],
  progress: Progress,
): Promise<string> {
  const strict =
    check === "ids" ? [] : [`--strict=${HARMLESS.map((id) => `${id}=ignore`).join(",")}`];
  // Large files are read in pieces instead of being held in memory.
  const settings = ["-c", "pack.writeReverseIndex=false", "-c", "core.bigFileThreshold=16m"];
  try {
    const { stdout } = await runGit(
      repository,
      [...settings, "index-pack", "-v", ...strict, path],
      { env, progress },
    );
    return stdout.toString("latin1").trim();
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== "git_failed") throw error;
    const { stderr } = error.details;
    const said = typeof stderr === "string" ? stderr : error.message;
    throw refusal(`git says: ${said.replaceAll(/^(?:fatal|error): /gm, "")}`);
  }
}

async function step<Result>(
  progress: Progress,
  label: string,
  total: { items?: number; bytes?: number },
  work: (advance: (items: number, bytes?: number) => void) => Promise<Result>,
): Promise<Result> {
  const task = progress.begin(label, total);
  try {
    return await work((items, bytes) => task.advance(items, bytes));
  } finally {
    task.end();
  }
}
