// A merge that is killed at any point is finished or taken back, and what others save meanwhile is not lost.
import { cp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { describe, expect, it } from "vitest";
import { prepareKillpoint, runTraced } from "../../scripts/faults/killpoint.mjs";
import { spread } from "../../scripts/faults/matrix.mjs";
import { bin, cliEnvironment } from "../support/cli.ts";
import { runCommand } from "../support/run-command.ts";
import { points } from "../support/sample.ts";
import { TempRepository } from "../support/temp-repository.ts";
import { Batch, filesOf, lines, seeded, text } from "./batch.ts";

const library = new URL("../../dist/index.js", import.meta.url).href;
const killpoint = await prepareKillpoint();
if (killpoint.kind === "unavailable") console.warn(`skipped: ${killpoint.reason}`);

const PROGRAM = `import { mergeIsolated, openProject } from ${JSON.stringify(library)};
import { readFileSync } from "node:fs";
const [, , directory, order] = process.argv;
const project = await openProject({ directory });
const { base, results } = JSON.parse(readFileSync(order, "utf8"));
const outcome = await mergeIsolated(project, { base, results, place: { sessionId: "flow" } });
console.log(JSON.stringify({ kind: outcome.kind, kept: outcome.kept.map(({ path }) => path) }));
project.close();
`;

/** Points of each kind. */
const TRIED = points(5);

interface Ready {
  readonly repo: TempRepository;
  readonly before: Map<string, unknown>;
  readonly after: Map<string, unknown>;
  readonly points: number;
}

/** A project with the results of two nodes, ready to be merged: each try works on a copy of it. */
async function prepare(): Promise<Ready> {
  const repo = await seeded();
  await repo.write("mine.txt", "mine\n");
  const batch = await Batch.start(repo, "api", "ui");
  await batch.node("api").write("a.txt", lines({ one: "ONE" }));
  await batch.node("api").write("x/new.txt", "new\n");
  await batch.node("ui").write("a.txt", lines({ seven: "SEVEN" }));
  await batch.node("ui").remove("b.txt");
  const results = await batch.results();
  await batch.removeAll();
  await writeFile(join(repo.base, "order.json"), JSON.stringify({ base: batch.base, results }));
  await writeFile(join(repo.base, "merge.mjs"), PROGRAM);
  const before = await filesOf(repo);
  const tried = await copyOf(repo);
  const counted = await merge(tried, undefined);
  expect(counted).toMatchObject({ code: 0 });
  return { repo, before, after: await filesOf(tried), points: counted.points };
}

async function copyOf({ base, root }: TempRepository): Promise<TempRepository> {
  const copy = join(base, "copy");
  await rm(copy, { recursive: true, force: true });
  await cp(root, copy, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true });
  return new TempRepository(base, copy);
}

async function merge(repo: TempRepository, inject: Parameters<typeof runTraced>[1]["inject"]) {
  const command = [
    process.execPath,
    join(repo.base, "merge.mjs"),
    repo.root,
    join(repo.base, "order.json"),
  ];
  const path = killpoint.kind === "ready" ? killpoint.path : "";
  const what = { root: repo.root, ...(inject === undefined ? {} : { inject }) };
  const env = cliEnvironment(repo.env) as Record<string, string>;
  return runTraced(path, what, command, { cwd: repo.root, env });
}

describe.skipIf(killpoint.kind === "unavailable")("a merge", () => {
  async function recovered(repo: TempRepository): Promise<void> {
    const result = await runCommand(process.execPath, [bin, "-C", repo.root, "recover"], {
      env: cliEnvironment(repo.env),
    });
    expect(result).toMatchObject({ code: 0 });
  }

  it("[R81] that is killed leaves before or after, and can be done again", async () => {
    const ready = await prepare();
    let killed = 0;
    for (const at of spread(ready.points, TRIED)) {
      const repo = await copyOf(ready.repo);
      const index = await repo.git("ls-files", "-s", "-v");
      const { call, fired } = await merge(repo, { at, action: "kill" });
      killed += fired;
      await recovered(repo);
      const found = await filesOf(repo);
      const isOneOfBoth = [ready.before, ready.after].some((side) =>
        isDeepStrictEqual(side, found),
      );
      expect({ at, call, isOneOfBoth }).toEqual({ at, call, isOneOfBoth: true });
      const again = await merge(repo, undefined);
      expect(again).toMatchObject({ code: 0 });
      expect(await filesOf(repo)).toEqual(ready.after);
      expect(await repo.git("ls-files", "-s", "-v")).toBe(index);
      expect((await repo.tryGit(["fsck", "--strict", "--no-dangling"])).code).toBe(0);
      expect((await repo.tryStore(["fsck", "--strict", "--no-dangling"])).code).toBe(0);
    }
    expect(killed).toBeGreaterThan(TRIED / 2);
  });

  it("[R81] does not lose what somebody saves at any moment", async () => {
    const ready = await prepare();
    let saved = 0;
    for (const at of spread(ready.points, TRIED)) {
      const repo = await copyOf(ready.repo);
      const command = `printf 'saved\\n' > '${join(repo.root, "a.txt")}'`;
      const { call, fired } = await merge(repo, { at, action: "run", command });
      // A run has some calls more or less than another: near the end nobody may have come to save anything.
      if (fired === 0) continue;
      saved++;
      await recovered(repo);
      const now = await text(repo, "a.txt");
      const places = await repo.tryStore(["grep", "-l", "^saved$", ...(await checkpointsOf(repo))]);
      // At its place, alone or in a conflict with the results; or merged away on top of it, and held by a checkpoint.
      const isThere = now.includes("saved") || places.code === 0;
      expect({ at, call, isThere }).toMatchObject({ isThere: true });
    }
    expect(saved).toBeGreaterThan(TRIED / 2);
  });
});

async function checkpointsOf(repo: TempRepository): Promise<string[]> {
  const refs = await repo.storeRefs("--format=%(refname)", "refs/waymark/cp");
  return refs.split("\n").filter((ref) => ref !== "");
}
