/** The keepers of what checkpoints hold beside the work tree. Loaded with the first checkpoint that has any. */
import { join } from "node:path";
import { gitAt } from "./domain/by-hand.ts";
import type { CapturePolicy } from "./domain/capture-policy.ts";
import type { Config } from "./domain/config.ts";
import type { Progress } from "./ports/progress.ts";
import type { ObjectReader } from "./adapters/git/object-reader.ts";
import type { Repository } from "./adapters/git/repository.ts";
import type { Project } from "./operations/project.ts";
import { sessionState } from "./operations/session-state.ts";
import type { ExtraPartType } from "./domain/parts.ts";
import type { KeeperOfType, PartKeepers } from "./ports/part-keepers.ts";

const MIB = 1024 * 1024;

export interface KeeperParts {
  readonly repository: Repository;
  readonly reader: ObjectReader;
  /** Where the user is. */
  readonly directory: string;
  readonly config: Config;
  readonly policy: CapturePolicy;
  readonly progress: Progress;
  readonly stores: Pick<Project, "sessions" | "checkpoints">;
}

/** Each is made once: on the way back a keeper knows what it made on the way there. */
export function keepersOf(parts: KeeperParts): PartKeepers {
  const made = new Map<string, Promise<unknown>>();
  return {
    keeper: <Type extends ExtraPartType>(type: Type, sessionId: string) => {
      const key = `${type} ${sessionId}`;
      const found = made.get(key) ?? LOADERS[type](parts, sessionId);
      made.set(key, found);
      return found as Promise<KeeperOfType[Type]>;
    },
  };
}

type Loaders = {
  readonly [Type in ExtraPartType]: (
    parts: KeeperParts,
    sessionId: string,
  ) => Promise<KeeperOfType[Type]>;
};

const LOADERS: Loaders = {
  state_snapshot: async ({ repository, config, policy, stores }, sessionId) => {
    const [{ StateKeeper }, { secretLook }] = await Promise.all([
      import("./adapters/files/state/state-keeper.ts"),
      import("./adapters/files/state/state-secrets.ts"),
    ]);
    return new StateKeeper({
      root: repository.workTree,
      git: gitAt(repository.store.commonDir),
      maxBytes: config.capture.maxStateMb * MIB,
      secrets: secretLook(policy),
      current: (name) => sessionState(stores, sessionId, name),
    });
  },
  file_backup: async ({ repository, reader, policy, progress }) => {
    const { gitFileBackups } = await import("./adapters/git/git-file-backups.ts");
    return gitFileBackups(repository, reader, { policy, progress });
  },
  database_savepoint: async ({ repository, config, directory, progress }) => {
    const { DatabaseKeeper } = await import("./adapters/database/database-keeper.ts");
    return new DatabaseKeeper({
      root: repository.workTree,
      directory,
      temporary: join(repository.privateDir, "tmp"),
      maxBytes: config.capture.maxDatabaseMb * MIB,
      progress,
      env: process.env,
      git: gitAt(repository.store.commonDir),
    });
  },
};
