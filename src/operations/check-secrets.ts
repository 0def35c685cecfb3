/**
 * Decides which checkpoints may leave the machine. For everything that sends or writes them elsewhere: secrets that a checkpoint
 * holds (a safety checkpoint holds what it has to, and `--include-secrets` or the settings let some in) stay here unless the user names
 * them, and so do databases unless the user says that they may go: nobody looks for secrets in those.
 */
import { isInside, showPath, type BytePath } from "../domain/byte-path.ts";
import type { CheckpointDocument } from "../domain/checkpoint.ts";
import { Failure } from "../domain/failure.ts";
import type { LocalEntry } from "../domain/local-half.ts";
import type { DatabaseEngine } from "../domain/parts.ts";
import { secretText, type SecretReason } from "../domain/secrets/secret-text.ts";
import { nameKinds } from "../domain/sensitive-name.ts";
import { quoteForShell } from "../domain/shell-quote.ts";
import type { HeldSecret } from "../ports/held-secrets.ts";
import type { Difference } from "./diff-checkpoints.ts";
import { shownPart } from "./include-secrets.ts";
import type { Project } from "./project.ts";

/** What may leave although it has a reason to stay. */
export interface MayLeave {
  /** Files, and folders with all that is below. One that no checkpoint holds as a secret is an error. */
  readonly secrets: readonly BytePath[];
  /** Dumps of databases. */
  readonly databases: boolean;
}

export interface HeldDatabase {
  readonly checkpointId: string;
  readonly engine: DatabaseEngine;
  readonly label: string;
}

export interface WithheldCheckpoint {
  readonly id: string;
  readonly secrets: readonly HeldSecret[];
  readonly databases: readonly HeldDatabase[];
}

/** What stays here of a checkpoint that leaves. */
export interface LeftHere {
  readonly id: string;
  readonly secrets: readonly HeldSecret[];
  readonly databases: readonly HeldDatabase[];
}

export interface SecretCheck {
  /** They hold no secret that was not named. */
  readonly free: readonly CheckpointDocument[];
  readonly withheld: readonly WithheldCheckpoint[];
  /** Secrets that go along because they were named. */
  readonly named: readonly (HeldSecret & { readonly checkpointId: string })[];
  /** Databases whose dumps go along because they may. */
  readonly databases: readonly HeldDatabase[];
  /** What of local halves goes along: where all that is in it was named. */
  readonly along: ReadonlyMap<string, readonly LocalEntry[]>;
  /** What of the others stays here, as far as it is a file or a database. */
  readonly left: readonly LeftHere[];
}

type SecretSearcher = Pick<Project, "heldSecrets" | "config" | "progress">;

export async function checkSecrets(
  project: SecretSearcher,
  documents: readonly CheckpointDocument[],
  may: MayLeave,
): Promise<SecretCheck> {
  const held = await findSecrets(project, documents, true);
  const local = new Map<string, readonly HeldSecret[]>();
  for (const document of documents) {
    local.set(document.id, await project.heldSecrets.local(document));
  }
  refuseUnknown([...held.values(), ...local.values()].flat(), may.secrets);
  const isNamed = (secret: HeldSecret): boolean =>
    may.secrets.some((part) => isNamedBy(secret, part));
  const withheld: WithheldCheckpoint[] = [];
  const named: SecretCheck["named"][number][] = [];
  const databases: HeldDatabase[] = [];
  const along = new Map<string, readonly LocalEntry[]>();
  const left: LeftHere[] = [];
  for (const document of documents) {
    const { id } = document;
    const inside = held.get(id) ?? [];
    const dumps = databasesIn(document);
    const isApart = document.local?.database !== undefined;
    const staying = inside.filter((secret) => !isNamed(secret));
    const dumpsStaying = isApart || may.databases ? [] : dumps;
    if (staying.length + dumpsStaying.length > 0) {
      withheld.push({ id, secrets: staying, databases: dumpsStaying });
      continue;
    }
    const files = local.get(id) ?? [];
    const withFiles = files.length > 0 && files.every(isNamed);
    named.push(
      ...[...inside, ...(withFiles ? files : [])].map((secret) => ({
        ...secret,
        checkpointId: id,
      })),
    );
    if (may.databases) databases.push(...dumps);
    along.set(id, [
      ...(withFiles ? (["worktree"] as const) : []),
      ...(isApart && may.databases ? (["database"] as const) : []),
    ]);
    const stays = {
      id,
      secrets: withFiles ? [] : files,
      databases: isApart && !may.databases ? dumps : [],
    };
    if (stays.secrets.length + stays.databases.length > 0) left.push(stays);
  }
  const stay = new Set(withheld.map(({ id }) => id));
  const free = documents.filter(({ id }) => !stay.has(id));
  return { free, withheld, named, databases, along, left };
}

/** For a tag, with which a checkpoint may leave although nobody exports it: what it holds that must not, in words. */
export async function heldBack(
  search: SecretSearcher,
  document: CheckpointDocument,
): Promise<string | undefined> {
  const { withheld = [] } = document.coverage;
  // Earlier versions had no local half.
  if (document.local?.worktree === undefined && withheld.length > 0)
    return withheld.map(({ path }) => path).join(", ");
  const [found] = (await checkSecrets(search, [document], { secrets: [], databases: false }))
    .withheld;
  return found === undefined ? undefined : withheldText(found);
}

/** A state document is named by its file, or as it is called in the checkpoint. */
function isNamedBy({ path, entry }: HeldSecret, part: BytePath): boolean {
  return isInside(path, part) || entry === part;
}

/** Those with a dump: of one that was not there, or of another machine, nothing is held. */
function databasesIn({ id, parts }: CheckpointDocument): HeldDatabase[] {
  return parts.flatMap((part) =>
    part.type === "database_savepoint" && part.bytes > 0
      ? [{ checkpointId: id, engine: part.engine, label: part.label }]
      : [],
  );
}

/** Also with `secrets.exclude: false`: what may be held here may not go anywhere. */
function findSecrets(
  project: SecretSearcher,
  documents: readonly CheckpointDocument[],
  leavesMachine: boolean,
): Promise<ReadonlyMap<string, readonly HeldSecret[]>> {
  const { patterns, scan } = project.config.secrets;
  return project.heldSecrets.find(documents, {
    kindOf: nameKinds(patterns),
    scanContent: scan,
    leavesMachine,
    progress: project.progress,
  });
}

/** Untracked files on either side whose content is not to be printed, each once. */
export async function secretsBetween(
  project: Project,
  { from, to, moments: [, end] }: Pick<Difference, "from" | "to" | "moments">,
): Promise<HeldSecret[]> {
  const held = await findSecrets(project, to === undefined ? [from] : [from, to], false);
  const now = end.kind === "now" ? end.capture.withheld : new Map<BytePath, SecretReason>();
  const all = [...[...now].map(([path, why]) => ({ path, ...why })), ...[...held.values()].flat()];
  return [...new Map(all.map((secret) => [secret.path, secret])).values()];
}

function refuseUnknown(all: readonly HeldSecret[], include: readonly BytePath[]): void {
  for (const part of include) {
    if (all.some((secret) => isNamedBy(secret, part))) continue;
    throw new Failure(
      "usage",
      `--include-secrets: none of these checkpoints contains ${shownPart(part)} as a secret`,
      {
        hint: "Name files as they are listed without this option, after the checkpoints. Nothing was written.",
      },
    );
  }
}

/** As documents have it. */
export function secretDocument({ path, reason, detail }: HeldSecret): Record<string, unknown> {
  return { path: showPath(path), reason, ...(detail === undefined ? {} : { detail }) };
}

const MOST_LISTED = 5;

/** In words: what, and why; never what is in it. */
export function withheldText({ secrets, databases }: WithheldCheckpoint): string {
  const all = [
    ...secrets.map((secret) => `${showPath(secret.path)} (${secretText(secret)})`),
    ...databases.map(({ label }) => `the database ${label}`),
  ];
  return all.slice(0, MOST_LISTED).join(", ") + (all.length > MOST_LISTED ? ", …" : "");
}

/** More paths are no command that somebody types. */
const MOST_TYPED = 20;

/** The options with which these checkpoints may leave, all of what they hold named. */
export function optionsToLeave(withheld: readonly (WithheldCheckpoint | LeftHere)[]): string {
  const paths = new Set(withheld.flatMap(({ secrets }) => secrets.map(({ path }) => path)));
  const typed = [...paths].toSorted().map((path) => quoteForShell(showPath(path)));
  const files = typed.length > MOST_TYPED ? ["PATH…"] : typed;
  return [
    ...(files.length === 0 ? [] : [`--include-secrets ${files.join(" ")}`]),
    ...(withheld.some(({ databases }) => databases.length > 0) ? ["--include-databases"] : []),
  ].join(" ");
}

export function secretsHeld(withheld: readonly WithheldCheckpoint[]): Failure {
  const [first] = withheld;
  const others = withheld.length - 1;
  return new Failure(
    "secrets_held",
    `${first?.id ?? ""} contains content that must not leave this machine: ${first === undefined ? "" : withheldText(first)}` +
      (others > 0
        ? `; and ${others} more ${others === 1 ? "checkpoint does" : "checkpoints do"}`
        : ""),
    {
      hint: `To export it anyway, add \`${optionsToLeave(withheld)}\` after the checkpoints. \`waymark export\` without a checkpoint exports those without secrets. Nothing was written.`,
      details: {
        checkpoints: withheld.map(({ id, secrets, databases }) => ({
          id,
          secrets: secrets.map(secretDocument),
          databases: databases.map(({ label }) => label),
        })),
      },
    },
  );
}
