/** What a resume would do, as a value: what happened meanwhile, which nodes run, and what somebody has to decide first. Changes nothing. */
import type { CheckpointDocument } from "../../domain/checkpoint.ts";
import { Failure } from "../../domain/failure.ts";
import type { SessionDocument, WorkflowDefinition } from "../../domain/session.ts";
import type { Workflow } from "../../domain/workflow/definition.ts";
import type { HolderLife, LeaseHolder } from "../../domain/workflow/lease.ts";
import { NO_PROGRESS, type WorkflowProgress } from "../../domain/workflow/progress.ts";
import {
  isCalled,
  resumeNodes,
  UNANSWERED,
  type RerunAnswer,
  type ResumeNode,
} from "../../domain/workflow/take-up.ts";
import { checkStaleness, type StalenessCheck } from "../check-staleness.ts";
import { findTarget } from "../find-checkpoint.ts";
import type { Project } from "../project.ts";
import { viewSessions } from "../session-view.ts";
import { findResumable, type ResumeSelector } from "./find-resumable.ts";
import { heldProgress } from "./held-progress.ts";

export type WorkflowChoice = "recorded" | "current";

/** What somebody said, by flags or when asked. */
export interface ResumeAnswers {
  /** Roll back to this checkpoint first, and go on from there. */
  readonly from?: string;
  /** Roll back to the session's current checkpoint first. */
  readonly restoreFiles?: boolean;
  /** Go on with files, branch, issue and references as they are. */
  readonly acceptChanges?: boolean;
  readonly workflowFile?: WorkflowChoice;
  readonly rerun?: RerunAnswer;
  /** The token of an owner on another machine that is gone. */
  readonly takeOver?: number;
  /** The digest of the workflow file whose commands somebody has seen and agrees to, for a session that did not begin here. */
  readonly trustCommands?: string;
  /** The workflow of a session that was not run from a file. */
  readonly definition?: Workflow;
}

export interface ResumeRequest extends ResumeSelector, ResumeAnswers {}

export interface ResumePlan {
  readonly session: SessionDocument;
  readonly answers: ResumeAnswers;
  readonly staleness: StalenessCheck;
  /** What is rolled back to first. */
  readonly target: CheckpointDocument | undefined;
  /** How far it has come, where it goes on. */
  readonly progress: WorkflowProgress;
  /** Undefined: it is a session of phases, and Waymark has nothing to run. */
  readonly run: ResumedRun | undefined;
  readonly nodes: readonly ResumeNode[];
}

export interface ResumedRun {
  /** What it goes on by, as far as that is decided. */
  readonly workflow: Workflow;
  readonly recorded: Workflow;
  /** What the session keeps of it; undefined: it came from no file. */
  readonly source: WorkflowDefinition | undefined;
  /** Its commands were started or confirmed here. */
  readonly isTrusted: boolean;
}

export async function planResume(project: Project, request: ResumeRequest): Promise<ResumePlan> {
  const session = await findResumable(project, request);
  return planSession(project, session, request);
}

/** The same, for a session that was found. */
export async function planSession(
  project: Project,
  session: SessionDocument,
  answers: ResumeAnswers,
): Promise<ResumePlan> {
  const target = await targetOf(project, session, answers);
  const held = target === undefined ? undefined : await heldProgress(project, target);
  const progress = held ?? session.workflow ?? NO_PROGRESS;
  const staleness = await checkStaleness(project, {
    session,
    ...(target === undefined ? {} : { from: target.id }),
    progress,
    lifeOf: lifeFor(project, session, answers.takeOver),
    currentText: (path) => currentText(project, session, answers, path),
  });
  const run = await runOf(project, session, staleness, answers);
  const rerun = answers.rerun ?? UNANSWERED;
  // What a process runs is not interrupted, and nothing of it would run again.
  const isHeld = staleness.report.findings.some(({ kind }) => kind === "session_held");
  if (run !== undefined) refuseStrangers(resumeNodes(progress, run, UNANSWERED), rerun);
  return {
    session,
    answers,
    staleness,
    target,
    progress,
    run,
    nodes: run === undefined || isHeld ? [] : resumeNodes(progress, run, rerun),
  };
}

/** A session from elsewhere is resumed by what it recorded when its file is not for others to name. */
async function currentText(
  project: Project,
  session: SessionDocument,
  { workflowFile }: ResumeAnswers,
  path: string,
): Promise<string | undefined> {
  if (workflowFile === "current") await refuseStrangeFile(project, session);
  if (await mayReadFile(project, session)) return project.workflowFiles.currentText(path);
  project.warn(
    `${path} was not read: session ${session.id} was not started here and may not name it`,
  );
  return undefined;
}

/** Which file is read is what the document says: of a session that did not begin here it must not be any file of this machine. */
async function mayReadFile(project: Project, session: SessionDocument): Promise<boolean> {
  const { id, definition } = session;
  if (definition === undefined) return true;
  return (
    project.commandTrust.has(id, definition) ||
    (await project.workflowFiles.isHarmless(definition.path))
  );
}

export async function refuseStrangeFile(project: Project, session: SessionDocument): Promise<void> {
  if (await mayReadFile(project, session)) return;
  const path = session.definition?.path ?? "";
  throw new Failure(
    "workflow_invalid",
    `session ${session.id} was not started here and names a file that it may not read: ${path}`,
    {
      hint: "Its workflow file must be in the project, outside of .git, and not a secret. The file was not read. `waymark run FILE` runs a file of yours; `--workflow-file recorded` resumes with the recorded workflow. Nothing was changed.",
      details: { file: path, problems: [] },
    },
  );
}

/** An owner on another machine whose token was named is as good as dead; one that lives here is not. */
function lifeFor(
  project: Project,
  { lease }: SessionDocument,
  takeOver: number | undefined,
): (holder: LeaseHolder) => HolderLife {
  return (holder) => {
    const life = project.liveness.lifeOf(holder);
    return life === "unknown" && lease?.token === takeOver ? "dead" : life;
  };
}

async function targetOf(
  project: Project,
  session: SessionDocument,
  { from, restoreFiles }: ResumeAnswers,
): Promise<CheckpointDocument | undefined> {
  if (from === undefined && restoreFiles !== true) return undefined;
  const view = await viewSessions(project, session.id);
  const found = await findTarget(project, view, from ?? "latest");
  if (found.session_id === session.id) return found;
  throw new Failure(
    "checkpoint_not_found",
    `${found.id} is not a checkpoint of session ${session.id}`,
    { hint: `\`waymark list --session ${session.id}\` lists them.` },
  );
}

async function runOf(
  project: Project,
  { id, definition }: SessionDocument,
  { definitionText }: StalenessCheck,
  { workflowFile: choice = "recorded", definition: given, trustCommands }: ResumeAnswers,
): Promise<ResumedRun | undefined> {
  if (definition === undefined) {
    return given && { workflow: given, recorded: given, source: undefined, isTrusted: true };
  }
  // The document names the file too: the file as it is now is this user's choice only where the rest of it is from here.
  const isOwn = project.commandTrust.has(id, definition);
  const isTrusted = (source: WorkflowDefinition): boolean => isOwn || isSeen(source, trustCommands);
  const { path, text, digest } = definition;
  const recorded = await project.workflowFiles.parse(text, path);
  const now = definitionText === undefined ? digest : `sha256:${project.sha256(definitionText)}`;
  if (choice === "recorded" || definitionText === undefined || now === digest) {
    return { workflow: recorded, recorded, source: definition, isTrusted: isTrusted(definition) };
  }
  const workflow = await project.workflowFiles.parse(definitionText, path);
  const source = { path, text: definitionText, digest: now };
  return { workflow, recorded, source, isTrusted: isTrusted(source) };
}

/** The whole digest, with or without the name of the hash. */
export function isSeen({ digest }: WorkflowDefinition, given: string | undefined): boolean {
  return given !== undefined && digest === `sha256:${given.replace(/^sha256:/, "")}`;
}

/** A typing error must not look like an answer. */
function refuseStrangers(nodes: readonly ResumeNode[], { again, left }: RerunAnswer): void {
  const asked = nodes.filter(({ what }) => what === "ask");
  for (const name of [...again, ...left]) {
    const called = asked.filter((node) => isCalled(node, name));
    if (called.length === 1) continue;
    const ids = (called.length === 0 ? asked : called).map(({ id }) => id);
    throw new Failure(
      "usage",
      called.length === 0
        ? `no decision is needed about ${JSON.stringify(name)}`
        : `${JSON.stringify(name)} is the name of several nodes`,
      {
        hint:
          ids.length === 0
            ? "No node needs a decision. Nothing was changed."
            : `It is about ${ids.join(", ")}. Nothing was changed.`,
        details: { nodes: ids },
      },
    );
  }
}
