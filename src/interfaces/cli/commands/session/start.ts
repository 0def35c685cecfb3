/** `waymark session start` */
import { Failure } from "../../../../domain/failure.ts";
import { isUnfinished } from "../../../../domain/workflow/session-status.ts";
import type { Project } from "../../../../operations/project.ts";
import { startSession } from "../../../../operations/start-session.ts";
import type { Context } from "../../command-spec.ts";
import { oneLine } from "../../printable.ts";
import { reportChange } from "../../session-change.ts";

interface Options {
  type?: string;
  project?: string;
  description?: string;
  topic?: string;
  task?: string;
  issue?: number;
  id?: string;
}

export async function run(context: Context): Promise<void> {
  const { output } = context;
  const options: Options = context.options;
  if (options.type === undefined) {
    throw new Failure("usage", "no session type given", {
      hint: "Add --type with any word: `waymark session start --type implement`. Nothing was changed.",
    });
  }
  const project = await context.openProject();
  const warnings = await unfinishedBefore(project);
  const session = await startSession(project, {
    workflowType: options.type,
    warn: (message) => void warnings.push(message),
    ...(options.id === undefined ? {} : { id: options.id }),
    ...(options.project === undefined ? {} : { projectName: options.project }),
    ...(options.description === undefined ? {} : { description: options.description }),
    ...(options.topic === undefined ? {} : { topic: options.topic }),
    ...(options.task === undefined ? {} : { taskId: options.task }),
    ...(options.issue === undefined ? {} : { issueNumber: options.issue }),
  });
  await reportChange(project, output, {
    action: "start",
    session,
    changed: true,
    warnings,
    line: `${output.paint("green", "started")} ${oneLine(session.id)}`,
  });
  output.say("new checkpoints of this work tree belong to it; `waymark session complete` ends it");
}

/** It goes on as it is, but commands no longer work with it by themselves. */
async function unfinishedBefore(project: Project): Promise<string[]> {
  const id = project.currentSession.get();
  const before = id === undefined ? undefined : await project.sessions.read(id);
  if (before === undefined || !isUnfinished(before.document.status)) return [];
  const { status } = before.document;
  return [`session ${id} is still ${status}; \`waymark resume ${id}\` continues it`];
}
