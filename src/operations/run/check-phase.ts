/** What is done after the nodes of a phase: its checks, its outputs, its metrics. */
import { isRecord } from "../../domain/is-record.ts";
import { redact, redactValue } from "../../domain/secrets/redact.ts";
import { folderOf, variablesOf, type WorkflowPhase } from "../../domain/workflow/definition.ts";
import { phaseOf, type WorkflowProgress } from "../../domain/workflow/progress.ts";
import { collectOutputs, jsonOf, MOST_STDOUT_BYTES } from "./collect-outputs.ts";
import { attemptPlace, runCommand, type CommandOutcome } from "./run-command.ts";
import { inFolder, nodeEnvironment } from "./run-node.ts";
import type { Run } from "./run.ts";
import type { TimeLimit } from "./time-limit.ts";

export type CheckResult =
  | { readonly kind: "good"; readonly change: (progress: WorkflowProgress) => WorkflowProgress }
  | {
      readonly kind: "bad";
      readonly error: string;
      readonly log: string | null;
      readonly lastLines: readonly string[];
    };

export async function checkPhase(
  run: Run,
  phase: WorkflowPhase,
  phaseLimit: TimeLimit,
): Promise<CheckResult> {
  for (const [index, line] of phase.verify.entries()) {
    const command = redact(line);
    run.emit({ event: "verify_started", phase: phase.name, step: phase.step, command });
    const { outcome, log } = await runCheck(run, phase, phaseLimit, `verify-${index + 1}`, line);
    run.emit({
      event: "verify_finished",
      phase: phase.name,
      step: phase.step,
      command,
      ok: outcome.end === "ok",
      error: outcome.error,
      duration_ms: outcome.durationMs,
      log,
    });
    run.control.refuseHalted();
    if (outcome.end !== "ok") {
      const error = `the check \`${command}\` failed: ${outcome.error ?? outcome.end}`;
      return { kind: "bad", error, log, lastLines: outcome.lastLines.map(redact) };
    }
  }
  const { runFiles, workTree } = run.project;
  const collected = await collectOutputs(runFiles, workTree.root, phase.outputs, null);
  if (collected.problems.length > 0) {
    return { kind: "bad", error: redact(collected.problems.join("; ")), log: null, lastLines: [] };
  }
  const metrics = await readMetrics(run, phase, phaseLimit);
  return {
    kind: "good",
    change: (progress) => ({
      ...progress,
      outputs: { ...progress.outputs, ...collected.values },
      metrics: { ...progress.metrics, ...metrics },
    }),
  };
}

/** What cannot be measured is said; it takes nobody's work back. */
async function readMetrics(
  run: Run,
  phase: WorkflowPhase,
  phaseLimit: TimeLimit,
): Promise<Readonly<Record<string, unknown>>> {
  if (phase.metrics === null) return {};
  const { outcome, log } = await runCheck(run, phase, phaseLimit, "metrics", phase.metrics);
  run.control.refuseHalted();
  const read = outcome.end === "ok" ? jsonOf(outcome.stdout) : undefined;
  if (read?.kind === "value" && isRecord(read.value)) {
    return redactValue(read.value) as Record<string, unknown>;
  }
  const why =
    read === undefined
      ? (outcome.error ?? outcome.end)
      : read.kind === "bad"
        ? read.problem
        : "its output is not a JSON object";
  run.warn(`no metrics of ${phase.name}: ${why} (${log})`, phase);
  return {};
}

async function runCheck(
  run: Run,
  phase: WorkflowPhase,
  phaseLimit: TimeLimit,
  name: string,
  line: string,
): Promise<{ readonly outcome: CommandOutcome; readonly log: string }> {
  const { runFiles, workTree } = run.project;
  const attempt = phaseOf(run.progress, phase.name)?.attempts ?? 1;
  const log = await runFiles.openLog(attemptPlace(run, phase, name, attempt));
  const state = await runFiles.writeJson(
    attemptPlace(run, phase, name, attempt),
    "state",
    run.progress.state ?? {},
  );
  try {
    const outcome = await runCommand(run, {
      phase,
      name,
      line,
      cwd: inFolder(workTree.root, folderOf(run.workflow, phase)),
      env: {
        ...variablesOf(run.workflow, phase),
        ...nodeEnvironment(run, phase, name, attempt),
        WAYMARK_STATE: state,
      },
      log,
      timeoutMs: null,
      phaseLimit,
      keepStdout: MOST_STDOUT_BYTES,
      isOneOfSeveral: false,
    });
    return { outcome, log: log.path };
  } finally {
    log.close();
    await runFiles.remove(state);
  }
}
