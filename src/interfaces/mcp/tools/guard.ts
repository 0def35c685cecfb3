/** The tool `guard`, which runs commands: offered only where whoever started the server allowed it. */
import { basename } from "node:path";
import { Failure } from "../../../domain/failure.ts";
import { endOf } from "../../../domain/guard.ts";
import { redactTail } from "../../../domain/secrets/redact-tail.ts";
import { guardDocument } from "../../../operations/documents/guard-document.ts";
import { guard, type GuardResult } from "../../../operations/guard.ts";
import type { Step } from "../../../operations/guard-step.ts";
import type { Command } from "../../../ports/commands.ts";
import { startAutoCleanup } from "../../cli/auto-cleanup.ts";
import type { Answer } from "../answer.ts";
import { given } from "../given.ts";
import { guardInput } from "../input-schemas.ts";
import { shownText } from "../shown-text.ts";
import type { Call, Tool } from "../tool.ts";

type Input = ReturnType<typeof guardInput.parse>;

export const guardTool: Tool<Input> = {
  name: "guard",
  title: "Guarded command",
  description:
    "Creates a checkpoint, runs a command in the project, then each check; if the command or a check fails, everything that it did to the project is rolled " +
    "back, commits too, and the failed attempt is kept as a checkpoint. Use it for risky commands with a clear check, such as codemods with the tests as `verify`. " +
    "What a command does outside the project (network, databases, other folders) is not rolled back.",
  annotations: {
    readOnlyHint: false,
    destructiveHint: true,
    idempotentHint: false,
    openWorldHint: true,
  },
  input: guardInput,
  kinds: ["guard"],
  opens: { makeProject: true },
  endsWithClient: true,
  run,
};

/** Much more than is shown, so that secrets are found as a whole before it is cut. */
const KEPT_OUTPUT_BYTES = 131_072;
const MOST_OUTPUT = 4000;
const OWN_TOKEN = "[redacted: token of this server]";
const USUAL_SECONDS = 600;

async function run(call: Call, input: Input): Promise<Answer> {
  const { project, host } = call;
  const [program, ...rest] = input.command;
  if (program === undefined || program === "") {
    throw new Failure("usage", "command: the first word is not the name of a program", {
      hint: "Pass the program and its arguments. Nothing was run.",
    });
  }
  const commands = { act: [program, ...rest] as const, verify: input.verify ?? [] };
  const steps = new Steps(call);
  const result = await guard(project, {
    act: steps.of({ kind: "program", words: commands.act }),
    verify: commands.verify.map((line) => steps.of({ kind: "shell", line })),
    timeoutMs: (input.timeout_seconds ?? USUAL_SECONDS) * 1000,
    ...given({ retries: input.retries }),
    keepOnFail: input.keep_on_fail === true,
    keepHead: input.keep_head === true,
    checkpoint: {
      // Without the arguments: they may hold what is nobody's business.
      reason: input.reason ?? `before the guarded command ${basename(program)}`,
      ...given({ sessionId: input.session ?? host.sessionId }),
    },
  });
  startAutoCleanup(project);
  const output = result.passed ? "" : steps.failedOutput;
  return {
    kind: "guard",
    document: guardDocument(result, { act: [...commands.act], verify: commands.verify }),
    ...(output === "" ? {} : { added: { failed_output: output } }),
    lines: [...linesOf(result), ...(output === "" ? [] : ["output of the failed step:", output])],
  };
}

class Steps {
  readonly #call: Call;
  #failed: Uint8Array = new Uint8Array();

  constructor(call: Call) {
    this.#call = call;
  }

  /** The end of what the last step that failed wrote. */
  get failedOutput(): string {
    const { token } = this.#call.host;
    const written = new TextDecoder().decode(this.#failed);
    // A command of the same user can read it from this process.
    const text = token === undefined ? written : written.replaceAll(token, OWN_TOKEN);
    const isCut = this.#failed.length >= KEPT_OUTPUT_BYTES;
    return shownText([redactTail(text, MOST_OUTPUT, isCut)], MOST_OUTPUT);
  }

  of(command: Command): Step {
    const { project, host } = this.#call;
    return async ({ env, signal, checkpointId }) => {
      const end = await project.commands.run({
        command,
        cwd: host.directory,
        env,
        stdin: "none",
        stdout: "stderr",
        keepOutput: KEPT_OUTPUT_BYTES,
        // Neither to the protocol nor to the log.
        onOutput: () => undefined,
        signal,
      });
      if (end.kind === "not_started") {
        const hint = `Nothing was run or changed; the current state is also in ${checkpointId}.`;
        return { ok: false, neverBegan: new Failure("usage", end.problem, { hint }) };
      }
      const ok = end.exitCode === 0;
      if (!ok) this.#failed = end.output;
      return { ...end, ok };
    };
  }
}

function linesOf({ passed, rolledBack, checkpoint, attempts, warnings }: GuardResult): string[] {
  const last = attempts.at(-1);
  const failed = last === undefined ? [] : [last.act, ...last.verify].filter(({ ok }) => !ok);
  const [why] = failed;
  const held = last?.rollback?.safety.id;
  const but =
    last?.rollback?.verification.match === false ? ", except files that other programs saved" : "";
  return [
    passed
      ? `passed. The state before is ${checkpoint.id}; roll_back goes back to it.`
      : `failed${why === undefined ? "" : ` (${endOf(why)})`} after ${attempts.length} ${attempts.length === 1 ? "attempt" : "attempts"}; ` +
        (rolledBack
          ? (last?.unchanged ?? null) === null
            ? `everything was rolled back${but}`
            : "nothing to roll back: the command changed nothing that the checkpoint contains"
          : "the changes of the last attempt were kept"),
    ...(held === undefined ? [] : [`The attempt is in ${held}: diff_checkpoints shows it.`]),
    ...warnings.map((warning) => `warning: ${warning}`),
  ];
}
