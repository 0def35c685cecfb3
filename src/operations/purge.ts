/** Removes an object, or every version of a path, from the store for good: with every checkpoint that contains it. */
import { among } from "../domain/among.ts";
import type { BytePath } from "../domain/byte-path.ts";
import { Failure } from "../domain/failure.ts";
import { targetText, type PurgeTarget } from "../domain/purge.ts";
import type { StoredCheckpoint } from "../ports/checkpoint-store.ts";
import type { Erasure, Holders } from "../ports/storage.ts";
import { audited } from "./audited.ts";
import { deletePlanned, planDeletion, type DeletionPlan } from "./delete-checkpoints.ts";
import type { Project } from "./project.ts";
import type { SessionView } from "./session-view.ts";

export interface PurgePlan {
  readonly target: PurgeTarget;
  readonly holders: Holders;
  readonly stored: readonly StoredCheckpoint[];
  readonly deleted: ReadonlySet<string>;
  readonly deletion: DeletionPlan;
}

/** `path`: what the text means as a path; `isThere`: there is such a file now, or it is written as one. */
export async function purgeTarget(
  project: Project,
  text: string,
  { path, isThere }: { readonly path: BytePath; readonly isThere: boolean },
): Promise<PurgeTarget> {
  const object = await (await project.storage()).objectNamed(text);
  const isPath = text.startsWith("./") || text.startsWith("/");
  if (object === undefined || isPath) return { kind: "path", path };
  if (!isThere) return object;
  throw new Failure("usage", `${text} is a revision and a path`, {
    hint: `\`waymark purge ./${text}\` means the path, \`waymark purge ${object.kind === "path" ? "" : object.oid}\` the ${object.kind}. Nothing was changed.`,
  });
}

export async function planPurge(
  project: Project,
  view: SessionView,
  target: PurgeTarget,
): Promise<PurgePlan> {
  const storage = await project.storage();
  const holders = await storage.holders(target, project.progress);
  if (holders.objects.length === 0 && holders.checkpoints.length === 0) {
    throw new Failure("file_not_found", `nothing contains ${targetText(target)}`, {
      hint: "Name a commit, a blob or a path that a checkpoint or a commit contains. Nothing was changed.",
    });
  }
  const isHolder = among(holders.checkpoints);
  const trash = (await project.checkpoints.listTrash()).filter(({ id }) => isHolder(id));
  const listed = view.stored.filter(({ id }) => isHolder(id));
  const stored = [...new Map([...trash, ...listed].map((one) => [one.id, one])).values()];
  const isListed = among(listed.map(({ id }) => id));
  const deleted = new Set(trash.map(({ id }) => id).filter((id) => !isListed(id)));
  const deletion = await planDeletion(project, view, stored, true);
  return { target, holders, stored, deleted, deletion };
}

export function purge(project: Project, plan: PurgePlan, reason: string | null): Promise<Erasure> {
  return audited(
    project,
    {
      operation: "purge",
      reason,
      checkpointIds: plan.stored.map(({ id }) => id),
      outcome: ({ released, rewritten, removed }) => ({
        checkpointIds: plan.stored.map(({ id }) => id),
        details: { target: targetText(plan.target), released, rewritten, removed },
      }),
    },
    () =>
      project.interruption.holdOff(
        () => purgePlanned(project, plan, reason),
        () => "finishing the purge",
      ),
  );
}

async function purgePlanned(
  project: Project,
  plan: PurgePlan,
  reason: string | null,
): Promise<Erasure> {
  if (plan.stored.length > 0) await deletePlanned(project, plan.deletion, { reason, now: true });
  return (await project.storage()).erase(plan.holders);
}
