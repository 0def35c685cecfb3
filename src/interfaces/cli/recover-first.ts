/** What a killed rollback left is put right by the next command that changes something, and said. */
import type { Project } from "../../operations/project.ts";
import { recover } from "../../operations/recover.ts";
import type { Output } from "./output.ts";

export async function recoverFirst(project: Project, output: Output): Promise<void> {
  const recovered = await recover(project);
  if (recovered === undefined) return;
  const { outcome, unfinished, problems } = recovered;
  const what = outcome === "finished" ? "finished" : "reverted";
  output.warn(`an interrupted rollback to ${unfinished.targetId} was ${what} first`);
  for (const problem of problems) output.warn(problem);
}
