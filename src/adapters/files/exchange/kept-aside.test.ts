import { appendFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { parsePath } from "../../../domain/byte-path.ts";
import { sha256Ids } from "../sha256-ids.ts";
import { sweepKept } from "./kept-aside.ts";
import { encodeSteps } from "./steps.ts";

const LONG_AGO = "2020-01-01T00:00:00.000Z";

/** A folder of a rollback long ago that moved one file away, and what its manifest should say. */
function keptFile() {
  const root = mkdtempSync(join(tmpdir(), "waymark-kept-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const folder = join(root, "kept-1");
  for (const name of ["aside", "later"]) mkdirSync(join(folder, name), { recursive: true });
  const file = join(folder, "aside", "0");
  writeFileSync(file, "before\n", { mode: 0o644 });
  const before = { type: "file" as const, oid: sha256Ids.ofFile(file), mode: 0o644 };
  const steps = encodeSteps({
    files: [{ area: "project", path: parsePath("a.txt"), before, target: null, number: 0 }],
    modes: [],
    folders: [],
  }) as { readonly files: readonly object[] };
  const manifest = { kept_since: LONG_AGO, ids: "sha256", steps };
  const sweep = (written: unknown): Promise<string[]> => {
    writeFileSync(join(folder, "manifest.json"), JSON.stringify(written));
    return sweepKept([root], { git: sha256Ids, sha256: sha256Ids });
  };
  return { folder, file, manifest, sweep };
}

describe("files that were moved away", () => {
  it("go when they are what the safety checkpoint holds", async () => {
    const { folder, manifest, sweep } = keptFile();
    expect(await sweep(manifest)).toEqual([]);
    expect(existsSync(folder)).toBe(false);
  });

  it("stay when somebody wrote to one", async () => {
    const { file, manifest, sweep } = keptFile();
    writeFileSync(file, "a late save\n");
    expect(await sweep(manifest)).toEqual([file]);
    expect(existsSync(file)).toBe(true);
  });

  it("stay when the manifest does not know one of them", async () => {
    const { folder, manifest, sweep } = keptFile();
    writeFileSync(join(folder, "aside", "1"), "whose?\n");
    expect(await sweep(manifest)).toEqual([]);
    expect(existsSync(folder)).toBe(true);
  });

  it("stay when somebody wrote to one that was taken out again", async () => {
    const { folder, manifest, sweep } = keptFile();
    const later = join(folder, "later", "0");
    writeFileSync(later, "target\n");
    const [step] = manifest.steps.files;
    const target = { type: "file", oid: sha256Ids.ofFile(later), mode: 0o644 };
    const exchanged = { ...manifest, steps: { ...manifest.steps, files: [{ ...step, target }] } };
    appendFileSync(later, "a late save\n");
    expect(await sweep(exchanged)).toEqual([later]);
    writeFileSync(later, "target\n");
    expect(await sweep(exchanged)).toEqual([]);
    expect(existsSync(folder)).toBe(false);
  });

  it("stay when the manifest does not know one that was taken out again", async () => {
    const { folder, manifest, sweep } = keptFile();
    writeFileSync(join(folder, "later", "1"), "whose?\n");
    expect(await sweep(manifest)).toEqual([]);
    expect(existsSync(folder)).toBe(true);
  });

  it.each([
    ["steps that are no steps", { steps: 7 }],
    ["files that are no list", { steps: { files: 7, modes: [], folders: [] } }],
    ["a file that is none", { steps: { files: [null], modes: [], folders: [] } }],
    ["no files", { steps: { files: [], modes: [], folders: [] } }],
    ["no time", { kept_since: "yesterday" }],
    ["ids of another kind", { ids: "md5" }],
  ])("stay when their manifest is damaged: %s", async (_, damage) => {
    const { file, manifest, sweep } = keptFile();
    expect(await sweep({ ...manifest, ...damage })).toEqual([]);
    expect(existsSync(file)).toBe(true);
  });
});
