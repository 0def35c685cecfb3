/** What a checkpoint is asked to be, and what came of it. */
import type { StepMark } from "../domain/agents/step-mark.ts";
import type { BytePath } from "../domain/byte-path.ts";
import type { CheckpointDocument, Trigger } from "../domain/checkpoint.ts";
import type { PartType } from "../domain/parts.ts";
import type { HeldPart } from "../ports/part-keeper.ts";
import type { PartAsk } from "../ports/part-keepers.ts";
import type { Capture } from "../ports/work-tree.ts";

export interface CreateRequest {
  readonly trigger?: Trigger;
  readonly sessionId?: string;
  readonly name?: string;
  readonly reason?: string;
  readonly description?: string;
  readonly phase?: string;
  readonly step?: number;
  readonly taskId?: string;
  readonly issueNumber?: number;
  readonly workflowState?: string;
  readonly metrics?: Readonly<Record<string, unknown>>;
  readonly expiresAt?: string;
  readonly durability?: "safe" | "fast";
  /** Make one even when nothing changed. */
  readonly force?: boolean;
  /** Make none when nothing changed since the last one, whatever the trigger. */
  readonly skipSame?: boolean;
  /** Captured whatever the rules say. */
  readonly include?: ReadonlySet<BytePath>;
  /** Files that are captured although git ignores them. */
  readonly evenIfIgnored?: ReadonlySet<BytePath>;
  /** Files, and folders with all that is below, to hold although they look like secrets. One that is no such thing is an error. */
  readonly includeSecrets?: readonly BytePath[];
  /** Commits to keep alive: old tips of refs that are about to move. */
  readonly keepAlive?: readonly string[];
  /** Refs that are about to move, with the values they have now. */
  readonly refs?: Readonly<Record<string, string | null>>;
  /** Patterns that it is limited to (`src/domain/scope.ts`): each must match something. */
  readonly scope?: readonly string[];
  /** What it is for: refused when it would not hold that. */
  readonly type?: PartType;
  /** What to hold beside the work tree. */
  readonly parts?: readonly PartAsk[];
  /** For a safety checkpoint: parts whose things it has to hold as they are now. */
  readonly partsLike?: readonly HeldPart[];
  /** For a safety checkpoint: the task that the rollback is about to change. */
  readonly holdsTask?: string;
  /** The step of an agent that it is taken for. */
  readonly agentStep?: StepMark;
  /** The capture is not of what is there: a rollback will make the project equal to it. */
  readonly isWorkedOut?: boolean;
  /** Ids of objects that are missing or damaged: the checkpoint holds them anew. */
  readonly distrusted?: ReadonlySet<string>;
  /** A capture of this very moment that the caller already has. */
  readonly capture?: Capture;
}

export interface CreateResult {
  readonly kind: "created" | "unchanged";
  readonly checkpoint: CheckpointDocument;
  /** The one before a new one; undefined: it is the first. */
  readonly previous?: CheckpointDocument | undefined;
  /** Of the work tree alone, as captures have it. */
  readonly gitSameness: string;
  readonly warnings: readonly string[];
}
