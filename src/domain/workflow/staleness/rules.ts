/** What can be other than a session left it, and what follows from each: the rules of a resume, as a table. */

/** From mild to grave. */
export const STALENESS_ACTIONS = [
  "resume",
  "proceed_with_warning",
  "prompt_user",
  "start_fresh",
] as const;
export type StalenessAction = (typeof STALENESS_ACTIONS)[number];

/** blocking: it cannot be resumed as things are. decision: somebody has to say whether. warning: it is only said. */
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
  session_ended: blocking("start_fresh", "a session that has ended is never taken up again"),
  session_held: blocking("prompt_user", "two would run the same steps; the second is refused"),
  checkpoint_newer: blocking(
    "prompt_user",
    "this version cannot go back to that checkpoint; update Waymark instead",
  ),
  checkpoint_damaged: blocking(
    "prompt_user",
    "there would be nothing whole to go back to when the next step fails",
  ),
  branch_gone: blocking("start_fresh", "the work would go on without the commits that it built on"),
  output_missing: missing("steps that read these files fail, or work with nothing"),
  state_missing: missing("the workflow goes on without the state that it saved"),
  other_work_tree: decision("the steps change the files of this work tree and not of their own"),
  branch_switched: decision("the steps change files, and may commit, on another branch"),
  head_moved: decision("the steps build on commits that they do not know"),
  files_changed: decision(
    "the steps work on these files as they are now; the next checkpoint holds them so",
  ),
  parts_changed: decision("the steps work with these as they are now"),
  operation_changed: decision("the steps run in the middle of something that git has not finished"),
  not_compared: decision("changes that nobody has seen may be built on"),
  workflow_changed: decision("the session goes on by the file that it began with"),
  issue_body_changed: decision("the steps work on what the issue said before"),
  // Recorded elsewhere, perhaps: nobody here has seen these commands.
  workflow_missing: decision("the session goes on by the text that it recorded"),
  no_checkpoint: warning("nobody can tell what changed since, and there is nothing to go back to"),
  index_changed: warning("the next commit takes what is staged now"),
  issue_labels_changed: warning("the state of the workflow follows the labels"),
  issue_title_changed: warning("reports name the issue as it was called before"),
  issue_assignees_changed: warning("somebody else may be working on it"),
  issue_state_changed: warning("the work may not be wanted any more"),
  issue_unavailable: warning("changes of the issue go unnoticed"),
} as const satisfies Record<string, StalenessRule>;

export type FindingKind = keyof typeof RULES;

export const STALENESS_RULES: Readonly<Record<FindingKind, StalenessRule>> = RULES;

export const FINDING_KINDS = Object.keys(RULES) as readonly FindingKind[];
