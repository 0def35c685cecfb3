/**
 * What the round-trip and model tests need from Waymark, and nothing more, so that the same tests run against the
 * command line and against the library in the same process.
 */
import { type CliResult, said, waymark } from "./cli.ts";
import { field, flag, items, text } from "./json.ts";

export interface Created {
  readonly id: string;
  readonly unchanged: boolean;
  readonly excluded: readonly { readonly path: string; readonly reason: string }[];
}

export type RollbackOutcome =
  | {
      readonly kind: "rolled_back";
      readonly match: boolean;
      /** Undefined: nothing differed, so nothing was done and there is nothing to undo. */
      readonly undoCheckpointId: string | undefined;
    }
  | { readonly kind: "refused"; readonly reason: string };

/** Every method acts on one project and leaves nothing running. */
export interface Driver {
  /** Always makes a new checkpoint, also when nothing changed. Throws when it cannot. */
  create(): Promise<Created>;
  /** With consent to everything: no question, commits may leave their branch. */
  rollBack(id: string): Promise<RollbackOutcome>;
  undo(): Promise<RollbackOutcome>;
  redo(): Promise<RollbackOutcome>;
}

export function cliDriver(project: string, env: NodeJS.ProcessEnv): Driver {
  const run = (...args: readonly string[]): Promise<CliResult> => waymark(project, args, { env });
  return {
    async create() {
      return created(await run("create", "--force", "-m", "round trip"));
    },
    async rollBack(id) {
      return outcome(await run("rollback", id, "--yes", "--discard-commits"));
    },
    async undo() {
      return outcome(await run("undo", "--yes", "--discard-commits"));
    },
    async redo() {
      return outcome(await run("redo", "--yes", "--discard-commits"));
    },
  };
}

/** Reads the answer of `create --json`; throws with everything that was said when it is not one. */
export function created(result: CliResult): Created {
  if (result.code !== 0 || field(result.json, "kind") !== "checkpoint_created") {
    throw new Error(`create failed: ${said(result)}`);
  }
  return {
    id: text(result.json, "checkpoint", "id"),
    unchanged: flag(result.json, "unchanged"),
    excluded: items(result.json, "checkpoint", "coverage", "excluded").map((entry) => ({
      path: text(entry, "path"),
      reason: text(entry, "reason"),
    })),
  };
}

function outcome(result: CliResult): RollbackOutcome {
  if (result.code !== 0) {
    return { kind: "refused", reason: said(result) };
  }
  const isDone = flag(result.json, "rolled_back") || flag(result.json, "unchanged");
  if (field(result.json, "kind") !== "rollback" || !isDone) {
    throw new Error(`exit 0, but no rollback was reported: ${said(result)}`);
  }
  const undoCheckpointId = field(result.json, "undo_checkpoint_id");
  return {
    kind: "rolled_back",
    match: flag(result.json, "verification", "match"),
    undoCheckpointId: typeof undoCheckpointId === "string" ? undoCheckpointId : undefined,
  };
}
