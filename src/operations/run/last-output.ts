/** The last line of each node that runs, from its log: for those who watch a run of another process. */
import { redact } from "../../domain/secrets/redact.ts";
import type { SessionDocument } from "../../domain/session.ts";
import { NO_PROGRESS, phaseOf } from "../../domain/workflow/progress.ts";
import type { RunEvent } from "../../domain/workflow/run-event.ts";
import type { Project } from "../project.ts";
import { LastLines } from "./last-lines.ts";

export async function lastOutput(project: Project, session: SessionDocument): Promise<RunEvent[]> {
  const { workflow: progress = NO_PROGRESS } = session;
  const events: RunEvent[] = [];
  for (const node of Object.values(progress.execution_graph?.nodes ?? {})) {
    const { log, name, phase, attempts: attempt } = node;
    if (node.status !== "running" || typeof log !== "string") continue;
    const lines = new LastLines(1);
    lines.add((await project.runFiles.endOfLog(log)) ?? new Uint8Array());
    if (lines.last === undefined) continue;
    events.push({
      event: "node_output",
      at: project.clock.now().toISOString(),
      session_id: session.id,
      phase,
      step: phaseOf(progress, phase)?.step ?? 0,
      node: name,
      attempt,
      line: redact(lines.last),
    });
  }
  return events;
}
