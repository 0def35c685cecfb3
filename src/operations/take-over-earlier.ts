/** Takes over the checkpoints of a plain folder that has become a git work tree, with their journal and undo lists. */
import type { EarlierCheckpoints, TakenOver } from "../ports/earlier-checkpoints.ts";
import type { Project } from "./project.ts";
import { recordJournalEvent } from "./record-journal-event.ts";
import { recover } from "./recover.ts";

/** `plain` is the same folder by its private repository. A rollback that was killed there is taken back there first. */
export async function takeOverEarlier(
  project: Project,
  plain: Project,
  earlier: EarlierCheckpoints,
): Promise<TakenOver | undefined> {
  await plain.restorer.whenIdle();
  plain.sweep();
  await recover(plain);
  return project.interruption.holdOff(async () => {
    const taken = await earlier.takeOver(project.clock.now());
    if (taken === undefined || taken.ids.length === 0) return taken;
    await recordJournalEvent(project, "take_over", taken.ids, { kept_at: taken.keptAt });
    return taken;
  });
}
