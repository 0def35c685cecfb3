/** What can be other than a session left it, and what follows from each: the rules of a resume, as a table. */

/** From mild to grave. */
export const STALENESS_ACTIONS = [
  "resume",
  "proceed_with_warning",
  "prompt_user",
  "start_fresh",
] as const;
export type StalenessAction = (typeof STALENESS_ACTIONS)[number];

/** blocking: prevents a resume. decision: needs an answer. warning: for information only. */
export const SEVERITIES = ["blocking", "decision", "warning"] as const;
export type Severity = (typeof SEVERITIES)[number];

export interface StalenessRule {
  readonly severity: Severity;
  readonly action: StalenessAction;
  /** Something that the session needs is not there. */
  readonly isPrerequisite: boolean;
  readonly ifIgnored: string;
}

function blocking(action: "prompt_user" | "start_fresh", ifIgnored: string): StalenessRule {
  return { severity: "blocking", action, isPrerequisite: true, ifIgnored };
}

function decision(ifIgnored: string): StalenessRule {
  return { severity: "decision", action: "prompt_user", isPrerequisite: false, ifIgnored };
}

function missing(ifIgnored: string): StalenessRule {
  return { ...decision(ifIgnored), isPrerequisite: true };
}

function warning(ifIgnored: string): StalenessRule {
  return {
    severity: "warning",
    action: "proceed_with_warning",
    isPrerequisite: false,
    ifIgnored,
  };
}

const RULES = {
  session_newer: blocking(
    "prompt_user",
    "this version would misread the session; update Waymark instead",
  ),
  session_ended: blocking("start_fresh", "a session that has ended is never resumed"),
  session_held: blocking(
    "prompt_user",
    "two processes would run the same steps; the second is refused",
  ),
  checkpoint_newer: blocking(
    "prompt_user",
    "this version cannot restore that checkpoint; update Waymark instead",
  ),
  checkpoint_damaged: blocking(
    "prompt_user",
    "there would be no intact checkpoint to roll back to when the next step fails",
  ),
  branch_gone: blocking(
    "start_fresh",
    "the work would continue without the commits it is based on",
  ),
  output_missing: missing("steps that read these files fail, or run without them"),
  state_missing: missing("the workflow would continue without its saved state"),
  other_work_tree: decision("the steps change the files of this work tree instead of their own"),
  branch_switched: decision("the steps change files, and may commit, on another branch"),
  head_moved: decision("the steps build on commits that earlier steps did not have"),
  files_changed: decision(
    "the steps work on these files as they are now, and the next checkpoint will include them",
  ),
  parts_changed: decision("the steps work with these as they are now"),
  operation_changed: decision("the steps run during an unfinished git operation"),
  not_compared: decision("the work may build on changes that were not reviewed"),
  workflow_changed: decision("the session continues with the file it started with"),
  issue_body_changed: decision("the steps work on the previous text of the issue"),
  // Recorded elsewhere, perhaps: nobody here has seen these commands.
  workflow_missing: decision("the session continues with the recorded text"),
  no_checkpoint: warning("it is unknown what changed since, and there is no checkpoint to restore"),
  index_changed: warning("the next commit includes what is staged now"),
  issue_labels_changed: warning("the state of the workflow follows the labels"),
  issue_title_changed: warning("reports use the old title of the issue"),
  issue_assignees_changed: warning("someone else may be working on it"),
  issue_state_changed: warning("the work may no longer be wanted"),
  issue_unavailable: warning("changes of the issue are not noticed"),
} as const satisfies Record<string, StalenessRule>;

export type FindingKind = keyof typeof RULES;

export const STALENESS_RULES: Readonly<Record<FindingKind, StalenessRule>> = RULES;

export const FINDING_KINDS = Object.keys(RULES) as readonly FindingKind[];
