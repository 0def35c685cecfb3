/** The HeldSecrets port: what a checkpoint's work tree has and its index has not, and its state. */
import { asBytePath, type BytePath } from "../../domain/byte-path.ts";
import { gitPartOf, type CheckpointDocument } from "../../domain/checkpoint.ts";
import { stateEntry, type StateDocument } from "../../domain/parts.ts";
import type { SecretReason } from "../../domain/secrets/secret-text.ts";
import type { HeldSecret, HeldSecrets, SecretSearch } from "../../ports/held-secrets.ts";
import { scanContent, scanDocument, SCANNED_BYTES } from "../files/scan-content.ts";
import { sourceEntry } from "../files/state/held-state.ts";
import { readEntry } from "./checkpoint-entries.ts";
import { IndexFile } from "./index-file.ts";
import type { ObjectReader } from "./object-reader.ts";
import type { Repository } from "./repository.ts";
import { diffTrees, TreeSource, type LeafChange } from "./tree-source.ts";
import { blobHead } from "./write-blob.ts";

export class GitHeldSecrets implements HeldSecrets {
  readonly #repository: Repository;
  readonly #reader: ObjectReader;

  constructor(repository: Repository, reader: ObjectReader) {
    this.#repository = repository;
    this.#reader = reader;
  }

  async find(
    documents: readonly CheckpointDocument[],
    search: SecretSearch,
  ): Promise<ReadonlyMap<string, readonly HeldSecret[]>> {
    const found = new Map<string, readonly HeldSecret[]>();
    // Checkpoints share most of their files; each content is looked at once.
    const verdicts = new Map<string, string | undefined>();
    const task = search.progress.begin("looking for secrets", { items: documents.length });
    try {
      for (const document of documents) {
        const secrets: HeldSecret[] = [];
        for (const { path, after } of await this.#untracked(document)) {
          if (after === undefined) continue;
          const why: SecretReason | undefined = search.isSensitiveName(path)
            ? { reason: "sensitive" }
            : search.scanContent && after.mode.startsWith("100")
              ? await this.#scan(after.oid, verdicts)
              : undefined;
          if (why !== undefined) secrets.push({ path, ...why });
        }
        secrets.push(...(await this.#inState(document, search)));
        if (secrets.length > 0) found.set(document.id, secrets);
        task.advance(1);
      }
      return found;
    } finally {
      task.end();
    }
  }

  async #inState(
    { id, parts }: CheckpointDocument,
    search: SecretSearch,
  ): Promise<readonly HeldSecret[]> {
    const found: HeldSecret[] = [];
    const documents = parts.flatMap((part) =>
      part.type === "state_snapshot" ? part.documents : [],
    );
    for (const document of documents) {
      const entry = asBytePath(stateEntry(document.name));
      const path = document.path === null ? entry : utf8Path(document.path);
      const why: SecretReason | undefined = search.isSensitiveName(path)
        ? { reason: "sensitive" }
        : search.scanContent
          ? await this.#scanState(id, document)
          : undefined;
      if (why !== undefined) found.push({ path, entry, ...why });
    }
    return found;
  }

  async #scanState(id: string, document: StateDocument): Promise<SecretReason | undefined> {
    const { name, format, path, mode, without_source } = document;
    const entries = [
      ...(format === null ? [] : [stateEntry(name)]),
      ...(path === null || mode === null || without_source === true ? [] : [sourceEntry(name)]),
    ];
    for (const entry of entries) {
      const ruleId = scanDocument(await readEntry(this.#reader, id, entry));
      if (ruleId !== undefined) return { reason: "sensitive_content", detail: ruleId };
    }
    return undefined;
  }

  /** By the index itself: files that are in conflict or only announced (`git add -N`) are in no tree of it, and tracked. */
  async #untracked(document: CheckpointDocument): Promise<LeafChange[]> {
    const part = gitPartOf(document);
    if (part === undefined) return [];
    const source = new TreeSource(this.#repository, this.#reader);
    const raw =
      part.index_raw === null ? undefined : await this.#reader.readChecked(part.index_raw, "blob");
    const index = raw === undefined ? undefined : new IndexFile(raw, this.#repository.hash);
    const changes = await diffTrees({ source, oid: part.index }, { source, oid: part.worktree });
    return changes.filter(
      ({ path, before, after }) =>
        before === undefined && after !== undefined && index?.has(path) !== true,
    );
  }

  async #scan(
    oid: string,
    verdicts: Map<string, string | undefined>,
  ): Promise<SecretReason | undefined> {
    if (!verdicts.has(oid)) {
      verdicts.set(oid, scanContent(await blobHead(this.#reader, oid, SCANNED_BYTES)));
    }
    const ruleId = verdicts.get(oid);
    return ruleId === undefined ? undefined : { reason: "sensitive_content", detail: ruleId };
  }
}

function utf8Path(path: string): BytePath {
  return asBytePath(Buffer.from(path).toString("latin1"));
}
