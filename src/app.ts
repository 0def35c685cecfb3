/**
 * The composition root. With `src/assemble.ts`, which is loaded while git looks for the repository, it is the one place that
 * knows both the operations' ports and what stands behind them.
 */
import { realpathSync } from "node:fs";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import type { CapturePolicy } from "./domain/capture-policy.ts";
import type { CreatedBy } from "./domain/checkpoint.ts";
import type { ConsentAsk } from "./domain/config-consent.ts";
import { OWN_FILES } from "./domain/config-places.ts";
import type { ResolvedConfig } from "./domain/config-resolution.ts";
import { DEFAULT_CONFIG, type Config } from "./domain/config.ts";
import { counted } from "./domain/counted.ts";
import { Failure } from "./domain/failure.ts";
import type { TakenOver } from "./ports/earlier-checkpoints.ts";
import type { HealthCheck } from "./ports/health-check.ts";
import type { Interruption } from "./ports/interruption.ts";
import type { Progress } from "./ports/progress.ts";
import type { ProjectSetup } from "./ports/project-setup.ts";
import type { ChangedFile, SettingChange } from "./adapters/files/config-edit.ts";
import { elsewhereOf } from "./adapters/agents/elsewhere-memory.ts";
import { fromRoot } from "./adapters/files/real-path.ts";
import { hasOldCopies } from "./adapters/git/has-old-copies.ts";
import { hasEarlier, plainOwnFolder, privateGitDir } from "./adapters/git/plain/private-place.ts";
import { openRepository, type Repository } from "./adapters/git/repository.ts";
import type { AgentSetup } from "./operations/agent-hooks/agent-setup.ts";
import type { Project } from "./operations/project.ts";

export { elsewhereMemory } from "./adapters/agents/elsewhere-memory.ts";
export { endAllGit } from "./adapters/git/run-git.ts";

export interface OpenOptions {
  readonly directory: string;
  readonly policy?: Partial<CapturePolicy>;
  /** Is told how far long work has come. */
  readonly progress?: Progress;
  /** Says when the user wants to stop. */
  readonly interruption?: Interruption;
  /** Is told about settings that nobody knows. */
  readonly warn?: (message: string) => void;
  /** Is told what was done on the way that nobody asked for. */
  readonly tell?: (message: string) => void;
  /** A folder that is in no project becomes one; it is none again if nothing is stored in it until it is closed. */
  readonly makeProject?: boolean;
  /** Nothing is changed on the way: checkpoints from before a `git init` stay where they are. */
  readonly looksOnly?: boolean;
  /** Settings that are wrong: refuse (default), or warn and use the defaults in their place. */
  readonly onBadConfig?: "fail" | "warn";
  readonly agent?: Partial<Omit<CreatedBy, "user" | "host" | "pid">>;
}

export async function openGitProject(options: OpenOptions): Promise<Project> {
  let undoMaking: (() => void) | undefined;
  /** What there is to say about a project whose repository was deleted. */
  let lost: string | undefined;
  const [repository, { projectOf }] = await Promise.all([
    openRepository(options.directory, async (failure) => {
      if (options.makeProject !== true) throw failure;
      const { makePlain, removeUnused } = await import("./adapters/git/plain/make-plain.ts");
      const wasThere = existsSync(plainOwnFolder(options.directory));
      const made = await makePlain(options.directory, "usual");
      undoMaking = () => removeUnused(made, wasThere);
      if (failure.details["lost_project"] !== undefined) lost = failure.message;
      return made;
    }),
    import("./assemble.ts"),
  ]);
  try {
    if (options.looksOnly !== true) {
      const { openStore } = await import("./adapters/git/store/open-store.ts");
      const quiet = (): void => undefined;
      await openStore(repository, { tell: options.tell ?? quiet, warn: options.warn ?? quiet });
    }
    const project = await projectOf(repository, options);
    if (hasEarlier(repository)) await bringAlong(repository, project, options);
    if (hasOldCopies(repository)) await takeInOldCopies(repository, options);
    if (options.looksOnly !== true) await moveOwnFiles(repository, options);
    const unmake = undoMaking;
    // A folder far above may be the project, even the home folder; git says where its root is, a plain folder has no such sign.
    if (repository.isPlain && realpathSync(options.directory) !== repository.workTree)
      options.tell?.(`the project is ${repository.workTree}, a folder without git`);
    if (unmake === undefined) return project;
    if (lost !== undefined)
      options.warn?.(`${lost}. New checkpoints are stored in ${repository.gitDir}`);
    else
      options.tell?.(
        `${repository.workTree} is not a git repository; its checkpoints are stored in ${fromRoot(repository.workTree, repository.gitDir)}`,
      );
    return { ...project, close: () => (project.close(), unmake()) };
  } catch (error) {
    undoMaking?.();
    throw error;
  }
}

/** The folder has become a git work tree since. Whatever goes wrong keeps nobody from their work. */
async function bringAlong(
  repository: Repository,
  project: Project,
  options: OpenOptions,
): Promise<void> {
  const { workTree } = repository;
  const earlierIn = fromRoot(workTree, privateGitDir(workTree));
  if (options.looksOnly === true) {
    options.tell?.(
      `checkpoints from before this was a git work tree are in ${earlierIn}; the next command that changes ` +
        "something moves them into the repository; `waymark recover` does it now",
    );
    return;
  }
  const [{ projectOf }, { openPlain }, { takeOver }, { takeOverEarlier }] = await Promise.all([
    import("./assemble.ts"),
    import("./adapters/git/repository.ts"),
    import("./adapters/git/plain/take-over.ts"),
    import("./operations/take-over-earlier.ts"),
  ]);
  try {
    const earlier = await openPlain(workTree);
    const plain = await projectOf(earlier, { directory: workTree, onBadConfig: "warn" });
    try {
      const taken = await takeOverEarlier(project, plain, {
        takeOver: (at) => takeOver(repository, earlier, at),
      });
      for (const line of takenLines(taken)) options.tell?.(line);
      for (const { ref, why } of taken?.left ?? []) options.warn?.(`not moved: ${ref}: ${why}`);
    } finally {
      plain.close();
    }
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    options.warn?.(`checkpoints from before git stay in ${earlierIn}: ${error.message}`);
  }
}

/** Earlier versions kept them in the work tree. Whatever goes wrong keeps nobody from their work. */
async function moveOwnFiles(repository: Repository, options: OpenOptions): Promise<void> {
  const { isPlain, workTree } = repository;
  if (isPlain || ![".checkpoints", ".waymark"].some((name) => existsSync(join(workTree, name))))
    return;
  try {
    const { takeOverOwnFiles } = await import("./adapters/git/take-over-own-files.ts");
    const { moved } = await takeOverOwnFiles(repository);
    if (moved.length > 0) options.tell?.(`moved ${moved.join(", ")} to ${repository.ownFolder}`);
  } catch (error) {
    options.warn?.(`not moved to ${repository.ownFolder}: ${(error as Error).message}`);
  }
}

/** Copied files of checkpoints of earlier versions. What goes wrong is tried again by the next command. */
async function takeInOldCopies(repository: Repository, options: OpenOptions): Promise<void> {
  if (options.looksOnly === true) return;
  const [{ takeInCopies }, { ObjectReader }] = await Promise.all([
    import("./adapters/git/old-copies.ts"),
    import("./adapters/git/object-reader.ts"),
  ]);
  const reader = new ObjectReader(repository);
  try {
    const { taken, left } = await takeInCopies(repository, reader);
    if (taken.length > 0) {
      options.tell?.(`moved the copied files of ${counted(taken.length, "checkpoint")} into git`);
    }
    for (const { id, problem } of left) {
      options.warn?.(`the copied files of ${id} stay in .checkpoints/${id}: ${problem}`);
    }
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    options.warn?.(`copied files of earlier versions stay in .checkpoints/: ${error.message}`);
  } finally {
    reader.close();
  }
}

function takenLines(taken: TakenOver | undefined): string[] {
  if (taken === undefined) return [];
  const count = taken.ids.length === 1 ? "1 checkpoint" : `${taken.ids.length} checkpoints`;
  const rest = taken.left.length === 0 ? "; it can be deleted" : "";
  return [
    `moved ${count} from before this was a git work tree into its repository`,
    `their private repository is kept in ${taken.keptAt}${rest}`,
  ];
}

/** Where a project could not be opened: whether there is one at all, and what its settings are. Undefined: there is none. */
export async function unopenedProject(
  directory: string,
): Promise<{ readonly root: string; readonly config: Config } | undefined> {
  const [{ lookAbove }, { realOrSame }] = await Promise.all([
    import("./adapters/git/plain/find-plain.ts"),
    import("./adapters/files/real-path.ts"),
  ]);
  const { plain, gitEntry } = lookAbove(directory);
  // Inside of a git folder there is no work tree.
  if (gitEntry !== undefined && `${realOrSame(directory)}/`.startsWith(`${gitEntry}/`)) return;
  const root = gitEntry === undefined ? plain : dirname(gitEntry);
  if (root === undefined) return undefined;
  try {
    const { readSettings } = await import("./adapters/files/config-files.ts");
    const { config } = await readSettings(root, join(elsewhereOf(root), "config"), process.env);
    return { root, config };
  } catch {
    return { root, config: DEFAULT_CONFIG };
  }
}

/** With the user's own settings and terminal; answers with git's exit code. */
export async function runGitOnStore(directory: string, args: readonly string[]): Promise<number> {
  const [repository, { gitOnStore }] = await Promise.all([
    openRepository(directory),
    import("./adapters/git/store/git-on-store.ts"),
  ]);
  return gitOnStore(repository, directory, args);
}

/** Every setting of the project in this folder, and where it came from. */
export async function inspectConfig(directory: string): Promise<ResolvedConfig> {
  const [repository, { loadConfig }] = await Promise.all([
    openRepository(directory),
    import("./assemble.ts"),
  ]);
  return loadConfig(repository);
}

/** Keeps the user's consent to these settings of the project, and to no others; none: takes back all of it. */
export async function keepConsent(
  directory: string,
  asks: readonly ConsentAsk[],
): Promise<KeptConsent> {
  const [repository, { mainRoot }, { writeTrusted }] = await Promise.all([
    openRepository(directory),
    import("./assemble.ts"),
    import("./adapters/files/trusted-settings.ts"),
  ]);
  const project = mainRoot(repository);
  return { project, file: writeTrusted(project, process.env, asks) };
}

export interface KeptConsent {
  readonly project: string;
  readonly file: string;
}

export interface ChangedSetting extends ChangedFile {
  /** From the root of the project; the user's own: absolute. */
  readonly file: string;
  /** Undefined: outside of a project. */
  readonly resolved: ResolvedConfig | undefined;
}

/** Sets or removes a setting in the project's file or the user's own, and reads the settings again. */
const SETTINGS_WAIT_MS = 10_000;

export async function changeSetting(
  directory: string,
  isUsers: boolean,
  change: SettingChange,
): Promise<ChangedSetting> {
  const [opened, { loadConfig }, { editSettings, userFile }, { takeLock }] = await Promise.all([
    openRepository(directory).catch((error: unknown) => error),
    import("./assemble.ts"),
    import("./adapters/files/config-edit.ts"),
    import("./adapters/files/owned-lock.ts"),
  ]);
  const repository = opened instanceof Error ? undefined : (opened as Repository);
  if (repository === undefined && !isUsers) throw opened;
  const inProject = OWN_FILES.find((name) => existsSync(join(repository?.workTree ?? "", name)));
  const file = isUsers ? userFile(process.env) : (inProject ?? OWN_FILES[0]);
  const place = isUsers || repository === undefined ? file : join(repository.sharedDir, "settings");
  const lock = await takeLock(`${place}.lock`, "changing a setting", SETTINGS_WAIT_MS);
  try {
    const changed = editSettings(resolve(repository?.workTree ?? "/", file), file, change);
    const resolved = repository === undefined ? undefined : await loadConfig(repository);
    return { ...changed, file, resolved };
  } finally {
    lock.release();
  }
}

/** What `init` works with. A plain folder becomes a project; with `dryRun` it is only looked at as if it were one. */
export async function openSetup(
  directory: string,
  dryRun: boolean,
): Promise<{ readonly setup: ProjectSetup; readonly close: () => void }> {
  let elsewhere: string | undefined;
  const repository = await openRepository(directory, async () => {
    const { makeElsewhere, makePlain } = await import("./adapters/git/plain/make-plain.ts");
    if (!dryRun) return makePlain(directory, "wide");
    elsewhere = mkdtempSync(join(tmpdir(), "waymark-"));
    return makeElsewhere(directory, join(elsewhere, "repo.git"));
  });
  const { GitProjectSetup } = await import("./adapters/git/setup/git-project-setup.ts");
  const { ObjectReader } = await import("./adapters/git/object-reader.ts");
  const reader = new ObjectReader(repository.store);
  const close = (): void => {
    reader.close();
    if (elsewhere !== undefined) rmSync(elsewhere, { recursive: true, force: true });
  };
  return { setup: new GitProjectSetup(repository, reader), close };
}

/** What `doctor` looks at; outside of a repository only the machine. */
export async function openDoctor(
  options: OpenOptions,
  packageFolder: string,
): Promise<{ readonly checks: readonly HealthCheck[]; readonly close: () => void }> {
  const [{ machineChecks }, { openingChecks }, { repositoryChecks }] = await Promise.all([
    import("./adapters/git/health/machine-checks.ts"),
    import("./adapters/git/health/opening-checks.ts"),
    import("./adapters/git/health/repository-checks.ts"),
  ]);
  const { loadConfig, projectOf } = await import("./assemble.ts");
  const { configCheck, projectChecks } = await import("./operations/project-checks.ts");
  const { agentSetup } = await import("./assemble-agents.ts");
  const { agentHooksCheck } = await import("./operations/agent-hooks/agent-checks.ts");
  const { checks, repository } = await openingChecks(options.directory);
  const first = [...machineChecks(), ...checks];
  const setup = agentSetup(repository, packageFolder, process.env);
  if (repository === undefined) {
    return { checks: [...first, agentHooksCheck(setup, undefined)], close: () => undefined };
  }
  const project = await projectOf(repository, { ...options, onBadConfig: "warn" });
  return {
    checks: [
      ...first,
      ...repositoryChecks(repository),
      configCheck(() => loadConfig(repository)),
      ...projectChecks(project),
      agentHooksCheck(setup, project.agentMemory),
    ],
    close: project.close,
  };
}

/** What hooks of agents are installed with. `inProject`: false where the folder may be in none. */
export async function openAgentSetup(
  directory: string,
  packageFolder: string,
  inProject: boolean,
): Promise<AgentSetup> {
  const { agentSetup } = await import("./assemble-agents.ts");
  const repository = await openRepository(directory).catch((error: unknown) => {
    if (inProject || !(error instanceof Failure)) throw error;
    return undefined;
  });
  return agentSetup(repository, packageFolder, process.env);
}
