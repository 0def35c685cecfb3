/** A captured part in a published checkpoint of a real repository, for the tests of keepers whose content is in git. */
import { onTestFinished } from "vitest";
import { DEFAULT_POLICY } from "../../domain/capture-policy.ts";
import { revisionOf } from "../../domain/local-half.ts";
import type { ExtraPart } from "../../domain/parts.ts";
import { draftOf } from "../../ports/checkpoint-store.suite.ts";
import type { CapturedPart, HeldPart } from "../../ports/part-keeper.ts";
import { GitCheckpointStore } from "./git-checkpoint-store.ts";
import { GitWorkTree } from "./git-work-tree.ts";
import { ObjectReader } from "./object-reader.ts";
import type { OpenedRepository } from "./temp-repository.fixture.ts";

export interface HeldInGit<P extends ExtraPart> extends HeldPart<P> {
  /** What is read in the place of what is stored; undefined: nothing. */
  readonly instead: Map<string, Buffer | undefined>;
  /** As another process sees it: git has packs open that are gone. */
  reopen(): void;
}

let count = 0;

export async function holdInGit<P extends ExtraPart>(
  { repository, reader }: OpenedRepository,
  captured: CapturedPart<P>,
): Promise<HeldInGit<P>> {
  count += 1;
  const id = `cp-00-test-20261115-184530-${count.toString(16).padStart(4, "0")}`;
  let store = new GitCheckpointStore(repository, reader);
  const capture = await new GitWorkTree(repository, reader).capture({ policy: DEFAULT_POLICY });
  try {
    await capture.add(captured.entries);
    const draft = draftOf(id, capture);
    const result = await store.publish(draft);
    if (result.kind !== "published") throw new Error(`${id}: ${result.kind}`);
    const { document } = draft;
    const instead = new Map<string, Buffer | undefined>();
    return {
      checkpointId: id,
      part: captured.part,
      isForeign: false,
      instead,
      reopen: () => {
        const other = new ObjectReader(repository);
        onTestFinished(() => other.close());
        store = new GitCheckpointStore(repository, other);
      },
      isHere: () => store.isHere(document, "files"),
      revision: (name) => revisionOf(document, name),
      read: (name) => {
        const bytes = instead.get(name);
        if (bytes !== undefined) return Promise.resolve(bytes);
        return store.entry(id, instead.has(name) ? `no ${name}` : name);
      },
      sha256: (name) => store.entrySha256(id, name),
      extract: (name, to) => store.extractEntry(id, name, to),
    };
  } finally {
    capture.discard();
    captured.discard();
  }
}
