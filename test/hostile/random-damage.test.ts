/** Any damage to an archive is found, or does no harm: what is imported is exactly what was exported. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { openGitProject } from "../../src/app.ts";
import { Failure } from "../../src/domain/failure.ts";
import { importArchive } from "../../src/operations/import-archive.ts";
import { expectExit } from "../support/cli.ts";
import { field } from "../support/json.ts";
import { type HostileScene, withHostileScene } from "./scene.ts";

type Damage =
  | { readonly kind: "flip"; readonly at: number; readonly bits: number }
  | { readonly kind: "cut"; readonly at: number }
  | { readonly kind: "insert"; readonly at: number; readonly byte: number };

/** Places as a share of the file, so that one example fits every archive. */
const place = fc.integer({ min: 0, max: 999_999 });
const damage: fc.Arbitrary<Damage> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant("flip" as const),
      at: place,
      bits: fc.integer({ min: 1, max: 255 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("cut" as const), at: place }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant("insert" as const),
      at: place,
      byte: fc.integer({ min: 0, max: 255 }),
    }),
  },
);

function apply(good: Buffer, { kind, at, ...how }: Damage): Buffer {
  const position = Math.floor((at / 1_000_000) * good.length);
  if (kind === "cut") return good.subarray(0, position);
  if (kind === "insert") {
    const byte = Buffer.from([(how as { byte: number }).byte]);
    return Buffer.concat([good.subarray(0, position), byte, good.subarray(position)]);
  }
  const bytes = Buffer.from(good);
  bytes.writeUInt8(bytes.readUInt8(position) ^ (how as { bits: number }).bits, position);
  return bytes;
}

/** In this process: a start of Node for each example would be most of the time. */
async function tryImport(
  { repo, victim }: HostileScene,
  bytes: Buffer,
): Promise<"refused" | "imported"> {
  const file = join(repo.base, "damaged.bundle");
  await writeFile(file, bytes);
  const project = await openGitProject({ directory: victim.root });
  try {
    await importArchive(project, { file, dryRun: false });
    return "imported";
  } catch (error) {
    if (error instanceof Failure && error.code === "archive_refused") return "refused";
    throw error;
  } finally {
    project.close();
  }
}

const refsOf = async ({ victim }: HostileScene): Promise<string> =>
  victim.storeRefs("--format=%(objectname) %(refname)", "refs/waymark/cp");

describe("a damaged archive", () => {
  it("[R32] is refused or imports what was exported, wherever a bit was flipped", async () => {
    await withHostileScene(async (scene) => {
      const before = await refsOf(scene);
      const honest = `${scene.workshop.refs.get(scene.workshop.checkpointRef) ?? ""} ${scene.workshop.checkpointRef}\n`;
      await fc.assert(
        fc.asyncProperty(damage, async (how) => {
          const outcome = await tryImport(scene, apply(scene.good, how));
          const after = await refsOf(scene);
          if (outcome === "refused") {
            expect(after).toBe(before);
            return;
          }
          expect(new Set(after.split("\n"))).toEqual(
            new Set([...before.split("\n"), ...honest.split("\n")]),
          );
          await scene.victim.store("update-ref", "-d", scene.workshop.checkpointRef);
        }),
        { numRuns: 60 },
      );
      expect((await scene.victim.tryGit(["fsck", "--strict"])).code).toBe(0);
      expect((await scene.victim.tryStore(["fsck", "--strict"])).code).toBe(0);
    });
  }, 180_000);

  it("[R32] that changes while it is read is refused or was read whole", async () => {
    await withHostileScene(async (scene) => {
      const file = join(scene.repo.base, "changing.bundle");
      await writeFile(file, scene.good);
      const garbage = Buffer.alloc(scene.good.length, "garbage");
      const over = new AbortController();
      const writer = (async () => {
        while (!over.signal.aborted) {
          await writeFile(file, garbage);
          await writeFile(file, scene.good);
        }
      })();
      try {
        for (let attempt = 0; attempt < 8; attempt++) {
          const result = await scene.importFile(file);
          expectExit(result, 0, 4);
          if (result.code === 4)
            expect(field(result.json, "error", "code")).toBe("archive_refused");
        }
      } finally {
        over.abort();
        await writer;
      }
      const honest = scene.workshop.refs.get(scene.workshop.checkpointRef) ?? "";
      const there = await scene.victim.storeRefs(
        "--format=%(objectname)",
        scene.workshop.checkpointRef,
      );
      expect(["", honest]).toContain(there.trim());
    });
  }, 120_000);
});
