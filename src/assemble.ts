/** Everything that stands behind a project's ports, put together. */
import { randomBytes } from "node:crypto";
import { hostname } from "node:os";
import { basename, dirname, join } from "node:path";
import { policyOf, withoutLimits } from "./domain/capture-policy.ts";
import type { CheckpointDocument } from "./domain/checkpoint.ts";
import { DEFAULT_CONFIG } from "./domain/config.ts";
import type { ResolvedConfig } from "./domain/config-resolution.ts";
import { NEVER_INTERRUPTED } from "./ports/interruption.ts";
import type { HeldSecrets } from "./ports/held-secrets.ts";
import type { PartKeepers } from "./ports/part-keepers.ts";
import { SILENT } from "./ports/progress.ts";
import { DiskAgentMemory } from "./adapters/agents/disk-agent-memory.ts";
import { elsewhereMemory } from "./adapters/agents/elsewhere-memory.ts";
import { FilesAuditLog } from "./adapters/files/files-audit-log.ts";
import { hasSettings } from "./adapters/files/has-settings.ts";
import { OWN_FOLDER } from "./adapters/files/own-folder-name.ts";
import { fromRoot } from "./adapters/files/real-path.ts";
import { ProcessLiveness } from "./adapters/files/process-liveness.ts";
import { GitBranches } from "./adapters/git/git-branches.ts";
import { GitCheckpointStore } from "./adapters/git/git-checkpoint-store.ts";
import { GitCleanupLog } from "./adapters/git/git-cleanup-log.ts";
import { GitCurrentSession } from "./adapters/git/git-current-session.ts";
import { GitGuards } from "./adapters/git/git-guards.ts";
import { GitLatestHint } from "./adapters/git/git-latest-hint.ts";
import { GitNotes } from "./adapters/git/git-notes.ts";
import { GitSessionStore } from "./adapters/git/git-session-store.ts";
import { GitWorkTree } from "./adapters/git/git-work-tree.ts";
import { areCommandsTrusted, trustCommands } from "./adapters/git/made-here.ts";
import { ObjectReader } from "./adapters/git/object-reader.ts";
import { runLockPath } from "./adapters/git/own-locks.ts";
import { sweepQuarantine } from "./adapters/git/quarantine.ts";
import { openRepository, type Repository } from "./adapters/git/repository.ts";
import { sweepAside } from "./adapters/git/restore/aside.ts";
import { GitRestorer } from "./adapters/git/restore/git-restorer.ts";
import { sha256 } from "./adapters/git/sha256.ts";
import { giveToOwner } from "./adapters/git/sharing.ts";
import { sweepTemporary } from "./adapters/git/sweep-temporary.ts";
import { login, userName } from "./adapters/git/user-name.ts";
import type { Project } from "./operations/project.ts";
import type { OpenOptions } from "./app.ts";

const PLAIN: Pick<ResolvedConfig, "config" | "problems" | "warnings" | "asks"> = {
  config: DEFAULT_CONFIG,
  problems: [],
  warnings: [],
  asks: [],
};

export async function projectOf(repository: Repository, options: OpenOptions): Promise<Project> {
  const isPlain = !hasSettings(repository.workTree, process.env);
  const { config, problems, warnings, asks } = isPlain ? PLAIN : await loadConfig(repository);
  if (problems.length > 0 && options.onBadConfig !== "warn") {
    const { configFailure } = await import("./domain/config-resolution.ts");
    throw configFailure(problems);
  }
  for (const warning of warnings) options.warn?.(warning);
  for (const { message } of problems) options.warn?.(`${message}; the default is used`);
  const policy = problems.length > 0 ? withoutLimits(policyOf(config)) : policyOf(config);
  const limits = { ...policy, ...options.policy };
  const reader = new ObjectReader(repository.store);
  const heldSecrets: HeldSecrets = later(async () => {
    const { GitHeldSecrets } = await import("./adapters/git/git-held-secrets.ts");
    return new GitHeldSecrets(repository, reader);
  });
  const tagUnlessHeld = async (document: CheckpointDocument): Promise<string | undefined> => {
    const { heldBack } = await import("./operations/check-secrets.ts");
    return heldBack({ heldSecrets, config, progress: SILENT }, document);
  };
  const { tags } = config.git;
  const tagging = tags === false ? {} : { tags, tagUnlessHeld };
  const stores = {
    checkpoints: new GitCheckpointStore(repository, reader, {
      ...tagging,
      progress: options.progress,
    }),
    sessions: new GitSessionStore(repository, reader, options.warn),
  };
  let keepers: PartKeepers | undefined;
  return {
    ...stores,
    git: `git --git-dir=${fromRoot(repository.workTree, repository.store.gitDir)}`,
    exports: fromRoot(repository.workTree, join(repository.ownFolder, "exports")),
    currentSession: new GitCurrentSession(repository),
    liveness: new ProcessLiveness(login()),
    within: process.env["WAYMARK_SESSION"] || undefined,
    workTree: new GitWorkTree(repository, reader, options.progress, options.looksOnly),
    parts: {
      keeper: async (type, sessionId) => {
        const { keepersOf } = await import("./assemble-parts.ts");
        keepers ??= keepersOf({
          repository,
          reader,
          directory: options.directory,
          config,
          stores,
          policy: limits,
          progress: options.progress ?? SILENT,
        });
        return keepers.keeper(type, sessionId);
      },
    },
    tasks: later(async () => {
      const { BacklogTasks } = await import("./adapters/backlog/backlog-tasks.ts");
      return new BacklogTasks(repository.workTree);
    }),
    restorer: new GitRestorer(repository, reader, options.progress),
    branches: new GitBranches(repository),
    differ: later(async () => {
      const { GitDiffer } = await import("./adapters/git/git-differ.ts");
      return new GitDiffer(repository, reader);
    }),
    holdings: later(async () => {
      const { GitHoldings } = await import("./adapters/git/git-holdings.ts");
      return new GitHoldings(repository);
    }),
    heldSecrets,
    cleanupLog: new GitCleanupLog(repository),
    audit: new FilesAuditLog({
      folder: repository.auditFolder,
      earlier: join(repository.workTree, OWN_FOLDER),
      lock: join(repository.privateDir, "audit.lock"),
      warn: (message) => options.warn?.(message),
    }),
    stashes: later(async () => {
      const { GitStashes } = await import("./adapters/git/stash/git-stashes.ts");
      return new GitStashes(repository, reader);
    }),
    notes: new GitNotes(repository),
    agentMemory: new DiskAgentMemory(join(repository.privateDir, "agents")),
    agentMemoryElsewhere: elsewhereMemory(repository.workTree),
    guards: new GitGuards(repository, process.env),
    commands: later(async () => {
      const { NodeCommands } = await import("./adapters/processes/node-commands.ts");
      return new NodeCommands();
    }),
    commandTrust: {
      has: (sessionId, definition) => areCommandsTrusted(repository, sessionId, definition),
      add: (sessionId, definition) => trustCommands(repository, sessionId, definition),
    },
    runFiles: later(async () => {
      const { DiskRunFiles } = await import("./adapters/files/disk-run-files.ts");
      return new DiskRunFiles({
        root: repository.workTree,
        folder: repository.ownFolder,
        lock: runLockPath(repository),
      });
    }),
    workflowFiles: later(async () => {
      const { YamlWorkflowFiles } = await import("./adapters/files/yaml-workflow-files.ts");
      const { secrets } = config;
      return new YamlWorkflowFiles({
        root: repository.workTree,
        directory: options.directory,
        secrets,
      });
    }),
    issues: later(async () => {
      const { GhIssues } = await import("./adapters/issues/gh-issues.ts");
      return new GhIssues({ folder: repository.workTree, env: process.env });
    }),
    namedFiles: later(async () => {
      const { DiskNamedFiles } = await import("./adapters/files/disk-named-files.ts");
      return new DiskNamedFiles(repository.workTree);
    }),
    archives: async () => {
      const { GitArchives } = await import("./adapters/git/archive/git-archives.ts");
      return new GitArchives(repository);
    },
    storage: async () => {
      const { GitStorage } = await import("./adapters/git/store/git-storage.ts");
      return new GitStorage(repository, reader);
    },
    rebuilder: async () => {
      const { GitRebuilder } = await import("./adapters/git/rebuild/git-rebuilder.ts");
      return new GitRebuilder(repository, reader);
    },
    isolated: later(async () => {
      const { GitIsolatedWorkTrees } =
        await import("./adapters/git/isolated/git-isolated-work-trees.ts");
      return new GitIsolatedWorkTrees(repository, reader, config.isolation.place);
    }),
    fileHistories: later(async () => {
      const { GitFileHistories } = await import("./adapters/git/selective/git-file-histories.ts");
      return new GitFileHistories(repository, reader);
    }),
    openAt: async (other) =>
      projectOf(await openRepository(other), {
        ...options,
        directory: other,
        onBadConfig: "warn",
      }),
    oldFormats: async () => {
      const { FilesOldFormats } = await import("./adapters/old-formats/files-old-formats.ts");
      return new FilesOldFormats();
    },
    codeStates: async () => {
      const { GitCodeStates } = await import("./adapters/git/code-states/git-code-states.ts");
      return new GitCodeStates(repository, reader);
    },
    latestHint: new GitLatestHint(repository),
    clock: { now: () => new Date(), fourDigits: () => randomBytes(2).toString("hex") },
    sha256,
    policy: limits,
    config,
    consentAsks: asks,
    progress: options.progress ?? SILENT,
    interruption: options.interruption ?? NEVER_INTERRUPTED,
    warn: options.warn ?? (() => undefined),
    actor: {
      get user() {
        return userName(repository);
      },
      host: hostname(),
      pid: process.pid,
      agent: null,
      agent_session_id: null,
      tool_use_id: null,
      ...options.agent,
    },
    sweep: () => {
      sweepQuarantine(repository);
      sweepTemporary(repository);
    },
    sweepKept: async () => {
      await sweepAside(repository, options.progress ?? SILENT);
    },
    close: () => {
      reader.close();
      giveToOwner(repository);
    },
  };
}

/** Every setting of the project in this folder, and where it came from. */
export async function loadConfig(repository: Repository): Promise<ResolvedConfig> {
  const { readSettings } = await import("./adapters/files/config-files.ts");
  const cache = join(repository.privateDir, "config-cache.json");
  return readSettings(repository.workTree, cache, process.env, mainRoot(repository));
}

/** The work tree that the others of the repository are linked to, where it has one. */
export function mainRoot({ commonDir, workTree }: Repository): string {
  return basename(commonDir) === ".git" ? dirname(commonDir) : workTree;
}

type AsyncPort<Port> = {
  readonly [Name in keyof Port]: (...args: never[]) => Promise<unknown>;
};

/** A port whose adapter is loaded with its first use: most commands do not need it, and each one pays for what is loaded. */
function later<Port extends AsyncPort<Port>>(load: () => Promise<Port>): Port {
  let loading: Promise<Port> | undefined;
  const forward =
    (name: string | symbol) =>
    async (...args: never[]): Promise<unknown> => {
      const port = await (loading ??= load());
      return port[name as keyof Port](...args);
    };
  // Nobody may take it for a promise.
  const get = (_port: Port, name: string | symbol) => (name === "then" ? undefined : forward(name));
  return new Proxy({} as Port, { get });
}
