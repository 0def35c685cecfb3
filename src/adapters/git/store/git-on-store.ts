/** A git command of the user on the store, with the user's own settings and terminal. */
import { spawn } from "node:child_process";
import { constants } from "node:os";
import { Failure } from "../../../domain/failure.ts";
import type { Repository } from "../repository.ts";
import { cannotStart } from "../run-git.ts";
import { isStore } from "./store-place.ts";

/** Where git works; of a hook that calls us, or of another repository. */
const PLACES = [
  "GIT_WORK_TREE",
  "GIT_INDEX_FILE",
  "GIT_OBJECT_DIRECTORY",
  "GIT_ALTERNATE_OBJECT_DIRECTORIES",
  "GIT_COMMON_DIR",
  "GIT_NAMESPACE",
  "GIT_PREFIX",
];

/** Git's exit code. */
export function gitOnStore({ store }: Repository, directory: string, args: readonly string[]) {
  if (!isStore(store)) {
    throw new Failure("file_not_found", "there is no store yet: no checkpoint was created here", {
      hint: "`waymark create` creates it with the first checkpoint.",
    });
  }
  const env: NodeJS.ProcessEnv = { ...process.env, GIT_DIR: store.commonDir };
  for (const name of PLACES) delete env[name];
  return new Promise<number>((resolve, reject) => {
    const child = spawn("git", args, { cwd: directory, env, stdio: "inherit" });
    child.on("error", (error) => reject(cannotStart(error)));
    child.on("close", (code, signal) => resolve(code ?? 128 + signalNumber(signal)));
  });
}

function signalNumber(signal: NodeJS.Signals | null): number {
  return signal === null ? 0 : constants.signals[signal];
}
