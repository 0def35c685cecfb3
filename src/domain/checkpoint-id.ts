/** Checkpoint ids: `cp-{step}-{phase or name}-{UTC date}-{time}-{hash}`, also the last component of a ref. */

/** Keeps `refs/waymark/cp/<id>` under 80 characters, which some git clients need. */
const LONGEST_LABEL = 28;

const VALID_ID = /^[a-z0-9][a-z0-9-]{0,62}$/;

export interface IdParts {
  readonly step: number | null;
  readonly label: string;
  readonly at: Date;
  /** Four hexadecimal digits that tell apart checkpoints of the same second. */
  readonly hash: string;
}

export function makeCheckpointId(parts: IdParts): string {
  const step = String(Math.min(parts.step ?? 0, 99)).padStart(2, "0");
  const [date = "", time = ""] = parts.at.toISOString().replaceAll(/[-:]/g, "").split("T");
  return `cp-${step}-${slug(parts.label)}-${date}-${time.slice(0, 6)}-${parts.hash}`;
}

/** What an id says of a checkpoint whose document cannot be read. `at` sorts as time does; undefined: it is not of our making. */
export function readCheckpointId(
  id: string,
): { readonly step: number; readonly label: string; readonly at: string } | undefined {
  const [, step = "", label = "", date = "", time = ""] = OWN_ID.exec(id) ?? [];
  return step === "" ? undefined : { step: Number(step), label, at: date + time };
}

/** To the second, which is what ids have. */
export function isNoOlder(id: string, { created_at }: { readonly created_at: string }): boolean {
  return (readCheckpointId(id)?.at ?? "") >= created_at.replaceAll(/\D/g, "").slice(0, 14);
}

const OWN_ID = /^cp-(\d\d)-(.+)-(\d{8})-(\d{6})-[0-9a-f]{4}$/;

/** Works after later commits too: they are kept in the safety checkpoint of the rollback. */
export function restoreCommand(id: string): string {
  return `waymark rollback ${id} --yes --discard-commits`;
}

export function isCheckpointId(text: string): boolean {
  return VALID_ID.test(text);
}

/** Lower-case letters, digits and single dashes; never empty. */
export function slug(text: string): string {
  const cleaned = text
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .slice(0, LONGEST_LABEL)
    .replaceAll(/^-+|-+$/g, "");
  return cleaned === "" ? "x" : cleaned;
}
