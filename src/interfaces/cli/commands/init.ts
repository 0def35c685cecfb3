/** `waymark init` */
import { openSetup } from "../../../app.ts";
import { initProject, type InitResult } from "../../../operations/init-project.ts";
import { glanceAtCheckpoints } from "../../../operations/list-checkpoints.ts";
import type { DetectedProject } from "../../../ports/project-setup.ts";
import type { Context } from "../command-spec.ts";
import { offerHooks } from "../offer-hooks.ts";
import { oneLine } from "../printable.ts";
import { counted, humanBytes } from "../units.ts";

interface Options {
  force?: boolean;
  dryRun?: boolean;
  hooks?: boolean;
}

export async function run(context: Context): Promise<void> {
  const { output } = context;
  const options: Options = context.options;
  const dryRun = options.dryRun === true;
  const { setup, close } = await openSetup(context.directory, dryRun);
  try {
    const open = () => context.openProject();
    const result = await initProject(open, setup, { force: options.force === true, dryRun });
    const hooks = await offerHooks(context, { wish: options.hooks, dryRun });
    output.result("init", { ...document(result, dryRun), hooks: hooks.document }, [
      ...detectedLines(result.detected).map(([title, text]) => title.padEnd(11) + oneLine(text)),
      "",
      ...doneLines(result, dryRun),
      ...hooks.lines,
    ]);
    if (!dryRun) {
      const { checkpoints } = await glanceAtCheckpoints(await open(), {});
      output.say(nextStep(checkpoints.length));
    }
  } finally {
    close();
  }
}

function nextStep(checkpoints: number): string {
  return checkpoints === 0
    ? "`waymark create` creates the first checkpoint"
    : `\`waymark list\` shows the ${counted(checkpoints, "checkpoint")} of this work tree`;
}

function document(result: InitResult, dryRun: boolean): Record<string, unknown> {
  const { detected } = result;
  return {
    dry_run: dryRun,
    config_file: result.configFile,
    config_written: !dryRun && result.configWritten,
    would_write_config: dryRun && result.configWritten,
    kept_copy: result.keptCopy,
    detected: {
      git_version: detected.gitVersion,
      work_tree: detected.workTree,
      plain: detected.isPlain,
      branch: detected.branch,
      linked_work_tree: detected.isLinkedWorkTree,
      work_trees: detected.workTrees,
      tracked_files: detected.trackedFiles,
      untracked_files: detected.untrackedFiles,
      bytes: detected.bytes,
      submodules: detected.submodules,
      nested_repositories: detected.nestedRepositories,
      filters: detected.filters,
      sparse: detected.isSparse,
      partial_clone: detected.isPartialClone,
      shallow: detected.isShallow,
      agents: detected.agents,
      workflows: detected.workflows,
    },
  };
}

type Line = readonly [title: string, text: string];

function detectedLines(detected: DetectedProject): Line[] {
  const filters = Object.entries(detected.filters).map(
    ([driver, files]) => `${driver} (${counted(files, "file")})`,
  );
  const special = [
    ...(detected.isSparse ? ["sparse checkout"] : []),
    ...(detected.isPartialClone ? ["partial clone"] : []),
    ...(detected.isShallow ? ["shallow clone"] : []),
  ];
  const linked = detected.isLinkedWorkTree ? " (linked)" : "";
  const size = humanBytes(detected.bytes);
  const { trackedFiles: tracked, untrackedFiles: untracked } = detected;
  const place: Line[] = detected.isPlain
    ? [
        [
          "folder",
          `${detected.workTree}, without git: checkpoints are stored in ${detected.storedIn}`,
        ],
        ["files", `${untracked}, ${size}`],
      ]
    : [
        [
          "work tree",
          `${detected.workTree}${linked} (${detected.workTrees === 1 ? "no other work trees" : `one of ${detected.workTrees}`})`,
        ],
        ["branch", detected.branch?.replace("refs/heads/", "") ?? "detached HEAD"],
        ["files", `${tracked} tracked, ${untracked} untracked, ${size}`],
      ];
  return [
    ["git", detected.gitVersion],
    ...place,
    ...named("excluded", "submodules ", detected.submodules),
    ...named("excluded", "nested repositories ", detected.nestedRepositories),
    ...named("filters", "", filters),
    ...named("special", "", special),
    ...named("workflows", "", detected.workflows),
    ...named("agents", "", detected.agents),
  ];
}

const MOST_NAMED = 5;

function named(title: string, what: string, names: readonly string[]): Line[] {
  if (names.length === 0) return [];
  const more = names.length > MOST_NAMED ? ` and ${names.length - MOST_NAMED} more` : "";
  return [[title, `${what}${names.slice(0, MOST_NAMED).join(", ")}${more}`]];
}

function doneLines(result: InitResult, dryRun: boolean): string[] {
  const { configFile, configWritten, keptCopy } = result;
  const did = (done: string, would: string): string => (dryRun ? `would ${would}` : done);
  return [
    configWritten
      ? `${did("wrote", "write")} ${configFile}`
      : `${configFile} exists and was not changed; --force replaces it and keeps a copy`,
    ...(keptCopy === null ? [] : [`a copy of the old one is in ${keptCopy}`]),
  ];
}
