import {
  chmodSync,
  existsSync,
  lutimesSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import type { ConfigLayer } from "../../domain/config-check.ts";
import { ALL_KEYS, SHORTHANDS } from "../../domain/config-keys.ts";
import { FOREIGN_FORMATS } from "../../domain/foreign-config.ts";
import { readConfigFiles } from "./config-files.ts";
import { DiskClock } from "./disk-clock.ts";
import { machineAndUser } from "./machine-and-user.ts";
import { tempFolder } from "./temp-folder.fixture.ts";

interface Project {
  readonly root: string;
  /** HOME of the user. */
  readonly home: string;
  readonly cache: string;
  write(path: string, text: string | Buffer): void;
  /** As if the files had been there for an hour. */
  readLater(): Promise<readonly ConfigLayer[]>;
  read(): Promise<readonly ConfigLayer[]>;
}

function newProject(): Project {
  const folder = tempFolder();
  const root = join(folder, "project");
  const cache = join(folder, "git", "config-cache.json");
  mkdirSync(root);
  const home = join(folder, "home");
  const environment = { HOME: home };
  return {
    root,
    home,
    cache,
    write: (path, text) => {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text);
    },
    read: () => readConfigFiles(root, cache, environment),
    readLater: () =>
      readConfigFiles(
        root,
        cache,
        environment,
        new DiskClock(dirname(cache), root, Date.now() + 3_600_000),
      ),
  };
}

const settings = (layers: readonly ConfigLayer[]): Record<string, unknown> =>
  Object.fromEntries(
    layers.flatMap((layer) => layer.settings.map(({ key, value }) => [key, value])),
  );
const problems = (layers: readonly ConfigLayer[]): string[] =>
  layers.flatMap((layer) => layer.problems.map(({ message }) => message));
const warnings = (layers: readonly ConfigLayer[]): string[] =>
  layers.flatMap((layer) => layer.warnings);

describe("readConfigFiles", () => {
  it("finds nothing in a project without files, and writes nothing", async () => {
    const project = newProject();
    expect(await project.readLater()).toEqual([]);
    expect(existsSync(project.cache)).toBe(false);
  });

  it("reads our own file first, then those of others", async () => {
    const project = newProject();
    project.write("waymark.yml", "retention:\n  auto: 5 # five\n");
    project.write(".claude/checkpoint-config.yaml", "checkpoint:\n  retention: {manual: 2}\n");
    project.write("flowspec_workflow.yml", "workflows: {}\ncheckpoint:\n  strategy: smart\n");
    project.write(".flowspec/checkpoint.yml", "max_per_task: 3\n");
    const layers = await project.read();
    expect(layers.map(({ file }) => file)).toEqual([
      "waymark.yml",
      ".claude/checkpoint-config.yaml",
      "flowspec_workflow.yml",
      ".flowspec/checkpoint.yml",
    ]);
    expect(layers[0]?.settings).toEqual([{ key: "retention.auto", value: 5, line: 2, column: 9 }]);
    expect(problems(layers)).toEqual([]);
    expect(warnings(layers)).toEqual([]);
  });

  it("[R170] reads the user's own file before them, and again when it has changed", async () => {
    const project = newProject();
    const own = join(project.home, ".config/waymark/config.yml");
    project.write("waymark.yml", "strategy: smart\n");
    mkdirSync(dirname(own), { recursive: true });
    writeFileSync(own, "strategy: manual\n");
    const layers = await project.readLater();
    expect(layers.map(({ file, owner }) => [file, owner])).toEqual([
      [own, "user"],
      ["waymark.yml", "project"],
    ]);
    expect(await project.readLater()).toEqual(layers);
    writeFileSync(own, "strategy: nonsense\n");
    expect(problems(await project.readLater())).toEqual([
      expect.stringMatching(`^${own}:1:11: strategy cannot be "nonsense"`),
    ]);
  });

  it("[R170] follows a link to the user's own file, but not into the project", async () => {
    const project = newProject();
    const folder = join(project.home, ".config/waymark");
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(project.home, "mine.yml"), "strategy: manual\n");
    symlinkSync(join(project.home, "mine.yml"), join(folder, "config.yml"));
    expect(settings(await project.read())).toEqual({ strategy: "manual" });
    project.write("dot/config.yml", "strategy: manual\n");
    rmSync(join(folder, "config.yml"));
    symlinkSync(join(project.root, "dot/config.yml"), join(folder, "config.yml"));
    const layers = await project.read();
    expect([settings(layers), problems(layers)]).toEqual([{}, []]);
    expect(warnings(layers)).toEqual([
      `${join(folder, "config.yml")}:1:1: it is in the project itself; set XDG_CONFIG_HOME to a folder outside; its settings are not used`,
    ]);
  });

  it("takes waymark.yaml too, but not both", async () => {
    const project = newProject();
    project.write("waymark.yaml", "strategy: smart\n");
    expect(settings(await project.read())).toEqual({ strategy: "smart" });
    project.write("waymark.yml", "strategy: manual\n");
    const layers = await project.read();
    expect(problems(layers)).toEqual([
      "waymark.yaml:1:1: waymark.yml and waymark.yaml both exist; keep one of them",
    ]);
    expect(settings(layers)).toEqual({ strategy: "manual" });
  });

  it.each([
    ["a: b: c\n", /^waymark\.yml:1:4: /],
    [
      "strategy: smart\nstrategy: manual\n",
      /^waymark\.yml:2:1: duplicate key strategy, first in line 1$/,
    ],
    ["strategy: !secret smart\n", /^waymark\.yml:1:11: Unresolved tag: !secret/],
    [
      "strategy: smart\n---\nstrategy: manual\n",
      /^waymark\.yml:2:1: a second YAML document begins here/,
    ],
    ["strategy: 'open\n", /^waymark\.yml:\d+:\d+: /],
    ["a: &a [x, *a]\n", /too many aliases|nested too deeply/],
    ["\tstrategy: smart\n", /^waymark\.yml:1:/],
  ])("reports what is wrong with %j", async (text, expected) => {
    const project = newProject();
    project.write("waymark.yml", text);
    expect(problems(await project.read())[0]).toMatch(expected);
  });

  it.each([
    ["[", 60],
    ["[", 5000],
    ["{", 400_000],
    ["- ", 300_000],
    ["? ", 300_000],
    ["a:\n", 400],
  ])("reports %j on %d levels", async (level, depth) => {
    const project = newProject();
    const isLine = level.endsWith("\n");
    const levels = Array.from({ length: depth }, (_, at) => (isLine ? " ".repeat(at) : "") + level);
    project.write("waymark.yml", levels.join("") + "]".repeat(level === "[" ? depth : 0));
    expect(problems(await project.read())[0]).toContain("it is nested too deeply");
  });

  it("does not let a few lines grow into gigabytes", async () => {
    const project = newProject();
    const lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"];
    for (let level = 1; level < 20; level++) {
      lines.push(
        `a${level}: &a${level} [${Array.from({ length: 9 }, () => `*a${level - 1}`).join(", ")}]`,
      );
    }
    project.write("waymark.yml", lines.join("\n"));
    expect(problems(await project.read())[0]).toMatch(/too many aliases/);
  });

  it("takes aliases that are few", async () => {
    const project = newProject();
    project.write("waymark.yml", "phases:\n  modify: &m [plan]\n  always: *m\n");
    expect(settings(await project.read())).toEqual({
      "phases.modify": ["plan"],
      "phases.always": ["plan"],
    });
  });

  it("refuses bytes that are no text, and takes a byte order mark and Windows lines", async () => {
    const project = newProject();
    project.write("waymark.yml", Buffer.from([0xff, 0xfe, 0x00, 0x41]));
    expect(problems(await project.read())[0]).toMatch(/^waymark\.yml:1:1: it cannot be read/);
    project.write("waymark.yml", "\uFEFFstrategy: smart\r\nretention:\r\n  auto: 3\r\n");
    expect(settings(await project.read())).toEqual({ strategy: "smart", "retention.auto": 3 });
  });

  it("refuses more than a megabyte, folders, pipes, and links out of the project", async () => {
    const project = newProject();
    const own = join(project.root, "waymark.yml");
    project.write("waymark.yml", `# ${"x".repeat(1024 * 1024)}\n`);
    expect(problems(await project.read())[0]).toContain("larger than 1 MB");
    rmSync(own);
    mkdirSync(own);
    expect(problems(await project.read())[0]).toContain("not a file");
    rmSync(own, { recursive: true });
    execFileSync("sh", ["-c", 'mkfifo "$1"', "sh", own]);
    expect(problems(await project.read())[0]).toContain("not a file");
    rmSync(own);
    writeFileSync(join(project.root, "..", "outside.yml"), "strategy: smart\n");
    symlinkSync("../outside.yml", own);
    expect(problems(await project.read())[0]).toContain("outside the project");
    rmSync(own);
    symlinkSync("nowhere.yml", own);
    expect(problems(await project.read())[0]).toContain("cannot be read");
    rmSync(own);
    project.write("settings/mine.yml", "strategy: smart\n");
    symlinkSync("settings/mine.yml", own);
    expect(settings(await project.read())).toEqual({ strategy: "smart" });
  });

  it("only warns when somebody else's file cannot be used", async () => {
    const project = newProject();
    project.write("flowspec_workflow.yml", "{{ template }}: [\n");
    const outside = join(project.root, "..", "outside");
    mkdirSync(outside);
    writeFileSync(join(outside, "checkpoint-config.yaml"), "checkpoint: {enabled: false}\n");
    symlinkSync(outside, join(project.root, ".claude"));
    const layers = await project.read();
    expect(problems(layers)).toEqual([]);
    expect(warnings(layers)).toHaveLength(2);
    expect(settings(layers)).toEqual({});
  });

  it("does not mind tags and aliases of somebody else outside of the checkpoint section", async () => {
    const project = newProject();
    const aliases = Array.from({ length: 300 }, () => "*a").join(", ");
    project.write(
      "flowspec_workflow.yml",
      `a: &a !include x\nb: [${aliases}]\ncheckpoint: {strategy: smart}\n`,
    );
    const layers = await project.read();
    expect(settings(layers)).toEqual({ strategy: "smart" });
    expect(warnings(layers)).toEqual([]);
  });

  it.skipIf(process.getuid?.() === 0)("reports a file that may not be read", async () => {
    const project = newProject();
    project.write("waymark.yml", "strategy: smart\n");
    chmodSync(join(project.root, "waymark.yml"), 0);
    expect(problems(await project.read())[0]).toContain("cannot be read");
  });
});

describe("the memory of readConfigFiles", () => {
  it("is used as long as every file is the same, and not when one changed, came or went", async () => {
    const project = newProject();
    project.write("waymark.yml", "strategy: smart\n");
    await project.readLater();
    const remembered = readFileSync(project.cache, "utf8");
    // Whoever reads it sees what it says: that is how this test knows.
    const marked = forge(remembered, "before_all");
    writeFileSync(project.cache, marked);
    expect(settings(await project.readLater())).toEqual({ strategy: "before_all" });

    project.write(".flowspec/checkpoint.yml", "max_per_task: 3\n");
    expect(settings(await project.readLater())).toMatchObject({ strategy: "smart" });
    rmSync(join(project.root, ".flowspec"), { recursive: true });

    writeFileSync(project.cache, marked);
    expect(settings(await project.readLater())).toEqual({ strategy: "before_all" });
    const before = join(project.root, "waymark.yml");
    writeFileSync(`${before}.new`, "strategy: manua");
    renameSync(`${before}.new`, before);
    expect(problems(await project.readLater())).toHaveLength(1);
  });

  it("is not fooled by a file of the same size with the old time stamp", async () => {
    const project = newProject();
    project.write("waymark.yml", "retention: {auto: 1}\n");
    const path = join(project.root, "waymark.yml");
    utimesSync(path, 1_000_000, 1_000_000);
    await project.readLater();
    project.write("waymark.yml", "retention: {auto: 2}\n");
    utimesSync(path, 1_000_000, 1_000_000);
    expect(settings(await project.readLater())).toEqual({ "retention.auto": 2 });
  });

  it("follows what a link leads to", async () => {
    const project = newProject();
    project.write("a.yml", "strategy: smart\n");
    project.write("b.yml", "strategy: manual\n");
    const own = join(project.root, "waymark.yml");
    symlinkSync("a.yml", own);
    expect(settings(await project.readLater())).toEqual({ strategy: "smart" });
    rmSync(own);
    symlinkSync("b.yml", own);
    lutimesSync(own, 1, 1);
    expect(settings(await project.readLater())).toEqual({ strategy: "manual" });
  });

  it("is not kept of a file that was written just now, whose time stamp may not change with the next write", async () => {
    const project = newProject();
    project.write("waymark.yml", "strategy: smart\n");
    await project.read();
    expect(existsSync(project.cache)).toBe(false);
  });

  it.each(["", "null", "{}", "[1", '{"key":1,"layers":[]}', "\0\0"])(
    "is ignored when it is damaged: %j",
    async (damage) => {
      const project = newProject();
      project.write("waymark.yml", "strategy: smart\n");
      await project.readLater();
      writeFileSync(project.cache, damage);
      expect(settings(await project.readLater())).toEqual({ strategy: "smart" });
    },
  );

  it("is ignored when a byte of it flipped", async () => {
    const project = newProject();
    project.write("waymark.yml", "retention: {auto: 1}\n");
    await project.readLater();
    const flipped = readFileSync(project.cache, "utf8").replace('"value":1', '"value":3');
    writeFileSync(project.cache, flipped);
    expect(settings(await project.readLater())).toEqual({ "retention.auto": 1 });
  });

  it("[R171] does not say whose settings they are: a copied git folder can bring it along", async () => {
    const project = newProject();
    project.write("waymark.yml", "strategy: smart\n");
    await project.readLater();
    const cache = JSON.parse(readFileSync(project.cache, "utf8")) as { layers: object[] };
    const layers = cache.layers.map((layer) => ({
      ...layer,
      owner: "user",
      source: "environment",
    }));
    writeFileSync(project.cache, JSON.stringify({ ...cache, layers, digest: digestOf(layers) }));
    expect(await project.readLater()).toMatchObject([
      { source: "file", owner: "project", file: "waymark.yml" },
    ]);
    const more = [...layers, ...layers];
    const added = { ...cache, layers: more, digest: digestOf(more) };
    writeFileSync(project.cache, JSON.stringify(added));
    expect(await project.readLater()).toHaveLength(1);
  });

  it.each(["folder", "link"])(
    "[R171] is neither used nor kept where a %s is in the place of a file: its key could be known beforehand",
    async (kind) => {
      const project = newProject();
      const own = join(project.root, "waymark.yml");
      if (kind === "folder") mkdirSync(own);
      else symlinkSync("nowhere.yml", own);
      const layers = [
        {
          source: "file",
          owner: "user",
          file: "waymark.yml",
          settings: [{ key: "strategy", value: "manual", line: 1, column: 1 }],
          problems: [],
          warnings: [],
        },
      ];
      for (const start of [[], [machineAndUser()]]) {
        const key = digestOf([...start, ["unusable"], ALL_KEYS, SHORTHANDS, FOREIGN_FORMATS]);
        const forged = JSON.stringify({ key, digest: digestOf(layers), layers });
        mkdirSync(dirname(project.cache), { recursive: true });
        writeFileSync(project.cache, forged);
        const read = await project.readLater();
        expect([settings(read), problems(read)]).toEqual([{}, [expect.any(String)]]);
        expect(readFileSync(project.cache, "utf8")).toBe(forged);
      }
    },
  );

  it("keeps problems, so that a wrong file stays wrong", async () => {
    const project = newProject();
    project.write("waymark.yml", "strategy: nonsense\n");
    const first = problems(await project.readLater());
    expect(first).toHaveLength(1);
    expect(problems(await project.readLater())).toEqual(first);
  });
});

/** The same memory with another value and the digest that belongs to it. */
function forge(remembered: string, value: string): string {
  const cache = JSON.parse(remembered.replace('"smart"', JSON.stringify(value))) as {
    digest: string;
    layers: unknown;
  };
  return JSON.stringify({ ...cache, digest: digestOf(cache.layers) });
}

function digestOf(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("hex");
}
