/** How an archive is refused: what is wrong, and where. */
import { Failure } from "../../../domain/failure.ts";

export function refusal(problem: string, details: Readonly<Record<string, unknown>> = {}): Failure {
  return new Failure("archive_refused", `archive refused: ${problem}`, {
    hint: "Nothing was imported. Copy the file from its source again and compare its sha256.",
    details: { problem, ...details },
  });
}

/** What a refusal says without saying that it is one. */
export function problemOf(refused: Failure): string {
  const { problem } = refused.details;
  return typeof problem === "string" ? problem : refused.message;
}
