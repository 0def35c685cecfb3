/** Everything that the operations need from a project. */
import type { AgentMemory } from "../ports/agent-memory.ts";
import type { Archives } from "../ports/archives.ts";
import type { AuditLog } from "../ports/audit-log.ts";
import type { CurrentSession } from "../ports/current-session.ts";
import type { Liveness } from "../ports/liveness.ts";
import type { CommandTrust } from "../ports/command-trust.ts";
import type { Commands } from "../ports/commands.ts";
import type { Guards } from "../ports/guards.ts";
import type { CheckpointStore } from "../ports/checkpoint-store.ts";
import type { Branches } from "../ports/branches.ts";
import type { FileHistories } from "../ports/file-histories.ts";
import type { Differ } from "../ports/differ.ts";
import type { CleanupLog } from "../ports/cleanup-log.ts";
import type { Clock } from "../ports/clock.ts";
import type { CodeStates } from "../ports/code-states.ts";
import type { Sha256 } from "../ports/digest.ts";
import type { HeldSecrets } from "../ports/held-secrets.ts";
import type { Holdings } from "../ports/holdings.ts";
import type { Issues } from "../ports/issues.ts";
import type { IsolatedWorkTrees } from "../ports/isolated-work-trees.ts";
import type { LatestHint } from "../ports/latest-hint.ts";
import type { Interruption } from "../ports/interruption.ts";
import type { Progress } from "../ports/progress.ts";
import type { ConsentAsk } from "../domain/config-consent.ts";
import type { Config } from "../domain/config.ts";
import type { NamedFiles } from "../ports/named-files.ts";
import type { Notes } from "../ports/notes.ts";
import type { OldFormats } from "../ports/old-formats.ts";
import type { PartKeepers } from "../ports/part-keepers.ts";
import type { Rebuilder } from "../ports/rebuilder.ts";
import type { RunFiles } from "../ports/run-files.ts";
import type { Restorer } from "../ports/restorer.ts";
import type { Storage } from "../ports/storage.ts";
import type { Stashes } from "../ports/stashes.ts";
import type { SessionStore } from "../ports/session-store.ts";
import type { WorkflowFiles } from "../ports/workflow-files.ts";
import type { Tasks } from "../ports/tasks.ts";
import type { WorkTree } from "../ports/work-tree.ts";
import type { CapturePolicy } from "../domain/capture-policy.ts";
import type { CreatedBy } from "../domain/checkpoint.ts";

export interface Project {
  readonly workTree: WorkTree;
  /** How git finds the checkpoints in the root of the project, for commands that people run by hand. */
  readonly git: string;
  /** Where exports are, from the root of the project. */
  readonly exports: string;
  readonly checkpoints: CheckpointStore;
  readonly sessions: SessionStore;
  readonly currentSession: CurrentSession;
  readonly liveness: Liveness;
  /** The session whose command this process is part of. */
  readonly within: string | undefined;
  readonly restorer: Restorer;
  /** What checkpoints hold beside the work tree. */
  readonly parts: PartKeepers;
  /** Of Backlog.md. */
  readonly tasks: Tasks;
  readonly branches: Branches;
  readonly differ: Differ;
  /** What files were at several moments. */
  readonly fileHistories: FileHistories;
  readonly holdings: Holdings;
  readonly heldSecrets: HeldSecrets;
  readonly cleanupLog: CleanupLog;
  readonly audit: AuditLog;
  readonly stashes: Stashes;
  readonly notes: Notes;
  /** What hooks of agents remember from one call to the next. */
  readonly agentMemory: AgentMemory;
  /** The same where that could not be reached. */
  readonly agentMemoryElsewhere: AgentMemory;
  readonly guards: Guards;
  /** Runs commands of the user. */
  readonly commands: Commands;
  /** Which commands of sessions may run without a question. */
  readonly commandTrust: CommandTrust;
  /** Logs and other files of workflows that run. */
  readonly runFiles: RunFiles;
  readonly workflowFiles: WorkflowFiles;
  readonly issues: Issues;
  readonly namedFiles: NamedFiles;
  /** Work trees of their own for nodes that run side by side. */
  readonly isolated: IsolatedWorkTrees;
  /** The project of another work tree of the same repository, such as an isolated one. */
  readonly openAt: (directory: string) => Promise<Project>;
  /** This and the next four are loaded when they are asked for: most commands do not need them. */
  readonly archives: () => Promise<Archives>;
  readonly storage: () => Promise<Storage>;
  readonly rebuilder: () => Promise<Rebuilder>;
  readonly oldFormats: () => Promise<OldFormats>;
  readonly codeStates: () => Promise<CodeStates>;
  readonly latestHint: LatestHint;
  readonly clock: Clock;
  readonly sha256: Sha256;
  readonly policy: CapturePolicy;
  readonly config: Config;
  /** Settings of the project's files that need the user's consent, with it or without. */
  readonly consentAsks: readonly ConsentAsk[];
  readonly progress: Progress;
  readonly interruption: Interruption;
  /** Tells whoever asks about something that does not keep the work from being done. */
  readonly warn: (message: string) => void;
  /** Who is asking. */
  readonly actor: CreatedBy;
  /** Removes what killed processes left behind. */
  readonly sweep: () => void;
  /** Removes files that earlier rollbacks moved aside, once they are old enough. Takes as long as they are many, so no checkpoint waits for it. */
  readonly sweepKept: () => Promise<void>;
  readonly close: () => void;
}
