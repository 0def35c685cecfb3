/**
 * Rolling back, undo and redo in two steps: first the plan, then, with the plan's token or the user's yes, exactly that plan. When the project
 * moved in between, nothing is done and the new plan is shown.
 */
import {
  acceptedContent,
  inputRequired,
  inputResponse,
  type CallToolResult,
  type InputRequiredResult,
} from "@modelcontextprotocol/server";
import { canonicalJson } from "../../domain/canonical-json.ts";
import { Failure } from "../../domain/failure.ts";
import {
  rollbackDocument,
  rollbackPlanDocument,
} from "../../operations/documents/rollback-document.ts";
import { planFingerprint } from "../../operations/plan-fingerprint.ts";
import type { RollbackPlan } from "../../operations/plan-rollback.ts";
import {
  isAsLeft,
  planFor,
  refuseLosingCommits,
  type RollbackOrder,
  type RollbackResult,
} from "../../operations/roll-back.ts";
import { planLines } from "../cli/rollback-report.ts";
import { refused, sendable, type Answer } from "./answer.ts";
import { TOKEN_MINUTES, type TokenProblem } from "./confirmations.ts";
import { confirmation } from "./input-schemas.ts";
import { shownText } from "./shown-text.ts";
import { rolledBackLines } from "./rolled-back-lines.ts";
import type { Call } from "./tool.ts";

export interface Step extends Pick<
  RollbackOrder,
  "kind" | "target" | "scope" | "sessionId" | "entry" | "discardCommits" | "evenIfExpired"
> {
  /** Checkpoints that become invalid. */
  readonly leftBehind: readonly string[];
  readonly token: string | undefined;
  /** Carries it out; `check` is called with what is about to be done, and ends it by throwing. */
  readonly act: (check: NonNullable<RollbackOrder["check"]>) => Promise<RollbackResult>;
}

export type StepAnswer = Answer | CallToolResult | InputRequiredResult;

/** The name of the question that a client asks its user. */
const QUESTION = "confirm";
const MOST_PLAN_LINES = 25;
const MOST_QUESTION = 2000;

export function confirmedStep(call: Call, step: Step): Promise<StepAnswer> {
  const reply = inputResponse(call.request.inputResponses, QUESTION);
  if (reply.kind === "elicit" && reply.action !== "cancel") {
    const accepted = acceptedContent(call.request.inputResponses, QUESTION, confirmation);
    const shown = call.request.requestState();
    if (accepted?.confirm === true && typeof shown === "string") return carryOut(call, step, shown);
    throw declined(call, step);
  }
  if (step.token !== undefined) return carryOut(call, step, step.token);
  // Nobody was there to answer: the model shows the plan.
  return showPlan(call, step, { mayAsk: reply.kind === "missing" });
}

/** What a token is bound to beside the state of the project. */
function orderOf({ project }: Call, step: Step): string {
  const { kind, target, scope, sessionId, discardCommits, evenIfExpired } = step;
  return canonicalJson({
    kind,
    target: target.id,
    scope,
    sessionId,
    discardCommits,
    evenIfExpired: evenIfExpired === true,
    workTree: project.workTree.id,
    root: project.workTree.root,
  });
}

function declined(call: Call, step: Step): Failure {
  call.host.confirmations.decline(orderOf(call, step));
  return new Failure("needs_confirmation", `the user said no to this ${step.kind}`, {
    hint: "Do not try it again by another way; ask the user what to do instead. Nothing was changed.",
    details: { reason: "declined" },
  });
}

async function carryOut(call: Call, step: Step, token: string): Promise<StepAnswer> {
  const { project, host } = call;
  const taken = host.confirmations.take(token, orderOf(call, step));
  if (typeof taken === "string") return showPlan(call, step, { mayAsk: true, because: taken });
  let hasMoved = false;
  try {
    const result = await step.act((plan, sameness) => {
      hasMoved = planFingerprint(project, plan, sameness) !== taken.fingerprint;
      if (hasMoved) throw notConfirmed(step, "project_changed");
    });
    return {
      kind: "rollback",
      document: { ...rollbackDocument(result), became_invalid: step.leftBehind },
      lines: rolledBackLines(result),
    };
  } catch (error) {
    if (!hasMoved) throw error;
    return await showPlan(call, step, { mayAsk: true, because: "project_changed" });
  }
}

type Because = TokenProblem | "project_changed";

const WORDS: Readonly<Record<Because, string>> = {
  project_changed: "the project changed since the plan was shown",
  token_unknown: "this server did not give that confirm_token",
  token_used: "that confirm_token was used already",
  token_expired: `that confirm_token is older than ${TOKEN_MINUTES} minutes`,
  token_of_another_order:
    "that confirm_token is for another call: other arguments, or a newer checkpoint",
};

function notConfirmed({ kind }: Step, reason: Because): Failure {
  return new Failure("needs_confirmation", `${WORDS[reason]}; nothing was changed`, {
    hint: `Look at the plan as it is now. If the ${kind} is still right, call again with the same arguments and the new confirm_token.`,
    details: { reason },
  });
}

interface Showing {
  readonly mayAsk: boolean;
  /** Why something that was confirmed is not done. */
  readonly because?: Because;
}

async function showPlan(call: Call, step: Step, { mayAsk, because }: Showing): Promise<StepAnswer> {
  const { project, host } = call;
  const { plan, capture, sameness } = await planFor(project, step);
  capture.discard();
  const open = openDecision(step, plan, sameness);
  const warning = (await isAsLeft(project, step, sameness)) ? [] : [WORK_SINCE];
  const look = { paint: PLAIN, leftBehind: step.leftBehind, most: MOST_PLAN_LINES };
  const lines = [...planLines(plan, look), ...warning];
  const document = rollbackPlanDocument(plan, step.leftBehind);
  if (open !== undefined) {
    return { kind: "rollback_plan", document, lines: [...lines, ...decisionLines(open)] };
  }
  const order = orderOf(call, step);
  const mayUseToken = !host.confirmations.isDeclined(order);
  if (!mayUseToken && !(call.canAsk && mayAsk)) throw declined(call, step);
  const token = host.confirmations.give(order, planFingerprint(project, plan, capture.sameness));
  if (call.canAsk && mayAsk) {
    const begin = because === undefined ? [] : [`${WORDS[because]}. This is the plan now:`];
    return question(step, [...begin, ...lines], token);
  }
  const added = { confirm_token: token };
  const closing = ["", `confirm_token: ${token}`, nextText(step)];
  if (because === undefined) {
    return { kind: "rollback_plan", document, added, lines, closing };
  }
  const now = sendable({ kind: "rollback_plan", document, added, lines: [] }).document;
  return refused(notConfirmed(step, because), host.log, {
    lines,
    closing,
    added: { plan_now: now },
  });
}

function nextText({ kind }: Step): string {
  return (
    `Nothing was changed yet. To carry out this ${kind}, call again with the same arguments and confirm_token, within ${TOKEN_MINUTES} minutes. ` +
    "Show the user first what would be lost, unless they asked for exactly this."
  );
}

const WORK_SINCE =
  "the project was changed since that rollback; those changes go too (they stay in the safety checkpoint)";

const PLAIN = (_style: unknown, text: string): string => text;

/** Commits that would leave a branch have to be named by whoever wants it. */
function openDecision(step: Step, plan: RollbackPlan, sameness: string): Failure | undefined {
  try {
    refuseLosingCommits(plan, step, sameness);
    return undefined;
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
}

function decisionLines({ message }: Failure): string[] {
  return [
    "",
    `${message}.`,
    "Nothing was changed, and this plan has no confirm_token. Decide first: discard_commits: true moves the branch back (the commits stay in the " +
      "safety checkpoint), keep_head: true leaves branches alone and restores files (roll_back only).",
  ];
}

function question({ kind }: Step, lines: readonly string[], token: string): InputRequiredResult {
  const message = `${shownText(lines, MOST_QUESTION)}\n\nA safety checkpoint is taken first. ${ASK[kind]}`;
  return inputRequired({
    inputRequests: {
      [QUESTION]: inputRequired.elicit({ message, requestedSchema: confirmation }),
    },
    requestState: token,
  });
}

const ASK = {
  rollback: "Roll back?",
  undo: "Undo the rollback?",
  redo: "Redo the rollback?",
} as const;
