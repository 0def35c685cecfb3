/** `waymark session save` */
import { resolve } from "node:path";
import { Failure } from "../../../../domain/failure.ts";
import { isRecord } from "../../../../domain/is-record.ts";
import type { ProgressSave } from "../../../../domain/workflow/saved-progress.ts";
import { saveWithCheckpoint } from "../../../../operations/save-with-checkpoint.ts";
import type { Context } from "../../command-spec.ts";
import { givenReason } from "../../given-reason.ts";
import { readGiven, STANDARD_INPUT } from "../../part-asks.ts";
import { oneLine } from "../../printable.ts";
import { reportChange } from "../../session-change.ts";

interface Options {
  state?: string;
  outputs?: string;
  metrics?: string;
  phase?: string;
  step?: number;
  iteration?: number;
  stateLabel?: string;
  team?: string;
  messages?: string;
  knowledge?: string;
  agentOutput?: readonly string[];
  merge?: boolean;
  checkpoint?: boolean;
}

export async function run(context: Context): Promise<void> {
  const { output } = context;
  const options: Options = context.options;
  const [given] = context.args as [string | undefined];
  const save = saveOf(options, context.directory);
  const project = await context.openProject();
  const named = given ?? context.sessionId;
  const { session, saved, redacted, checkpointId, warnings } = await saveWithCheckpoint(
    project,
    named,
    save,
    options.checkpoint === true ? { reason: givenReason(context) } : undefined,
  );
  await reportChange(project, output, {
    action: "save",
    session,
    changed: true,
    saved,
    redacted,
    checkpointId,
    warnings,
    line: `${output.paint("green", "saved")} ${saved.join(", ")} in ${oneLine(session.id)}`,
  });
  if (checkpointId !== null) output.say(`checkpoint ${checkpointId}`);
}

function saveOf(options: Options, directory: string): ProgressSave {
  refuseSecondInput(options);
  const read = new GivenFiles(directory);
  const agentOutputs = agentOutputsOf(options.agentOutput ?? [], read);
  const { state, phase, step, iteration, stateLabel, merge } = options;
  const objects = (["outputs", "metrics", "team", "messages", "knowledge"] as const).flatMap(
    (name) => {
      const source = options[name];
      return source === undefined ? [] : [[name, read.object(name, source)]];
    },
  );
  return {
    ...(state === undefined ? {} : { state: read.json("state", state) }),
    ...(Object.fromEntries(objects) as Pick<ProgressSave, "outputs" | "metrics">),
    ...(phase === undefined ? {} : { phase }),
    ...(step === undefined ? {} : { step }),
    ...(iteration === undefined ? {} : { iteration }),
    ...(stateLabel === undefined ? {} : { stateLabel }),
    ...(agentOutputs.length === 0 ? {} : { agentOutputs }),
    ...(merge === true ? { merge } : {}),
  };
}

/** It can be read once. */
function refuseSecondInput(options: Options): void {
  const { state, outputs, metrics, team, messages, knowledge, agentOutput = [] } = options;
  const sources = [state, outputs, metrics, team, messages, knowledge, ...agentOutput];
  if (sources.filter((source) => source === STANDARD_INPUT).length < 2) return;
  throw new Failure("usage", "standard input (-) can be used only once", {
    hint: "Name files for the others. Nothing was saved.",
  });
}

function agentOutputsOf(
  words: readonly string[],
  read: GivenFiles,
): NonNullable<ProgressSave["agentOutputs"]> {
  const pairs = words.flatMap((word, at) => (at % 2 === 0 ? [[word, words[at + 1]] as const] : []));
  return pairs.map(([name, source]) => {
    const [agent = "", ...rest] = name.split(":");
    const task = rest.join(":");
    if (agent === "" || task === "" || source === undefined) {
      throw new Failure("usage", `--agent-output: ${name} is not AGENT:TASK followed by a file`, {
        hint: "It takes AGENT:TASK and a file: `--agent-output architect:create_spec out.json`; the session comes before it. Nothing was saved.",
      });
    }
    return { agent, task, output: read.object("agent-output", source) };
  });
}

/** The documents that flags name, from the folder that the command works in. */
class GivenFiles {
  readonly #directory: string;

  constructor(directory: string) {
    this.#directory = directory;
  }

  object(flag: string, source: string): Readonly<Record<string, unknown>> {
    const value = this.json(flag, source);
    if (isRecord(value)) return value;
    throw new Failure("usage", `--${flag}: ${source} is not a JSON object`, {
      hint: "`waymark help sessions` shows what each part looks like. Nothing was saved.",
    });
  }

  json(flag: string, source: string): unknown {
    const path = source === STANDARD_INPUT ? source : resolve(this.#directory, source);
    const text = readGiven(flag, path, "Nothing was saved.");
    try {
      return JSON.parse(text);
    } catch {
      // The message of the parser shows the text, which may be secret.
      throw new Failure("usage", `--${flag}: ${source} is not JSON`, {
        hint: "Give one JSON document. Nothing was saved.",
      });
    }
  }
}
