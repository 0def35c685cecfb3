/** What the tests of the documents have in common: commands as people see them, and a session that an orchestrator drives. */
import type { RuleProject } from "../spec/project.ts";
import { cliEnvironment, waymarkArguments } from "../support/cli.ts";
import { runCommand } from "../support/run-command.ts";

export interface Said {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** In a pipe, without `--json`. */
export async function talk({ repo }: RuleProject, ...args: readonly string[]): Promise<Said> {
  const options = { env: cliEnvironment(repo.env) };
  const result = await runCommand(process.execPath, waymarkArguments(repo.root, ...args), options);
  const { code, stdout, stderr } = result;
  return { code, stdout: stdout.toString("utf8"), stderr };
}

export interface Step {
  readonly name: string;
  readonly number: number;
  readonly outputs?: object;
  readonly metrics?: object;
  readonly iteration?: number;
}

/** One step of a session, done and saved as an orchestrator does it; the id of its checkpoint. */
export async function saveStep(project: RuleProject, step: Step): Promise<string> {
  const { repo } = project;
  const given = async (flag: string, value: object | undefined): Promise<string[]> => {
    if (value === undefined) return [];
    await repo.write(`../${flag}.json`, JSON.stringify(value));
    return [`--${flag}`, `${repo.base}/${flag}.json`];
  };
  await project.ok(
    "session",
    "save",
    "--phase",
    step.name,
    "--step",
    String(step.number),
    ...(step.iteration === undefined ? [] : ["--iteration", String(step.iteration)]),
    ...(await given("outputs", step.outputs)),
    ...(await given("metrics", step.metrics)),
  );
  return project.create("-m", `step ${step.number} is done`);
}
