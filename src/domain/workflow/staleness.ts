/**
 * Whether a session can be resumed as things are now: compares what it recorded with how things are, and says all that it
 * found. It decides and never acts.
 */
import { resumePoint, type ResumePoint } from "./resume-point.ts";
import { branchFindings, changeFindings } from "./staleness/change-findings.ts";
import type { Finding } from "./staleness/finding.ts";
import { issueFindings, labelNow } from "./staleness/issue-findings.ts";
import type { PresentMoment, RecordedMoment } from "./staleness/moments.ts";
import { STALENESS_ACTIONS, STALENESS_RULES, type StalenessAction } from "./staleness/rules.ts";
import {
  checkpointFindings,
  definitionFindings,
  referenceFindings,
  sessionFindings,
} from "./staleness/session-findings.ts";

/** The document of kind `staleness`, as it is printed. */
export interface StalenessReport {
  readonly session_id: string;
  readonly checkpoint_id: string | null;
  readonly can_resume: boolean;
  /** `batch_3_task_1`; null: it is no workflow. */
  readonly resume_from: string | null;
  readonly resume_point: ResumePoint | null;
  readonly prerequisites_met: boolean;
  /** What was found, in words. */
  readonly warnings: readonly string[];
  readonly action: StalenessAction;
  /** What the workflow is called by the labels of its issue as they are now. */
  readonly state_label: string | null;
  readonly findings: readonly Finding[];
}

export function assessStaleness(recorded: RecordedMoment, now: PresentMoment): StalenessReport {
  const label = recorded.progress?.state_label ?? null;
  const findings = [
    ...sessionFindings(recorded, now),
    ...checkpointFindings(recorded, now),
    ...branchFindings(recorded, now),
    ...changeFindings(recorded, now),
    ...referenceFindings(now),
    ...definitionFindings(recorded, now),
    ...issueFindings(recorded.issue, label, now.issue),
  ];
  const point = resumePoint(recorded.progress);
  return {
    session_id: recorded.sessionId,
    checkpoint_id: recorded.checkpoint?.id ?? null,
    ...verdictOn(findings),
    resume_from: point?.name ?? null,
    resume_point: point,
    warnings: findings.map(({ message }) => message),
    state_label: labelNow(recorded.issue, label, now.issue),
    findings,
  };
}

type Verdict = Pick<StalenessReport, "can_resume" | "prerequisites_met" | "action">;

/** The gravest wins. */
export function verdictOn(findings: readonly Pick<Finding, "kind">[]): Verdict {
  const rules = findings.map(({ kind }) => STALENESS_RULES[kind]);
  const gravest = Math.max(0, ...rules.map(({ action }) => STALENESS_ACTIONS.indexOf(action)));
  return {
    can_resume: rules.every(({ severity }) => severity !== "blocking"),
    prerequisites_met: !rules.some(({ isPrerequisite }) => isPrerequisite),
    action: STALENESS_ACTIONS[gravest] ?? "start_fresh",
  };
}
