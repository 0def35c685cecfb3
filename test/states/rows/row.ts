/** One repository state: how to get there, and how somebody spoils it afterwards. */
import { type TempRepository } from "../../support/temp-repository.ts";

export interface Row {
  readonly name: string;
  /** Starts in an empty project folder; returns another project when the state lives there (a clone, a linked work tree). */
  readonly prepare: (project: TempRepository) => Promise<TempRepository | void>;
  readonly wreck: (project: TempRepository) => Promise<void>;
  /** After create, before the wreck: removes what may be there during create only. */
  readonly afterCreate?: (project: TempRepository) => Promise<void>;
  /** At the very end, back at the checkpoint: the state is not only equal, git can go on from it. */
  readonly goesOn?: (project: TempRepository) => Promise<void>;
  /** Differences that are not held against a rollback, and why. */
  readonly exempt?: { readonly differences: RegExp; readonly because: string };
  /** False when this git cannot make the state at all. */
  readonly possible?: () => Promise<boolean>;
}

export async function init(project: TempRepository, ...args: readonly string[]): Promise<void> {
  await project.git("init", "-q", "-b", "main", ...args);
}
