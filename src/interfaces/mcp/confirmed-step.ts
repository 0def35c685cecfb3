/**
 * What changes files, in two steps: first the plan, then, with the plan's token or the user's yes, exactly that plan. When the project
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
import type { RollbackOrder } from "../../operations/roll-back.ts";
import { refused, sendable, type Answer } from "./answer.ts";
import { TOKEN_MINUTES, type Order, type TokenProblem, type TokenUse } from "./confirmations.ts";
import { confirmation } from "./input-schemas.ts";
import { shownText } from "./shown-text.ts";
import type { Call } from "./tool.ts";

/** What would be done now. */
export interface ShownPlan {
  /** The same for two plans only if they do the same to the same. */
  readonly fingerprint: string;
  readonly document: Readonly<Record<string, unknown>>;
  readonly lines: readonly string[];
  /** What nobody may overlook: comes first in questions, however long the rest is. */
  readonly first: readonly string[];
  /** What has to be said before this plan can be carried out; undefined: nothing. */
  readonly open: readonly string[] | undefined;
}

export interface Step {
  readonly kind: RollbackOrder["kind"];
  /** What it is about, whatever the options. */
  readonly subject: Readonly<Record<string, unknown>>;
  readonly options: Readonly<Record<string, unknown>>;
  readonly token: string | undefined;
  readonly look: () => Promise<ShownPlan>;
  /** Carries it out; `agreed` is called with the fingerprint of what is about to be done, and ends it by throwing. */
  readonly act: (agreed: (fingerprint: string) => void) => Promise<Answer>;
}

export type StepAnswer = Answer | CallToolResult | InputRequiredResult;

/** The name of the question that a client asks its user. */
const QUESTION = "confirm";
const MOST_QUESTION = 2000;
/** Of each of the lines that come first. */
const MOST_FIRST = 200;

export async function confirmedStep(call: Call, step: Step): Promise<StepAnswer> {
  const reply = inputResponse(call.request.inputResponses, QUESTION);
  if (reply.kind === "elicit" && reply.action !== "cancel") {
    const accepted = acceptedContent(call.request.inputResponses, QUESTION, confirmation);
    const shown = call.request.requestState();
    if (accepted?.confirm !== true || typeof shown !== "string") throw declined(call, step);
    return carryOut(call, step, shown, "answer");
  }
  if (step.token !== undefined) return carryOut(call, step, step.token, "token");
  // Nobody was there to answer: the model shows the plan.
  const mayAsk = call.canAsk && reply.kind === "missing";
  if (!mayAsk && call.host.confirmations.isDeclined(orderOf(call, step))) {
    throw declined(call, step);
  }
  return showPlan(call, step, mayAsk ? "answer" : "token");
}

/** Only the plan, with a token; nobody is asked. */
export async function previewedStep(call: Call, step: Step): Promise<Answer> {
  const plan = await step.look();
  const { document, lines, open } = plan;
  if (open !== undefined) return { kind: "rollback_plan", document, lines: [...lines, ...open] };
  const order = orderOf(call, step);
  const { confirmations } = call.host;
  const token = confirmations.give(order, plan.fingerprint, "token");
  return {
    kind: "rollback_plan",
    document,
    added: { confirm_token: token },
    lines,
    closing: [
      ...tokenLines(step, token, HOW_AFTER_PREVIEW[step.kind]),
      ...(confirmations.isDeclined(order) ? [SAID_NO] : []),
    ],
  };
}

const HOW_AFTER_PREVIEW = {
  rollback: "call roll_back with the same arguments and confirm_token",
  undo: "call undo with the same arguments and confirm_token, without preview",
  redo: "call redo with the same arguments and confirm_token, without preview",
} as const;

/** What a token is bound to beside the state of the project. */
function orderOf({ project: { workTree } }: Call, { kind, subject, options }: Step): Order {
  const what = { kind, subject, workTree: workTree.id, root: workTree.root };
  return { subject: canonicalJson(what), whole: canonicalJson({ ...what, options }) };
}

const SAID_NO =
  "This question was recently answered with no. Use this token only if the user has since told you in words that they want it.";

function declined(call: Call, step: Step): Failure {
  const { kind } = step;
  call.host.confirmations.decline(orderOf(call, step));
  const preview = kind === "rollback" ? "preview_rollback" : `${kind} with preview: true`;
  return new Failure("needs_confirmation", `the question about this ${kind} was answered with no`, {
    hint:
      `Do not try another way; tell the user, and ask what to do instead. Clients without a user give this answer too: ` +
      `only if the user has asked for exactly this ${kind} in words, ${preview} gives a new plan and its confirm_token. Nothing was changed.`,
    details: { reason: "declined" },
  });
}

async function carryOut(call: Call, step: Step, token: string, use: TokenUse): Promise<StepAnswer> {
  const { project, host } = call;
  const order = orderOf(call, step);
  const taken = host.confirmations.take(token, order, use);
  if (taken === "token_declined" && use === "token") throw declined(call, step);
  if (typeof taken === "string") return showPlan(call, step, use, taken);
  const unfinished = project.restorer.unfinished();
  let hasMoved = false;
  const because = unfinished === undefined ? "project_changed" : "recovered";
  try {
    return await step.act((fingerprint) => {
      hasMoved = fingerprint !== taken.fingerprint;
      if (hasMoved) throw notConfirmed(step, because);
    });
  } catch (error) {
    // A plan with commits at stake got no token: they came later.
    const isMoved = hasMoved || (error instanceof Failure && error.code === "commits_would_leave");
    if (!isMoved) throw error;
    return await showPlan(call, step, use, because);
  }
}

type Because = TokenProblem | "project_changed" | "recovered";

const WORDS: Readonly<Record<Because, string>> = {
  project_changed: "the project changed since the plan was shown",
  recovered: "an interrupted rollback was finished or reverted first, so the plan has changed",
  token_unknown: "this server did not issue that confirm_token",
  token_used: "that confirm_token was already used",
  token_expired: `that confirm_token is older than ${TOKEN_MINUTES} minutes`,
  token_of_another_order:
    "that confirm_token is for another call: other arguments, or a newer checkpoint",
  token_declined: "another question about this was answered with no",
};

function notConfirmed({ kind }: Step, reason: Because, hasToken = true): Failure {
  const nothing = reason === "recovered" ? "nothing else was changed" : "nothing was changed";
  return new Failure("needs_confirmation", `${WORDS[reason]}; ${nothing}`, {
    hint: hasToken
      ? `Review the new plan. If the ${kind} is still right, call again with the same arguments and the new confirm_token.`
      : "Review the new plan: it says what has to be decided first.",
    details: { reason },
  });
}

/** `use`: whether a user is asked or the model gets the token. `because`: why something that was confirmed is not done. */
async function showPlan(
  call: Call,
  step: Step,
  use: TokenUse,
  because?: Because,
): Promise<StepAnswer> {
  const { fingerprint, document, lines, first, open } = await step.look();
  if (open !== undefined) {
    const plan = { kind: "rollback_plan", document, lines: [...lines, ...open] } as const;
    return because === undefined ? plan : instead(call, step, because, plan);
  }
  const token = call.host.confirmations.give(orderOf(call, step), fingerprint, use);
  if (use === "answer") {
    const begin = because === undefined ? [] : [`${WORDS[because]}. This is the plan now:`];
    return question(step, [...begin, ...first], lines, token);
  }
  const added = { confirm_token: token };
  const closing = tokenLines(step, token, "call again with the same arguments and confirm_token");
  const plan = { kind: "rollback_plan", document, added, lines, closing } as const;
  return because === undefined ? plan : instead(call, step, because, plan);
}

/** A refusal with the plan as it is now. */
function instead(call: Call, step: Step, because: Because, plan: Answer): CallToolResult {
  const { lines, closing = [] } = plan;
  const failure = notConfirmed(step, because, closing.length > 0);
  const added = { plan_now: sendable({ ...plan, lines: [] }).document };
  return refused(failure, call.host.log, { lines, closing, added });
}

function tokenLines({ kind }: Step, token: string, how: string): string[] {
  return [
    "",
    `confirm_token: ${token}`,
    `Nothing was changed yet. To carry out this ${kind}, ${how}, within ${TOKEN_MINUTES} minutes. ` +
      "Show the user first what would be lost, unless they asked for exactly this.",
  ];
}

function question(
  { kind }: Step,
  first: readonly string[],
  lines: readonly string[],
  token: string,
): InputRequiredResult {
  const begin = first.map((line) => shownText([line], MOST_FIRST));
  const message = `${[...begin, shownText(lines, MOST_QUESTION)].join("\n")}\n\nA safety checkpoint is created first. ${ASK[kind]}`;
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
