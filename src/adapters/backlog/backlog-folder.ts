/** Where Backlog.md keeps its tasks in a project, found as Backlog.md itself finds it. */
import { join, normalize } from "node:path";
import { TASK_FOLDERS, type TaskFolder } from "../../domain/task.ts";
import { contentOf } from "../files/state/exchange-file.ts";
import { statOf } from "../files/file-stat.ts";

const ROOT_CONFIG = "backlog.config.yml";
const USUAL_FOLDERS = ["backlog", ".backlog"];
const FOLDER_CONFIGS = ["config.yml", "config.yaml"];

export interface BacklogFolder {
  /** From the root of the project. */
  readonly path: string;
  /** What ids of tasks begin with. */
  readonly prefix: string;
}

export interface PlaceOfTasks {
  readonly folder: TaskFolder;
  /** From the root of the project. */
  readonly path: string;
}

export function findBacklog(root: string): BacklogFolder | undefined {
  const rootConfig = textOf(join(root, ROOT_CONFIG));
  const named = rootConfig === undefined ? undefined : namedFolder(rootConfig);
  const path = named ?? USUAL_FOLDERS.find((folder) => isFolder(join(root, folder)));
  if (path === undefined || !isFolder(join(root, path))) return undefined;
  const config =
    rootConfig ??
    FOLDER_CONFIGS.map((name) => textOf(join(root, path, name))).find((text) => text !== undefined);
  const prefix = settingIn(config ?? "", ["task_prefix", "taskPrefix"]);
  return { path, prefix: prefix === undefined || !/^[a-z]+$/i.test(prefix) ? "task" : prefix };
}

/** Every folder that may have the file of a task, the one for present work first. */
export function placesOf(backlog: BacklogFolder): PlaceOfTasks[] {
  return TASK_FOLDERS.flatMap((folder) =>
    SUBFOLDERS[folder].map((below) => ({ folder, path: `${backlog.path}/${below}` })),
  );
}

const SUBFOLDERS: Readonly<Record<TaskFolder, readonly string[]>> = {
  tasks: ["tasks"],
  completed: ["completed"],
  drafts: ["drafts"],
  archive: ["archive/tasks", "archive/drafts"],
};

function namedFolder(config: string): string | undefined {
  const value = settingIn(config, ["backlog_directory", "backlogDirectory"]);
  if (value === undefined || /^(?:[a-z]:)?[\\/]/i.test(value)) return undefined;
  const path = normalize(value).replaceAll("\\", "/").replace(/\/+$/, "");
  return path === "" || path === "." || path === ".." || path.startsWith("../") ? undefined : path;
}

/** Its settings stand on one line each. */
function settingIn(config: string, names: readonly string[]): string | undefined {
  for (const line of config.split(/\r?\n/)) {
    const [, name, value] = /^\s*(\w+)\s*:\s*(.*?)\s*$/.exec(line) ?? [];
    if (name === undefined || value === undefined || !names.includes(name)) continue;
    const plain = /^(["'])(.*)\1/.exec(value)?.[2] ?? value.replace(/\s+#.*$/, "");
    return plain === "" ? undefined : plain;
  }
  return undefined;
}

function textOf(path: string): string | undefined {
  return contentOf(path)?.toString("utf8");
}

function isFolder(path: string): boolean {
  return statOf(`${path}/.`)?.isDirectory() === true;
}
