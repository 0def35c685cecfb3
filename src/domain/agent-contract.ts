/**
 * What agents are told beside the facts: how sure they can be, what proves it, what it rests on, and what is safe to do now.
 * docs/agent-contract.md explains each number.
 */
import { extraPartsOf, type CheckpointDocument, type ExclusionReason } from "./checkpoint.ts";
import type { ExtraPart } from "./parts.ts";
import type { RollbackKind } from "./session.ts";

export interface Grounding {
  /** 0 to 1: what the checks that ran leave open. */
  readonly confidence: number;
  readonly evidence_anchors: readonly string[];
  readonly assumptions: readonly string[];
}

/** Something that a check found, and how much less sure one can be because of it. */
interface Doubt {
  readonly weight: number;
  readonly applies: boolean;
}

function confidence(doubts: readonly Doubt[]): number {
  const sum = doubts.reduce((total, { weight, applies }) => total + (applies ? weight : 0), 0);
  return Math.round(Math.max(0, 1 - sum) * 100) / 100;
}

const LEFT_OUT: readonly ExclusionReason[] = ["over_budget", "unreadable", "special_file"];
const SECRET: readonly ExclusionReason[] = ["sensitive", "sensitive_content"];

/** What the capture found when it read the project. */
function captureDoubts(document: CheckpointDocument): Doubt[] {
  const { coverage, durability } = document;
  const has = (reasons: readonly ExclusionReason[]): boolean =>
    coverage.excluded.some(({ reason }) => reasons.includes(reason));
  return [
    { weight: 0.2, applies: coverage.unstable.length > 0 },
    { weight: 0.2, applies: extraPartsOf(document).some(isBeyondRights) },
    { weight: 0.1, applies: has(LEFT_OUT) },
    { weight: 0.05, applies: has(SECRET) },
    { weight: 0.05, applies: durability === "fast" },
  ];
}

function isBeyondRights(part: ExtraPart): boolean {
  return part.type === "database_savepoint" && part.restorable === false;
}

/** `git`: how git finds the checkpoints in the root of the project. */
export function createdGrounding(
  document: CheckpointDocument,
  isNew: boolean,
  git: string,
): Grounding {
  return {
    // An older one was checked when it was made, not now.
    confidence: confidence([...captureDoubts(document), { weight: 0.05, applies: !isNew }]),
    evidence_anchors: anchorsOf(document, git),
    assumptions: assumptionsOf(document),
  };
}

const CONTENT =
  "conflicts database files index outputs.json outputs.source state.json state.source";

/** What content_hash is the digest of. */
function contentCommand({ id, local }: CheckpointDocument, git: string): string {
  const ref = `refs/waymark/cp/${id}`;
  return local?.worktree === undefined
    ? `${git} ls-tree ${ref} -- ${CONTENT} worktree | sha256sum`
    : `(${git} ls-tree ${ref} -- ${CONTENT}; ${git} ls-tree refs/waymark/local/${id} -- worktree) | sha256sum`;
}

function anchorsOf(document: CheckpointDocument, git: string): string[] {
  const { id } = document;
  const ref = `refs/waymark/cp/${id}`;
  return [
    `checkpoint:${id}`,
    `tool:bash:${git} rev-parse --verify ${ref}`,
    `tool:bash:${contentCommand(document, git)}`,
    ...(document.local === undefined
      ? []
      : [`tool:bash:${git} rev-parse --verify refs/waymark/local/${id}`]),
  ];
}

function assumptionsOf(document: CheckpointDocument): string[] {
  const { coverage, expires_at } = document;
  const ignored = coverage.excluded.filter(({ reason }) => reason === "ignored").length;
  const hasCopies = extraPartsOf(document).some(({ type }) => type === "file_backup");
  const stays = hasCopies
    ? "is captured only if it was copied (file_backup), and a rollback does not touch the rest"
    : "is not captured, and a rollback does not touch it";
  return [
    "the repository and the store in it stay where they are",
    ...(ignored === 0 ? [] : [`what git ignores ${stays}`]),
    ...(coverage.excluded_total > ignored ? [`what coverage.excluded lists ${stays}`] : []),
    ...(expires_at === null ? [] : [`it is used before ${expires_at}`]),
    ...extraPartsOf(document).flatMap((part) => {
      switch (part.type) {
        case "file_backup":
          return [];
        case "database_savepoint":
          return [`the database ${part.label} can be reached as now, with the same credentials`];
        case "state_snapshot":
          return [];
      }
    }),
  ];
}

export function nextSafeActions(document: CheckpointDocument): string[] {
  const { id } = document;
  return [
    "edit: change what the checkpoint covers; every change can be undone",
    `inspect: waymark diff ${id}`,
    "verify: waymark guard --verify '<test command>' -- <command>",
    `restore: ${document.restore_command}`,
  ];
}

/** In this order a rollback restores the parts; it is all of them or none. */
export function restoreOrder(document: CheckpointDocument): string[] {
  const order = ["git_stash", "file_backup", "state_snapshot", "database_savepoint"];
  const types = new Set<string>(document.parts.map(({ type }) => type));
  return order.filter((type) => types.has(type));
}

export interface RolledBack {
  readonly target: CheckpointDocument;
  readonly safety: CheckpointDocument;
  readonly match: boolean;
  /** Paths that were not restored because the checkpoint does not hold them. */
  readonly keptCount: number;
  readonly rollbackId: string;
}

export function rollbackGrounding(done: RolledBack, git: string): Grounding {
  const { target, safety } = done;
  return {
    confidence: confidence([
      { weight: 0.4, applies: !done.match },
      { weight: 0.2, applies: target.coverage.unstable.length > 0 },
      { weight: 0.05, applies: done.keptCount > 0 },
    ]),
    evidence_anchors: [
      `checkpoint:${target.id}`,
      `checkpoint:${safety.id}`,
      `journal:${done.rollbackId}`,
      `tool:bash:${git} rev-parse --verify refs/waymark/cp/${target.id}`,
      `tool:bash:${git} rev-parse --verify refs/waymark/cp/${safety.id}`,
    ],
    assumptions: [
      "programs that have files of the project open read them again",
      "nothing was changed after the rollback was verified",
    ],
  };
}

/** The command that takes a rollback back. What takes an undo back is a redo: another undo would go one rollback further. */
export function wayBack(kind: RollbackKind): "waymark undo" | "waymark redo" {
  return kind === "undo" ? "waymark redo" : "waymark undo";
}

export function nextActions(
  { target, safety }: Pick<RolledBack, "target" | "safety">,
  back: ReturnType<typeof wayBack>,
): string[] {
  return [
    "read: files that you have read before may have changed; read them again",
    `inspect: waymark diff ${target.id} ${safety.id}`,
    `undo: ${back} --yes`,
  ];
}
