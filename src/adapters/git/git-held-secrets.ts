/** The HeldSecrets port: files of a checkpoint that git does not track or no commit has, and its state. */
import { asBytePath, parsePath, type BytePath } from "../../domain/byte-path.ts";
import type { CheckpointDocument } from "../../domain/checkpoint.ts";
import { stateEntry, type StateDocument } from "../../domain/parts.ts";
import { isLookedInto, verdictOf } from "../../domain/secrets/judge-file.ts";
import type { SecretReason } from "../../domain/secrets/secret-text.ts";
import { isTelling, type NameKind } from "../../domain/sensitive-name.ts";
import type { HeldSecret, HeldSecrets, SecretSearch } from "../../ports/held-secrets.ts";
import { forEachWith } from "../../ports/progress.ts";
import { scanContent, SCANNED_BYTES } from "../files/scan-content.ts";
import { sha256, sourceEntry } from "../files/state/held-state.ts";
import { ruleForState } from "../files/state/state-secrets.ts";
import { CheckpointEntries } from "./checkpoint-entries.ts";
import { FilesBeyond } from "./files-beyond.ts";
import { heldFiles } from "./local-half.ts";
import type { ObjectReader } from "./object-reader.ts";
import type { Repository } from "./repository.ts";
import { blobHead } from "./write-blob.ts";

/** The rule that finds a secret, by the content. */
type Verdicts = Map<string, string | undefined>;

export class GitHeldSecrets implements HeldSecrets {
  readonly #repository: Repository;
  readonly #files: FilesBeyond;
  readonly #reader: ObjectReader;
  readonly #entries: CheckpointEntries;

  constructor(repository: Repository, reader: ObjectReader) {
    this.#files = new FilesBeyond(repository, reader);
    this.#repository = repository;
    this.#reader = reader;
    this.#entries = new CheckpointEntries(repository, reader);
  }

  async find(
    documents: readonly CheckpointDocument[],
    search: SecretSearch,
  ): Promise<ReadonlyMap<string, readonly HeldSecret[]>> {
    const found = new Map<string, readonly HeldSecret[]>();
    // Checkpoints share most of their files; each content is looked at once.
    const verdicts: Verdicts = new Map();
    const task = search.progress.begin("searching for secrets", { items: documents.length });
    try {
      for (const document of documents) {
        const secrets = [
          ...(await this.#inFiles(document, search, verdicts)),
          ...(await this.#inState(document, search, verdicts)),
        ];
        if (secrets.length > 0) found.set(document.id, secrets);
        task.advance(1);
      }
      return found;
    } finally {
      task.end();
    }
  }

  async local(document: CheckpointDocument): Promise<readonly HeldSecret[]> {
    const worktree = document.local?.worktree;
    if (worktree === undefined) return [];
    const held = await heldFiles(this.#repository, this.#reader, document);
    if (held?.part.worktree !== worktree) return [];
    return (held.details.withheld ?? []).map(({ path, reason, detail }) => ({
      path: parsePath(path),
      reason,
      ...(detail === undefined ? {} : { detail }),
    }));
  }

  async #inFiles(
    document: CheckpointDocument,
    search: SecretSearch,
    verdicts: Verdicts,
  ): Promise<readonly HeldSecret[]> {
    const files = search.leavesMachine
      ? await this.#files.committed(document)
      : await this.#files.tracked(document);
    const looked = files.flatMap(({ path, mode, oid }) => {
      const kind = search.kindOf(path);
      const isLooked = mode.startsWith("100") && isLookedInto(kind, search.scanContent);
      return isLooked || kind === "sure" ? [{ path, kind, oid: isLooked ? oid : undefined }] : [];
    });
    const unknown = new Map(
      looked.flatMap(({ kind, oid = "" }) => {
        const key = keyOf(oid, kind);
        return oid === "" || verdicts.has(key) ? [] : [[key, { oid, kind }] as const];
      }),
    );
    const forEach = forEachWith(search.progress);
    await forEach("searching files for secrets", [...unknown], async ([key, { oid, kind }]) => {
      verdicts.set(key, scanContent(await blobHead(this.#reader, oid, SCANNED_BYTES), kind));
    });
    const found = new Map<BytePath, HeldSecret>();
    for (const { path, kind, oid } of looked) {
      const verdict = verdictOf(kind, oid && verdicts.get(keyOf(oid, kind)));
      if (verdict !== undefined && !found.has(path)) found.set(path, { path, ...verdict.why });
    }
    return [...found.values()];
  }

  async #inState(
    { id, parts }: CheckpointDocument,
    search: SecretSearch,
    verdicts: Verdicts,
  ): Promise<readonly HeldSecret[]> {
    const found: HeldSecret[] = [];
    const documents = parts.flatMap((part) =>
      part.type === "state_snapshot" ? part.documents : [],
    );
    for (const document of documents) {
      const entry = asBytePath(stateEntry(document.name));
      const path = document.path === null ? entry : utf8Path(document.path);
      const why: SecretReason | undefined = isTelling(search.kindOf(path))
        ? { reason: "sensitive" }
        : search.scanContent
          ? await this.#scanState(id, document, verdicts)
          : undefined;
      if (why !== undefined) found.push({ path, entry, ...why });
    }
    return found;
  }

  async #scanState(
    id: string,
    { name, format, path, mode, without_source }: StateDocument,
    verdicts: Verdicts,
  ): Promise<SecretReason | undefined> {
    const entries = [
      ...(format === null ? [] : [stateEntry(name)]),
      ...(path === null || mode === null || without_source === true ? [] : [sourceEntry(name)]),
    ];
    for (const entry of entries) {
      const bytes = await this.#entries.read(id, entry);
      const key = `state ${sha256(bytes)}`;
      if (!verdicts.has(key)) verdicts.set(key, await ruleForState(bytes));
      const ruleId = verdicts.get(key);
      if (ruleId !== undefined) return { reason: "sensitive_content", detail: ruleId };
    }
    return undefined;
  }
}

const keyOf = (oid: string, kind: NameKind): string => `${kind} ${oid}`;

function utf8Path(path: string): BytePath {
  return asBytePath(Buffer.from(path).toString("latin1"));
}
