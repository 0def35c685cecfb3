/** Everything that stands behind installing hooks, put together. */
import { createHash } from "node:crypto";
import { basename, dirname, join, relative } from "node:path";
import { whereItLeads } from "./adapters/files/real-path.ts";
import { homeFolder, NO_FOLDER, userFolder } from "./adapters/files/user-folders.ts";
import { parsePath } from "./domain/byte-path.ts";
import { DiskAgentFiles } from "./adapters/agents/disk-agent-files.ts";
import { DiskInstallRecords } from "./adapters/agents/disk-install-records.ts";
import { JsoncSettingsText } from "./adapters/agents/jsonc-settings-text.ts";
import { NodeAgentPrograms } from "./adapters/agents/node-agent-programs.ts";
import { IgnoreRules } from "./adapters/git/ignore-rules.ts";
import type { Repository } from "./adapters/git/repository.ts";
import { sha256 } from "./adapters/git/sha256.ts";
import type { AgentSetup } from "./operations/agent-hooks/agent-setup.ts";

const RECORDS = "agents-installed";

/** `repository`: undefined where the folder is in no project. */
export function agentSetup(
  repository: Repository | undefined,
  packageFolder: string,
  env: NodeJS.ProcessEnv,
): AgentSetup {
  const home = homeFolder() ?? NO_FOLDER;
  const ownState = join(userFolder("XDG_STATE_HOME") ?? NO_FOLDER, "waymark");
  const ofUser = new DiskInstallRecords(join(ownState, RECORDS));
  const ofProject =
    repository === undefined ? ofUser : new DiskInstallRecords(join(repository.sharedDir, RECORDS));
  return {
    around: { root: repository?.workTree ?? null, ...mainRootOf(repository), home, env },
    files: new DiskAgentFiles(join(repository?.sharedDir ?? ownState, "agents-staging")),
    settings: new JsoncSettingsText(),
    programs: new NodeAgentPrograms(env),
    records: (scope) => (scope === "user" ? ofUser : ofProject),
    ignored: async (paths) => (repository === undefined ? new Set() : ignoredIn(repository, paths)),
    digest: (bytes) => createHash("sha256").update(bytes).digest("hex"),
    sha256,
    clock: { now: () => new Date() },
    program: { node: process.execPath, script: join(packageFolder, "dist", "bin.cjs") },
    packageFolder,
  };
}

function mainRootOf(repository: Repository | undefined): { readonly mainRoot?: string } {
  if (repository === undefined || repository.isPlain) return {};
  const { commonDir, gitDir } = repository;
  const isLinked = commonDir !== gitDir && basename(commonDir) === ".git";
  return isLinked ? { mainRoot: dirname(commonDir) } : {};
}

async function ignoredIn(
  repository: Repository,
  paths: readonly string[],
): Promise<ReadonlySet<string>> {
  const rules = new IgnoreRules(repository);
  try {
    // Git takes no path beyond a link; what a link leads out of the project is none of git's.
    const names = new Map(
      paths
        .map((path) => [relative(repository.workTree, whereItLeads(path)), path] as const)
        .filter(([name]) => !name.startsWith(".."))
        .map(([name, path]) => [parsePath(name), path]),
    );
    const ignored = await rules.ignored([...names.keys()]);
    return new Set([...ignored].flatMap((name) => names.get(name) ?? []));
  } finally {
    rules.close();
  }
}
