/** Somebody who saves in the middle of a rollback, always at the same moment: when it has planned all, and moves the first file. */
import type { Project } from "../../src/operations/project.ts";

/** From now on, in every rollback of this project. */
export function saveMeanwhile({ restorer }: Project, save: () => Promise<void>): void {
  const begin = restorer.begin.bind(restorer);
  restorer.begin = async (...given) => {
    const restore = await begin(...given);
    const apply = restore.apply.bind(restore);
    restore.apply = async (safety) => {
      await save();
      return apply(safety);
    };
    return restore;
  };
}
