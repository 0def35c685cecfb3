/** What to do about an unfinished session of the workflow that somebody wants to run. */
import type { SessionDocument } from "../../domain/session.ts";
import { unfinishedFailure } from "../../operations/run/start-workflow.ts";

export type UnfinishedAnswer = "resume" | "fresh";

export interface UnfinishedFlags {
  readonly fresh?: boolean;
  readonly resume?: boolean;
}

/** Flags answer; without them nobody guesses. */
export function offerResume(
  session: SessionDocument,
  { fresh, resume }: UnfinishedFlags,
): Promise<UnfinishedAnswer> {
  if (resume === true) return Promise.resolve("resume");
  if (fresh === true) return Promise.resolve("fresh");
  return Promise.reject(unfinishedFailure(session));
}
