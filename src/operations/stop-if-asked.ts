/** For a rollback that is not a fact yet: the wish to stop is a failure like any other, so everything is put back. */
import { Failure } from "../domain/failure.ts";
import type { Project } from "./project.ts";

export function stopIfAsked({ interruption }: Pick<Project, "interruption">): void {
  if (interruption.isAsked) throw interrupted(undefined);
}

export function interrupted(cause: Failure | undefined): Failure {
  return new Failure("interrupted", "the rollback was interrupted", {
    hint: "The project is as it was before. Run the command again to roll back.",
    cause,
  });
}
