/** What to say about a rollback of a process that cannot be seen from here: it may be at work, or gone for ever. */

interface OutOfSight {
  readonly rollbackId: string;
  readonly targetId: string;
  readonly since: string;
  readonly owner: { readonly host: string; readonly pid: number };
}

export function outOfSightText({ targetId, since, owner: { host, pid } }: OutOfSight): string {
  return (
    `a rollback to ${targetId || "a checkpoint"}, started ${since}, is unfinished, ` +
    `and it cannot be determined from here whether process ${pid} on ${host} is still running it`
  );
}

export function outOfSightHint({ rollbackId }: OutOfSight): string {
  return (
    "Wait until it has finished. If that process is definitely gone, " +
    `\`waymark recover --take-over ${rollbackId}\` finishes or reverts the rollback.`
  );
}

export function outOfSightWarning(unfinished: OutOfSight): string {
  return `${outOfSightText(unfinished)}. ${outOfSightHint(unfinished)}`;
}
