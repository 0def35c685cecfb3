/** A rollback that was killed, for those that only tell of it. */
import { Failure } from "../domain/failure.ts";
import type { Unfinished } from "../ports/restorer.ts";
import type { Project } from "./project.ts";

/** A record that cannot be read keeps nobody from looking or from taking a checkpoint; what changes the project still fails by it. */
export function lookForUnfinished(
  { restorer }: Pick<Project, "restorer">,
  tell: (message: string) => void,
): Unfinished | undefined {
  try {
    return restorer.unfinished();
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    tell(`${error.message}. ${error.hint}`);
    return undefined;
  }
}
