/**
 * Decides which checkpoints may leave the machine. For everything that sends or writes them elsewhere: secrets that a checkpoint
 * holds (a safety checkpoint holds what it has to, and `--include-secrets` or the settings let some in) stay here unless the user names them.
 */
import { isInside, showPath, type BytePath } from "../domain/byte-path.ts";
import type { CheckpointDocument } from "../domain/checkpoint.ts";
import { Failure } from "../domain/failure.ts";
import { secretText } from "../domain/secrets/secret-text.ts";
import { sensitiveNames } from "../domain/sensitive-name.ts";
import type { HeldSecret } from "../ports/held-secrets.ts";
import { shownPart } from "./include-secrets.ts";
import type { Project } from "./project.ts";

export interface WithheldCheckpoint {
  readonly id: string;
  readonly secrets: readonly HeldSecret[];
}

export interface SecretCheck {
  /** They hold no secret that was not named. */
  readonly free: readonly CheckpointDocument[];
  readonly withheld: readonly WithheldCheckpoint[];
  /** Secrets that go along because they were named. */
  readonly named: readonly (HeldSecret & { readonly checkpointId: string })[];
}

/** `include`: files, and folders with all that is below, that may leave. One that no checkpoint holds as a secret is an error. */
export async function checkSecrets(
  project: Project,
  documents: readonly CheckpointDocument[],
  include: readonly BytePath[],
): Promise<SecretCheck> {
  const held = await findSecrets(project, documents);
  refuseUnknown(held, include);
  const isNamed = ({ path }: HeldSecret): boolean => include.some((part) => isInside(path, part));
  const withheld: WithheldCheckpoint[] = [];
  for (const [id, all] of held) {
    const secrets = all.filter((secret) => !isNamed(secret));
    if (secrets.length > 0) withheld.push({ id, secrets });
  }
  const stay = new Set(withheld.map(({ id }) => id));
  const named = [...held].flatMap(([id, all]) =>
    stay.has(id) ? [] : all.map((secret) => ({ ...secret, checkpointId: id })),
  );
  return { free: documents.filter(({ id }) => !stay.has(id)), withheld, named };
}

/** Also with `secrets.exclude: false`: what may be held here may not go anywhere. */
function findSecrets(
  project: Project,
  documents: readonly CheckpointDocument[],
): Promise<ReadonlyMap<string, readonly HeldSecret[]>> {
  const { patterns, scan } = project.config.secrets;
  return project.heldSecrets.find(documents, {
    isSensitiveName: sensitiveNames(patterns),
    scanContent: scan,
    progress: project.progress,
  });
}

/** Untracked files of these checkpoints whose content is not to be printed, each once. */
export async function secretsIn(
  project: Project,
  documents: readonly CheckpointDocument[],
): Promise<HeldSecret[]> {
  const held = await findSecrets(project, documents);
  return [...new Map([...held.values()].flat().map((secret) => [secret.path, secret])).values()];
}

function refuseUnknown(
  held: ReadonlyMap<string, readonly HeldSecret[]>,
  include: readonly BytePath[],
): void {
  const all = [...held.values()].flat();
  for (const part of include) {
    if (all.some(({ path }) => isInside(path, part))) continue;
    throw new Failure(
      "usage",
      `--include-secrets: none of these checkpoints holds ${shownPart(part)} as a secret`,
      {
        hint: "Name files as they are listed without this option, after the checkpoints. Nothing was written.",
      },
    );
  }
}

const MOST_LISTED = 5;

/** In words: which files, and why; never what is in them. */
export function withheldText({ secrets }: WithheldCheckpoint): string {
  const listed = secrets
    .slice(0, MOST_LISTED)
    .map((secret) => `${showPath(secret.path)} (${secretText(secret)})`);
  return listed.join(", ") + (secrets.length > MOST_LISTED ? ", …" : "");
}

export function secretsHeld(withheld: readonly WithheldCheckpoint[]): Failure {
  const [first] = withheld;
  const others = withheld.length - 1;
  return new Failure(
    "secrets_held",
    `${first?.id ?? ""} holds what must not leave this machine: ${first === undefined ? "" : withheldText(first)}` +
      (others > 0
        ? `; and ${others} more ${others === 1 ? "checkpoint does" : "checkpoints do"}`
        : ""),
    {
      hint:
        "Choose other checkpoints, or name the files that may leave with `--include-secrets PATH`, after the checkpoints. " +
        "Nothing was written.",
      details: {
        checkpoints: withheld.map(({ id, secrets }) => ({
          id,
          secrets: secrets.map(({ path, ...why }) => ({ path: showPath(path), ...why })),
        })),
      },
    },
  );
}
