/** Whether the session itself, and what it needs, is there to go on with. */
import { heldText } from "../lease.ts";
import { mayBecome } from "../session-status.ts";
import { finding, type Finding } from "./finding.ts";
import type { PresentMoment, RecordedMoment } from "./moments.ts";

export function sessionFindings(recorded: RecordedMoment, now: PresentMoment): Finding[] {
  const { sessionId, formatVersion, status } = recorded;
  const found: Finding[] = [];
  if (formatVersion > now.formatVersion) {
    const message = `session ${sessionId} was written by a newer Waymark (format ${formatVersion})`;
    found.push(finding("session_newer", message, { version: formatVersion }));
  }
  if (!mayBecome(status, "active")) {
    found.push(finding("session_ended", `session ${sessionId} is ${status}`, { status }));
  }
  return [...found, ...heldFinding(recorded, now), ...workTreeFinding(recorded, now)];
}

function heldFinding({ sessionId }: RecordedMoment, { heldBy, at: now }: PresentMoment): Finding[] {
  if (heldBy === null || heldBy.holder === null) return [];
  const { holder, purpose, acquired_at, renewed_at, token } = heldBy;
  return [
    finding("session_held", heldText(sessionId, heldBy, now), {
      holder,
      purpose,
      acquired_at,
      renewed_at,
      token,
    }),
  ];
}

function workTreeFinding({ worktreeId }: RecordedMoment, now: PresentMoment): Finding[] {
  if (worktreeId === null || worktreeId === now.worktreeId) return [];
  const message = `the session ran in work tree ${worktreeId}; this is ${now.worktreeId}`;
  return [finding("other_work_tree", message, { from: worktreeId, to: now.worktreeId })];
}

export function checkpointFindings({ checkpoint }: RecordedMoment, now: PresentMoment): Finding[] {
  const instead = now.lastValidId === null ? "" : `; the last valid one is ${now.lastValidId}`;
  const found = [
    ...now.newerCheckpoints.map(({ id, version }) =>
      finding(
        "checkpoint_newer",
        `checkpoint ${id} was written by a newer Waymark (format ${version})`,
        { id, version },
      ),
    ),
    ...now.damagedCheckpoints.map(({ id, problem }) =>
      finding("checkpoint_damaged", `checkpoint ${id} is damaged: ${problem}${instead}`, {
        id,
        problem,
        last_valid: now.lastValidId,
      }),
    ),
  ];
  // One that cannot be read is no reason to say that there is none.
  if (checkpoint !== null || found.length > 0) return found;
  return [finding("no_checkpoint", "the session has no checkpoint")];
}

/** Files and state that the session refers to: each missing one is named. */
export function referenceFindings({ missingOutputs, missingStates }: PresentMoment): Finding[] {
  return [
    ...missingOutputs.map(({ path, of }) =>
      finding("output_missing", `${path} (${of}) is missing`, { path, of }),
    ),
    ...missingStates.map((id) =>
      finding("state_missing", `the saved state was lost with checkpoint ${id}`, { id }),
    ),
  ];
}

export function definitionFindings({ definition }: RecordedMoment, now: PresentMoment): Finding[] {
  if (definition === null || definition.digest === now.definitionDigest) return [];
  const { path, digest: recorded } = definition;
  const current = now.definitionDigest;
  if (current === null)
    return [finding("workflow_missing", `${path} is missing`, { path, recorded })];
  const message = `${path} changed since the session started: use the recorded or the current version?`;
  return [finding("workflow_changed", message, { path, recorded, current })];
}
