// Random interleavings of sessions and people on one file, against an oracle that knows who wrote and who deleted each line.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { mergeContent } from "../../src/adapters/git/selective/merge-content.ts";
import { asBytePath } from "../../src/domain/byte-path.ts";
import type { FileState } from "../../src/domain/file-state.ts";
import { claimsOf, type ClaimMoment, type WorkStep } from "../../src/domain/selective/claims.ts";
import {
  withoutSession,
  type FileChange,
  type Without,
} from "../../src/domain/selective/replay.ts";

const FILE = asBytePath("file");
const folder = mkdtempSync(join(tmpdir(), "waymark-lines-"));
afterAll(() => rmSync(folder, { recursive: true }));

type Author = "alice" | "bob" | "person";

interface Edit {
  readonly by: Author;
  readonly what: "insert" | "delete" | "replace";
  /** Where, as a share of the lines that are there. */
  readonly at: number;
  /** Hooks know which file it is about. */
  readonly isNamed: boolean;
}

interface Line {
  readonly text: string;
  readonly by: Author | "start";
  deletedBy: Author | undefined;
}

/** Every line that ever was, in its place. */
class Oracle {
  readonly lines: Line[] = [];
  #count = 0;

  constructor(count: number) {
    for (let n = 0; n < count; n++) this.#add(this.lines.length, "start");
  }

  #add(at: number, by: Line["by"]): void {
    this.lines.splice(at, 0, { text: `${by} ${this.#count++}`, by, deletedBy: undefined });
  }

  apply({ by, what, at }: Edit): void {
    const alive = this.lines.filter(({ deletedBy }) => deletedBy === undefined);
    const line = alive[Math.floor(at * alive.length)];
    const index = line === undefined ? 0 : this.lines.indexOf(line);
    if (line !== undefined && what !== "insert") line.deletedBy = by;
    if (what !== "delete") this.#add(index, by);
  }

  now(): string {
    return text(this.lines.filter(({ deletedBy }) => deletedBy === undefined));
  }

  without(author: Author): string {
    return text(
      this.lines.filter(
        ({ by, deletedBy }) => by !== author && (deletedBy === undefined || deletedBy === author),
      ),
    );
  }
}

const text = (lines: readonly Line[]): string => lines.map((line) => `${line.text}\n`).join("");

/** Contents by what would be their object id. */
class Contents {
  readonly #known = new Map<string, Buffer>();

  idOf(content: string | Buffer): string {
    const id = content.toString();
    this.#known.set(id, Buffer.from(content));
    return id;
  }

  async merge(ours: string, base: string, theirs: string): Promise<string | undefined> {
    const [o, b, t] = [ours, base, theirs].map((id) => this.#known.get(id) ?? Buffer.alloc(0));
    const sides = {
      ours: o ?? Buffer.alloc(0),
      base: b ?? Buffer.alloc(0),
      theirs: t ?? Buffer.alloc(0),
    };
    const merged = await mergeContent({ directory: folder }, sides, (name) => join(folder, name));
    return merged === undefined ? undefined : this.idOf(merged);
  }
}

/** What hooks would have written down, and what would be left without Alice. */
async function withoutAlice(oracle: Oracle, edits: readonly Edit[]): Promise<Without> {
  const contents = new Contents();
  const moments: ClaimMoment[] = [];
  const states: string[] = [];
  const steps: WorkStep[] = [];
  let clock = 1000;
  const hook = (by: Author, moment: WorkStep["moment"], isNamed: boolean): void => {
    const content = oracle.now();
    // Nothing changed: no new checkpoint.
    if (states.at(-1) !== content) {
      const id = `cp-${moments.length}`;
      moments.push({
        id,
        at: String(clock++),
        content,
        head: "main",
        workflow: null,
        trigger: "tool_use",
        phase: null,
        process: "",
        isRun: false,
        isArrival: false,
        takenFor: null,
      });
      states.push(content);
    }
    const checkpointId = moments.at(-1)?.id ?? "";
    const paths = isNamed ? [FILE] : null;
    steps.push({
      at: String(clock++),
      checkpointId,
      isOwn: false,
      session: by,
      moment,
      turn: 1,
      paths,
      workflow: null,
      isRecorded: true,
    });
  };
  for (const edit of edits) {
    if (edit.by !== "person") hook(edit.by, "pre_tool", edit.isNamed);
    oracle.apply(edit);
    if (edit.by !== "person") hook(edit.by, "turn_end", false);
  }
  moments.push({
    id: "",
    content: "",
    at: "9999",
    head: "main",
    workflow: null,
    trigger: null,
    phase: null,
    process: "",
    isRun: false,
    isArrival: false,
    takenFor: null,
  });
  states.push(oracle.now());
  const isChanged = (index: number): boolean => states[index] !== states[index + 1];
  const claims = claimsOf(moments, steps, (index) => new Set(isChanged(index) ? [FILE] : []));
  const file = (content: string): FileState => ({
    type: "file",
    oid: contents.idOf(content),
    mode: 0o644,
  });
  const changes = claims.flatMap((claim, from): FileChange[] => {
    const [before, after] = [states[from], states[from + 1]];
    if (before === undefined || after === undefined || before === after) return [];
    const owner = claim.ownerOf(FILE);
    const by = owner.kind === "one" && owner.session === "alice" ? "session" : "others";
    return [
      {
        from,
        before: file(before),
        after: file(after),
        by: owner.kind === "unsure" ? owner.why : by,
      },
    ];
  });
  const [first] = changes;
  if (first === undefined) return { kind: "is", file: file(oracle.now()) };
  return withoutSession(changes, [], (ours, base, theirs) => contents.merge(ours, base, theirs));
}

const place = (from: number, to: number): fc.Arbitrary<number> =>
  fc.integer({ min: from * 1000, max: to * 1000 - 1 }).map((share) => share / 1000);

const edit = (authors: readonly Author[], at: fc.Arbitrary<number>): fc.Arbitrary<Edit> =>
  fc.record({
    by: fc.constantFrom(...authors),
    what: fc.constantFrom("insert" as const, "delete" as const, "replace" as const),
    at,
    isNamed: fc.boolean(),
  });

const RUNS = { numRuns: 60 };

describe("a file without what one session did to it", () => {
  it("[R117] has every line of others and none of the session, or is kept", async () => {
    const edits = fc.array(edit(["alice", "bob", "person"], place(0, 1)), { maxLength: 8 });
    let clean = 0;
    await fc.assert(
      fc.asyncProperty(edits, async (all) => {
        const oracle = new Oracle(24);
        const without = await withoutAlice(oracle, all);
        if (without.kind === "kept") return;
        clean += 1;
        expect(without.file?.oid).toBe(oracle.without("alice"));
      }),
      RUNS,
    );
    expect(clean).toBeGreaterThan(RUNS.numRuns / 4);
  });

  it("[R118] is what it would be if the session had never been there, where its edits and those of others do not touch", async () => {
    const own = edit(["alice"], place(0, 0.3));
    const others = edit(["bob", "person"], place(0.7, 1));
    const edits = fc.array(fc.oneof(own, others), { minLength: 1, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(edits, async (all) => {
        const oracle = new Oracle(60);
        const without = await withoutAlice(oracle, all);
        expect(without).toMatchObject({ kind: "is", file: { oid: oracle.without("alice") } });
      }),
      RUNS,
    );
  });
});
