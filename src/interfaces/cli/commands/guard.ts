/** `waymark guard` */
import { basename } from "node:path";
import { Failure } from "../../../domain/failure.ts";
import type { StepOutcome, Step } from "../../../operations/guard-step.ts";
import {
  guardDocument,
  type GuardedCommands,
} from "../../../operations/documents/guard-document.ts";
import { guard, type GuardRequest, type GuardResult } from "../../../operations/guard.ts";
import type { Project } from "../../../operations/project.ts";
import type { Command, CommandOrder } from "../../../ports/commands.ts";
import { startAutoCleanup } from "../auto-cleanup.ts";
import type { Context } from "../command-spec.ts";
import { leftOutTalk } from "../exclusion-warnings.ts";
import { guardLines, GuardTalk } from "../guard-report.ts";
import { heldBesides, type PartOptions } from "../part-asks.ts";
import { askYes, canAsk } from "../prompt.ts";

interface Options extends PartOptions {
  verify?: string[];
  retries?: number;
  timeout?: number;
  verifyTimeout?: number;
  keepOnFail?: boolean;
  keepHead?: boolean;
  reason?: string;
  name?: string;
}

/** What the next attempt gets to read of the output of the one that failed. */
const KEPT_OUTPUT_BYTES = 65_536;

export async function run(context: Context): Promise<number> {
  const { output } = context;
  const options: Options = context.options;
  const [words] = context.args as [[string, ...string[]]];
  const commands: GuardedCommands = { act: words, verify: options.verify ?? [] };
  const project = await context.openProject();
  const talk = new GuardTalk(output, commands, 1 + (options.retries ?? 0));
  const result = await guard(project, {
    ...request(options, context, project, words[0]),
    ...steps(project, context, options, commands),
    sharesTerminal: process.stdin.isTTY,
    ...(canAsk() && !output.options.json ? { onInterrupted: ask } : {}),
    onEvent: (event) => talk.tell(event),
  });
  const warnings = [...result.warnings, ...leftOutTalk(result.checkpoint).warnings];
  for (const warning of warnings) output.warn(warning);
  output.closing(
    "guard",
    guardDocument({ ...result, warnings }, commands),
    guardLines(result, commands, output),
  );
  startAutoCleanup(project);
  return exitCode(result);
}

function request(
  options: Options,
  context: Context,
  project: Project,
  program: string,
): Omit<GuardRequest, "act"> {
  const { retries, timeout, verifyTimeout, keepOnFail, keepHead, reason, name } = options;
  const { sessionId } = context;
  return {
    ...(retries === undefined ? {} : { retries }),
    ...(timeout === undefined ? {} : { timeoutMs: timeout }),
    ...(verifyTimeout === undefined ? {} : { verifyTimeoutMs: verifyTimeout }),
    keepOnFail: keepOnFail === true,
    keepHead: keepHead === true,
    checkpoint: {
      // Without the arguments: they may hold what is nobody's business.
      reason: reason ?? `before the guarded command ${basename(program)}`,
      ...(name === undefined ? {} : { name }),
      ...(sessionId === undefined ? {} : { sessionId }),
      ...heldBesides(options, context, project),
    },
  };
}

function steps(
  project: Project,
  { output, directory }: Context,
  { retries = 0 }: Options,
  { act, verify }: GuardedCommands,
): Pick<GuardRequest, "act" | "verify"> {
  const runs =
    (command: Command, how: Pick<CommandOrder, "stdin" | "stdout">): Step =>
    async ({ env, signal, checkpointId }) => {
      const keepOutput = retries === 0 ? 0 : KEPT_OUTPUT_BYTES;
      const end = await project.commands.run({
        ...how,
        command,
        cwd: directory,
        env,
        signal,
        keepOutput,
      });
      if (end.kind === "not_started") return notStarted(command, end.problem, checkpointId);
      return { ...end, ok: end.exitCode === 0 };
    };
  return {
    act: runs(
      { kind: "program", words: act },
      { stdin: "inherit", stdout: output.options.json ? "stderr" : "stdout" },
    ),
    verify: verify.map((line) =>
      runs({ kind: "shell", line }, { stdin: "none", stdout: "stderr" }),
    ),
  };
}

function notStarted(command: Command, problem: string, checkpointId: string): StepOutcome {
  if (command.kind === "shell") throw new Error(problem);
  const hint = `Nothing was run or changed; the current state is also in ${checkpointId}.`;
  return { ok: false, neverBegan: new Failure("usage", problem, { hint }) };
}

async function ask({ signal }: { readonly signal: AbortSignal }): Promise<"roll_back" | "keep"> {
  return (await askYes("Keep what the command did?", signal)) ? "keep" : "roll_back";
}

function exitCode({ passed, rolledBack, interruptedBy }: GuardResult): number {
  if (interruptedBy !== null) return 130;
  if (passed) return 0;
  return rolledBack ? 7 : 1;
}
