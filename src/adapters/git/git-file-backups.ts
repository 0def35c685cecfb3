/** The keeper of file backups for a git work tree. */
import { join } from "node:path";
import { gitAt } from "../../domain/by-hand.ts";
import type { CapturePolicy } from "../../domain/capture-policy.ts";
import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { isLookedInto, verdictOf } from "../../domain/secrets/judge-file.ts";
import { nameKinds } from "../../domain/sensitive-name.ts";
import { SILENT, type Progress } from "../../ports/progress.ts";
import { FileBackupKeeper } from "../files/backup/file-backup-keeper.ts";
import { scanContent, SCANNED_BYTES } from "../files/scan-content.ts";
import type { SecretTest } from "../files/backup/select-files.ts";
import { foldsCase } from "./folds-case.ts";
import { ignoredFiles } from "./ignored-files.ts";
import type { ObjectReader } from "./object-reader.ts";
import { PartShelf } from "./part-shelf.ts";
import type { Repository } from "./repository.ts";

export interface FileBackupSettings {
  readonly policy: CapturePolicy;
  readonly progress?: Progress;
}

export async function gitFileBackups(
  repository: Repository,
  reader: ObjectReader,
  { policy, progress = SILENT }: FileBackupSettings,
): Promise<FileBackupKeeper> {
  return new FileBackupKeeper({
    root: repository.workTree,
    policy,
    progress,
    foldsCase: await foldsCase(repository),
    ignored: (below) => ignoredFiles(repository, below),
    isSecret: secretTest(policy),
    beginShelf: () => PartShelf.begin(repository, reader),
    stagings: join(repository.privateDir, "restore"),
    git: gitAt(repository.store.commonDir),
  });
}

function secretTest(policy: CapturePolicy): SecretTest {
  if (!policy.excludeSensitive) return () => undefined;
  const kindOf = nameKinds(policy.sensitivePatterns);
  return (path, at) => {
    const kind = kindOf(path);
    const isLooked = isLookedInto(kind, policy.scanContent);
    const verdict = verdictOf(kind, isLooked ? scanContent(headOf(at), kind) : undefined);
    // Copies never leave the machine, so what is only suspected may be held.
    return verdict?.isSure === true ? verdict.why : undefined;
  };
}

/** Nothing of a file that cannot be read: whoever copies it says so. */
function headOf(at: Buffer): Buffer {
  let fd: number;
  try {
    fd = openSync(at, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch {
    return Buffer.alloc(0);
  }
  try {
    const head = Buffer.alloc(Math.min(SCANNED_BYTES, Math.max(0, fstatSync(fd).size)));
    return head.subarray(0, readSync(fd, head, 0, head.length, 0));
  } finally {
    closeSync(fd);
  }
}
