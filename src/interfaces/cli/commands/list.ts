/** `waymark list` */
import type { Trigger } from "../../../domain/checkpoint.ts";
import {
  listCheckpoints,
  type Listed,
  type ListRequest,
} from "../../../operations/list-checkpoints.ts";
import type { Context } from "../command-spec.ts";
import type { Output } from "../output.ts";

interface Options {
  all?: boolean;
  task?: string;
  phase?: string;
  trigger?: Trigger;
  limit?: number;
}

export async function run(context: Context): Promise<void> {
  const { output } = context;
  const project = await context.openProject();
  const list = await listCheckpoints(project, request(context.options, context.sessionId));
  const warning = project.restorer.unfinished();
  if (warning !== undefined) {
    output.warn("a rollback was interrupted; `waymark recover` finishes it or takes it back");
  }
  output.result(
    "checkpoint_list",
    {
      session_id: list.sessionId,
      checkpoints: list.checkpoints.map(toJson),
      unfinished_rollback: warning ?? null,
    },
    list.checkpoints.map((listed) => line(listed, output)),
  );
  if (list.checkpoints.length === 0) {
    output.say("no checkpoints yet: `waymark create` takes one");
  }
}

function request(options: Options, session: string | undefined): ListRequest {
  return {
    ...(session === undefined ? {} : { sessionId: session }),
    ...(options.all === undefined ? {} : { all: options.all }),
    ...(options.task === undefined ? {} : { taskId: options.task }),
    ...(options.phase === undefined ? {} : { phase: options.phase }),
    ...(options.trigger === undefined ? {} : { trigger: options.trigger }),
    ...(options.limit === undefined ? {} : { limit: options.limit }),
  };
}

function toJson(listed: Listed): Record<string, unknown> {
  switch (listed.kind) {
    case "ok":
      return {
        ...listed.document,
        ...listed.standing,
        current: listed.isCurrent,
        pinned: listed.pinned,
        damaged: false,
      };
    case "damaged":
      return { id: listed.id, valid: false, damaged: true, problem: listed.problem };
    case "newer":
      return {
        id: listed.id,
        valid: false,
        damaged: false,
        newer: true,
        schema_version: listed.version,
      };
  }
}

function line(listed: Listed, output: Output): string {
  if (listed.kind === "damaged") {
    return `  ${listed.id}  ${output.paint("red", "damaged")}: ${listed.problem}`;
  }
  if (listed.kind === "newer") {
    return `  ${listed.id}  ${output.paint("yellow", "newer")}: format ${listed.version}`;
  }
  const { document, standing, isCurrent } = listed;
  const mark = isCurrent ? "*" : standing.valid ? " " : "x";
  const about = document.reason ?? document.name ?? document.phase ?? "";
  const text = `${mark} ${document.id}  ${document.trigger}  ${document.created_at}  ${about}`;
  return standing.valid ? text.trimEnd() : output.paint("dim", `${text.trimEnd()}  (invalid)`);
}
