/** The keeper of file backups for a git work tree. */
import type { CapturePolicy } from "../../domain/capture-policy.ts";
import { pathMatcher } from "../../domain/path-pattern.ts";
import { isSensitiveName } from "../../domain/sensitive-name.ts";
import { SILENT, type Progress } from "../../ports/progress.ts";
import { FileBackupKeeper } from "../files/backup/file-backup-keeper.ts";
import type { SecretTest } from "../files/backup/select-files.ts";
import { foldsCase } from "./folds-case.ts";
import { ignoredFiles } from "./ignored-files.ts";
import { excludeOwnFolder } from "./own-folder.ts";
import type { Repository } from "./repository.ts";
import { otherWorkTrees } from "./work-tree-roots.ts";

export interface FileBackupSettings {
  readonly policy: CapturePolicy;
  readonly progress?: Progress;
  /** Looks into files as well; not given: only names count. */
  readonly isSecret?: SecretTest;
}

export async function gitFileBackups(
  repository: Repository,
  { policy, progress = SILENT, isSecret }: FileBackupSettings,
): Promise<FileBackupKeeper> {
  return new FileBackupKeeper({
    root: repository.workTree,
    policy,
    progress,
    foldsCase: await foldsCase(repository),
    ignored: (below) => ignoredFiles(repository, below),
    isSecret: isSecret ?? secretNames(policy),
    otherRoots: () => otherWorkTrees(repository),
    excludeOwnFolder: () => excludeOwnFolder(repository),
  });
}

function secretNames({ excludeSensitive, sensitivePatterns }: CapturePolicy): SecretTest {
  const more = pathMatcher(sensitivePatterns, { ignoreCase: true });
  return (path) => excludeSensitive && (isSensitiveName(path) || more(path, false));
}
