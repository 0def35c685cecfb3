/** A captured part as if its checkpoint had been published, for the tests of keepers. */
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { Failure } from "../../domain/failure.ts";
import type { ExtraPart } from "../../domain/parts.ts";
import type { CapturedPart, HeldPart, PartContent } from "../../ports/part-keeper.ts";

export interface HeldInMemory<P extends ExtraPart> extends HeldPart<P> {
  /** Can be changed, to do damage. */
  readonly entries: Map<string, Buffer>;
}

let count = 0;

export async function holdInMemory<P extends ExtraPart>(
  captured: CapturedPart<P>,
  isForeign = false,
): Promise<HeldInMemory<P>> {
  count += 1;
  const checkpointId = `cp-00-test-20261115-184530-${count.toString(16).padStart(4, "0")}`;
  try {
    const entries = new Map(
      [...captured.entries].map(([name, content]) => [name, bytesOf(name, content)]),
    );
    const find = (name: string): Buffer => {
      const bytes = entries.get(name);
      if (bytes !== undefined) return bytes;
      throw new Failure("checkpoint_damaged", `${name} of ${checkpointId} is missing`, {
        hint: "Use another checkpoint.",
      });
    };
    return {
      checkpointId,
      part: captured.part,
      isForeign,
      entries,
      isHere: () => Promise.resolve(true),
      revision: (name) => `refs/waymark/cp/${checkpointId}:${name}`,
      read: (name) => Promise.resolve(find(name)),
      sha256: (name) => Promise.resolve(createHash("sha256").update(find(name)).digest("hex")),
      extract: async (name, to) => writeFileSync(to, find(name), { mode: 0o600, flag: "wx" }),
    };
  } finally {
    captured.discard();
  }
}

function bytesOf(name: string, content: PartContent): Buffer {
  if (content.kind === "shelved") throw new Error(`${name} is on a shelf of a store`);
  return content.kind === "bytes" ? Buffer.from(content.bytes) : readFileSync(content.path);
}
