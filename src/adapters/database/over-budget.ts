/** A database that is too large to be held in a repository. */
import { Failure } from "../../domain/failure.ts";
import { mebibytes } from "../../domain/human-bytes.ts";

export function overBudget(label: string, maxBytes: number): Failure {
  return new Failure("over_budget", `${label} is larger than ${mebibytes(maxBytes)}`, {
    hint: "Raise capture.max_database_mb in waymark.yml, or exclude the database and back it up with its own tools.",
  });
}
