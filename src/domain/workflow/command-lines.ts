/** Every shell line that a workflow can run, for somebody who is to agree to it. */
import { folderOf, variablesOf, type Variables, type Workflow } from "./definition.ts";

export interface CommandLine {
  readonly phase: string;
  /** Null: a line of the whole phase. */
  readonly node: string | null;
  readonly kind: "run" | "verify" | "resolver" | "metrics";
  readonly line: string;
  /** From the root of the project. */
  readonly cwd: string;
  /** What the workflow file adds to the environment: variables can make a harmless line do something else. */
  readonly env: Variables;
}

export function commandLines(workflow: Workflow): CommandLine[] {
  return workflow.phases.flatMap((phase) => {
    const ofPhase = (kind: CommandLine["kind"], line: string): CommandLine => ({
      phase: phase.name,
      node: null,
      kind,
      line,
      cwd: folderOf(workflow, phase),
      env: variablesOf(workflow, phase),
    });
    return [
      ...phase.nodes.map((node): CommandLine => ({
        phase: phase.name,
        node: node.name,
        kind: "run",
        line: node.run,
        cwd: folderOf(workflow, phase, node),
        env: variablesOf(workflow, phase, node),
      })),
      ...(phase.resolver === null ? [] : [ofPhase("resolver", phase.resolver)]),
      ...phase.verify.map((line) => ofPhase("verify", line)),
      ...(phase.metrics === null ? [] : [ofPhase("metrics", phase.metrics)]),
    ];
  });
}
