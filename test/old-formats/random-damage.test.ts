/**
 * Random damage to a source: whatever is imported of it is whole, every record is carried or named, and nothing but Waymark's own refs
 * changes.
 */
import { cp, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { openGitProject } from "../../src/app.ts";
import { schemaProblems } from "../../src/domain/checkpoint-schema.ts";
import { Failure } from "../../src/domain/failure.ts";
import { sessionSchema } from "../../src/domain/session-schema.ts";
import type { OldFormat } from "../../src/domain/old-formats/old-formats.ts";
import { importOldFormat, type OldFormatImport } from "../../src/operations/import-old-format.ts";
import { withSeed, type RuleProject } from "../spec/project.ts";
import { runs } from "../support/sample.ts";
import { writeClaudeCheckpoints, writeCrunch, writeFlowspec, writeGoTeam } from "./sources.ts";

interface Damage {
  /** Which file, and where in it, as shares. */
  readonly file: number;
  readonly at: number;
  readonly how: "flip" | "cut" | "insert" | "value" | "remove";
  readonly byte: number;
  readonly value: unknown;
}

const share = fc.integer({ min: 0, max: 9999 });
const damages: fc.Arbitrary<readonly Damage[]> = fc.array(
  fc.record({
    file: share,
    at: share,
    how: fc.constantFrom("flip", "cut", "insert", "value", "value", "value", "remove"),
    byte: fc.integer({ min: 1, max: 255 }),
    // What no honest tool writes in the place of some value.
    value: fc.oneof(
      fc.constantFrom(null, "", "../x", "HEAD", -1, 1e300, true, [], {}, "\u0000", "2.0"),
      fc.jsonValue(),
    ),
  }),
  { minLength: 1, maxLength: 4 },
);

async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && /\.(json|ya?ml)$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted();
}

async function damage(folder: string, { file, at, how, byte, value }: Damage): Promise<void> {
  const files = await filesIn(folder);
  const path = files[Math.floor((file / 10_000) * files.length)];
  if (path === undefined) return;
  const bytes = await readFile(path);
  const position = Math.floor((at / 10_000) * bytes.length);
  if (how === "remove") await rm(path);
  else if (how === "cut") await writeFile(path, bytes.subarray(0, position));
  else if (how === "insert") {
    const parts = [bytes.subarray(0, position), Buffer.from([byte]), bytes.subarray(position)];
    await writeFile(path, Buffer.concat(parts));
  } else if (how === "flip" && bytes.length > 0) {
    bytes.writeUInt8((bytes[position] ?? 0) ^ byte, position);
    await writeFile(path, bytes);
  } else if (path.endsWith(".json")) {
    await writeFile(path, withValue(bytes.toString("utf8"), at / 10_000, value));
  }
}

/** The text with one of its values exchanged. */
function withValue(text: string, share: number, value: unknown): string {
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch {
    return text;
  }
  let count = 0;
  JSON.stringify(document, (_key, inner: unknown) => ((count += 1), inner));
  const wanted = Math.floor(share * count);
  let at = 0;
  return (
    JSON.stringify(document, (_key, inner: unknown) => (at++ === wanted ? value : inner)) ?? ""
  );
}

/** In this process: a start of Node for each example would be most of the time. */
async function tryImport(
  project: RuleProject,
  format: OldFormat,
  path: string,
): Promise<OldFormatImport | undefined> {
  const opened = await openGitProject({ directory: project.repo.root });
  try {
    const result = await importOldFormat(opened, { format, path, dryRun: false });
    for (const stored of await opened.checkpoints.list()) {
      expect(stored.kind).toBe("ok");
      if (stored.kind === "ok") expect(schemaProblems(stored.document)).toEqual([]);
    }
    for (const { document } of await opened.sessions.list()) {
      expect(sessionSchema.safeParse(document).error?.issues ?? []).toEqual([]);
    }
    for (const { id, problems } of await opened.checkpoints.verify()) {
      expect({ id, problems }).toEqual({ id, problems: [] });
    }
    return result;
  } catch (error) {
    if (error instanceof Failure && ["checkpoint_not_found", "file_not_found"].includes(error.code))
      return undefined;
    throw error;
  } finally {
    opened.close();
  }
}

/** Each record became a checkpoint, or is named, or belongs to a session that is. */
function expectAccountedFor({ sessions, notCarried }: OldFormatImport): void {
  for (const { old, checkpoints } of sessions) {
    for (const record of old.records) {
      const isMade = checkpoints.some((made) => made.record === record.id);
      const isNamed = notCarried.some(
        (one) => one.record === record.id || (one.session === old.id && one.record === null),
      );
      expect({ record: record.id, isAccountedFor: isMade || isNamed }).toMatchObject({
        isAccountedFor: true,
      });
    }
  }
}

/** Without checksums: with them any damage to a record is found at once, and nothing else would be tried. */
async function goTeamWithoutChecksums({ repo }: RuleProject): Promise<string> {
  const { path, session, records } = await writeGoTeam(repo);
  for (const { checksum: _, ...record } of records) {
    await writeFile(join(path, session, `${String(record["id"])}.json`), JSON.stringify(record));
  }
  return path;
}

const FORMATS = [
  ["go-team", goTeamWithoutChecksums],
  ["flowspec", async (project: RuleProject) => (await writeFlowspec(project.repo)).path],
  [
    "claude-checkpoints",
    async (project: RuleProject) => (await writeClaudeCheckpoints(project.repo)).path,
  ],
  ["crunch", async (project: RuleProject) => (await writeCrunch(project.repo)).path],
] as const;

describe("random damage to a source", () => {
  it.each(FORMATS)("of %s never makes anything that is not whole", async (format, write) => {
    await withSeed(async (project) => {
      const { repo } = project;
      const path = await write(project);
      const name = format === "flowspec" ? "checkpoints.json" : "";
      const good = format === "flowspec" ? join(path, "..") : path;
      const look = async (): Promise<string> =>
        (await repo.git("for-each-ref", "refs/heads", "refs/tags", "refs/stash")) +
        (await repo.git("status", "--porcelain"));
      const before = await look();
      await fc.assert(
        fc.asyncProperty(damages, async (all) => {
          const folder = join(repo.base, "damaged");
          await rm(folder, { recursive: true, force: true });
          await cp(good, folder, { recursive: true, verbatimSymlinks: true });
          for (const one of all) await damage(folder, one);
          const result = await tryImport(project, format, join(folder, name));
          if (result !== undefined) expectAccountedFor(result);
          expect(await look()).toBe(before);
          const made = await repo.storeRefs("--format=delete %(refname)", "refs/waymark");
          if (made !== "") await repo.storeWithInput(made, "update-ref", "--stdin");
        }),
        { numRuns: runs(10) },
      );
    });
  });
});
