// What the harness damages is damaged, and nothing else is; the shim makes whole seconds of what node and git see.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { compiled } from "../../scripts/faults/compile.mjs";
import { harmObject, victims } from "../../scripts/faults/damage.mjs";
import { readObjects } from "../../scripts/faults/objects.mjs";
import { cleanEnvironment, IDENTITY, must, run } from "../../scripts/faults/process.mjs";

let root = "";
let place = { project: "", gitDir: "", commonDir: "", env: {} as Record<string, string> };

beforeEach(async () => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "waymark-damage-test-")));
  const project = join(root, "repo");
  const gitDir = join(project, ".git");
  mkdirSync(project);
  place = { project, gitDir, commonDir: gitDir, env: { ...cleanEnvironment(root), ...IDENTITY } };
  await git("init", "-q");
  for (const name of ["one", "two"]) writeFileSync(join(project, name), `${name}\n`.repeat(50));
  await git("add", ".");
  await git("commit", "-qm", "one");
  writeFileSync(join(project, "two"), "staged\n");
  await git("add", ".");
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const git = (...args: string[]) => must("git", args, { cwd: place.project, env: place.env });

describe("an object that is", () => {
  for (const harm of ["lost", "flipped", "empty"] as const)
    for (const form of ["loose", "packed"] as const)
      test(`${harm}, ${form}: git cannot read it, and everything else it can`, async () => {
        await git(...(form === "loose" ? ["gc", "-q"] : ["status"]));
        const before = await readObjects(place);
        await must("cp", ["-a", place.gitDir, join(root, "saved")]);
        for (const { oid } of await victims(place)) {
          await harmObject(place, harm, oid, form);
          const { read } = await readObjects(place);
          expect([...before.read.keys()].filter((id) => !read.has(id))).toEqual([oid]);
          rmSync(place.gitDir, { recursive: true });
          await must("cp", ["-a", join(root, "saved"), place.gitDir]);
        }
      });

  test("in the store as well is damaged in both, and what only the store has is damaged there", async () => {
    const store = join(place.gitDir, "waymark/store");
    await git("init", "-q", "--bare", store);
    const write = async (file: string): Promise<string> => {
      const args = [`--git-dir=${store}`, "hash-object", "-w", join(root, file)];
      return (await git(...args)).stdout.toString().trim();
    };
    writeFileSync(join(root, "own"), "only in the store\n");
    const [both, own] = [await write("repo/one"), await write("own")];
    writeFileSync(join(store, "objects/info/alternates"), "../../../objects\n");
    await must("cp", ["-a", place.gitDir, join(root, "saved")]);
    const before = await readObjects(place);
    for (const oid of [both, own])
      for (const harm of ["lost", "flipped", "empty"] as const)
        for (const form of ["loose", "packed"] as const) {
          await harmObject(place, harm, oid, form);
          const { read } = await readObjects(place);
          expect([...before.read.keys()].filter((id) => !read.has(id))).toEqual([oid]);
          rmSync(place.gitDir, { recursive: true });
          await must("cp", ["-a", join(root, "saved"), place.gitDir]);
        }
    expect(before.read.has(own)).toBe(true);
  });
});

test("the objects that something relies on are found, each once and by what it is", async () => {
  expect((await victims(place)).map(({ what }) => what)).toEqual([
    'clean blob of HEAD "one"',
    'blob of HEAD "two"',
    'blob of the index "two"',
    'tree of HEAD ""',
    'commit of HEAD "HEAD"',
  ]);
});

const shim = await compiled("whole-seconds", ["-shared", "-fPIC"]);

describe.skipIf(process.platform !== "linux" || shim.kind === "unavailable")(
  "whole seconds",
  () => {
    const FROM = 1_700_000_000;
    const env = () => ({
      ...place.env,
      LD_PRELOAD: shim.kind === "ready" ? shim.path : "",
      WHOLE_SECONDS_FROM: String(FROM),
      WHOLE_SECONDS_SLOWER: "1000000",
    });

    test("node and git see them, and a clock that hardly moves", async () => {
      const file = join(place.project, "one");
      expect(statSync(file).mtimeMs % 1000).not.toBe(0);
      const script =
        "const fs = require('node:fs'); const all = [fs.statSync('one'), fs.lstatSync('one'), fs.fstatSync(fs.openSync('one'))];" +
        "fs.promises.stat('one').then((last) => console.log(JSON.stringify([...all, last].flatMap((s) => [s.mtimeMs, s.ctimeMs]).concat(Math.floor(Date.now() / 1e6)))))";
      const seen = await must(process.execPath, ["-e", script], { cwd: place.project, env: env() });
      const [now, ...times] = (JSON.parse(seen.stdout.toString()) as number[]).toReversed();
      expect(now).toBe(FROM / 1000);
      expect(new Set(times.map((time) => time % 1000))).toEqual(new Set([0]));
      await must("git", ["add", "--renormalize", "."], { cwd: place.project, env: env() });
      const { stdout } = await run("git", ["ls-files", "--debug", "one"], {
        cwd: place.project,
        env: env(),
      });
      expect(stdout.toString()).toMatch(/ctime: 17\d+:0\n +mtime: 17\d+:0\n/);
    });
  },
);
