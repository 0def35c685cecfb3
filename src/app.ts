/**
 * The composition root. With `src/assemble.ts`, which is loaded while git looks for the repository, it is the one place that
 * knows both the operations' ports and what stands behind them.
 */
import type { CapturePolicy } from "./domain/capture-policy.ts";
import type { CreatedBy } from "./domain/checkpoint.ts";
import type { ResolvedConfig } from "./domain/config-resolution.ts";
import type { HealthCheck } from "./ports/health-check.ts";
import type { Interruption } from "./ports/interruption.ts";
import type { Progress } from "./ports/progress.ts";
import type { ProjectSetup } from "./ports/project-setup.ts";
import { openRepository } from "./adapters/git/repository.ts";
import type { Project } from "./operations/project.ts";

export interface OpenOptions {
  readonly directory: string;
  readonly policy?: Partial<CapturePolicy>;
  /** Is told how far long work has come. */
  readonly progress?: Progress;
  /** Says when the user wants to stop. */
  readonly interruption?: Interruption;
  /** Is told about settings that nobody knows. */
  readonly warn?: (message: string) => void;
  /** Settings that are wrong: refuse (default), or warn and use the defaults in their place. */
  readonly onBadConfig?: "fail" | "warn";
  readonly agent?: Pick<CreatedBy, "agent" | "agent_session_id" | "tool_use_id">;
}

export async function openGitProject(options: OpenOptions): Promise<Project> {
  const [repository, { projectOf }] = await Promise.all([
    openRepository(options.directory),
    import("./assemble.ts"),
  ]);
  return projectOf(repository, options);
}

/** Every setting of the project in this folder, and where it came from. */
export async function inspectConfig(directory: string): Promise<ResolvedConfig> {
  const [repository, { loadConfig }] = await Promise.all([
    openRepository(directory),
    import("./assemble.ts"),
  ]);
  return loadConfig(repository);
}

/** What `init` works with. */
export async function openSetup(
  directory: string,
): Promise<{ readonly setup: ProjectSetup; readonly close: () => void }> {
  const repository = await openRepository(directory);
  const { GitProjectSetup } = await import("./adapters/git/setup/git-project-setup.ts");
  const { ObjectReader } = await import("./adapters/git/object-reader.ts");
  const reader = new ObjectReader(repository);
  return { setup: new GitProjectSetup(repository, reader), close: () => reader.close() };
}

/** What `doctor` looks at; outside of a repository only the machine. */
export async function openDoctor(
  options: OpenOptions,
): Promise<{ readonly checks: readonly HealthCheck[]; readonly close: () => void }> {
  const [{ machineChecks }, { openingChecks }, { repositoryChecks }] = await Promise.all([
    import("./adapters/git/health/machine-checks.ts"),
    import("./adapters/git/health/opening-checks.ts"),
    import("./adapters/git/health/repository-checks.ts"),
  ]);
  const { loadConfig, projectOf } = await import("./assemble.ts");
  const { configCheck, projectChecks } = await import("./operations/project-checks.ts");
  const { checks, repository } = await openingChecks(options.directory);
  const first = [...machineChecks(), ...checks];
  if (repository === undefined) return { checks: first, close: () => undefined };
  const project = await projectOf(repository, { ...options, onBadConfig: "warn" });
  return {
    checks: [
      ...first,
      ...repositoryChecks(repository),
      configCheck(() => loadConfig(repository)),
      ...projectChecks(project),
    ],
    close: project.close,
  };
}
