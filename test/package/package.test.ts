/** The package as npm users get it: packed, installed into an empty folder without a network, required, imported and run. */
import { mkdir, mkdtemp, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { VERSION } from "../../src/interfaces/cli/version.ts";
import { runCommand } from "../support/run-command.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
/** 762 before it was trimmed; most of those left are types and schemas. */
const MAX_FILES = 350;

let folder = "";
let app = "";
let files: string[] = [];

async function run(program: string, ...args: readonly string[]): Promise<string> {
  const env = {
    PATH: process.env["PATH"],
    HOME: join(folder, "home"),
    npm_config_update_notifier: "false",
  };
  const result = await runCommand(program, args, { cwd: app, env });
  if (result.code !== 0) throw new Error(`${program} ${args.join(" ")}: ${result.stderr}`);
  return result.stdout.toString("utf8");
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "waymark-package-"));
  app = join(folder, "app");
  await mkdir(join(folder, "home"));
  await mkdir(app);
  await writeFile(join(app, "package.json"), '{ "name": "app", "private": true }\n');
  const packed = await run(
    "npm",
    "pack",
    ROOT,
    "--ignore-scripts",
    "--json",
    "--pack-destination",
    folder,
  );
  const [about] = JSON.parse(packed) as { filename: string; files: { path: string }[] }[];
  files = about?.files.map(({ path }) => path) ?? [];
  await run(
    "npm",
    "install",
    "--offline",
    "--no-audit",
    "--no-fund",
    join(folder, about?.filename ?? ""),
  );
});

afterAll(() => rm(folder, { recursive: true, force: true }));

describe("the package", () => {
  it("has what is needed at run time and nothing else", async () => {
    expect(files.length).toBeLessThan(MAX_FILES);
    const folders = new Set(files.map((file) => file.split("/").slice(0, -1).join("/")));
    for (const none of ["docs/decisions", "docs/proof", "examples", "scripts", "src", "test"]) {
      expect([...folders]).not.toContain(none);
    }
    expect(files).toEqual(
      expect.arrayContaining([
        "README.md",
        "LICENSE",
        "completions/waymark.bash",
        "docs/recovery.md",
        "gemini-extension/gemini-extension.json",
        "man/waymark.1",
        "plugin/.claude-plugin/plugin.json",
        "schemas/checkpoint_list.json",
      ]),
    );
    const named = new Set<string>();
    for (const name of await readdir(join(ROOT, "dist"))) {
      if (!name.endsWith(".cjs")) continue;
      const code = await readFile(join(ROOT, "dist", name), "utf8");
      for (const [path] of code.matchAll(/docs\/[a-z-]+\.md/g)) named.add(path);
    }
    expect([...named].filter((path) => !files.includes(path))).toEqual([]);
  });

  it("can be required and imported, and both give the same", async () => {
    const program = `
      const required = require("waymark");
      import("waymark").then((imported) => {
        const same = Object.keys(required).every((name) => required[name] === imported[name]);
        console.log(typeof required.createCheckpoint, same, Object.keys(imported).length > 20);
      });`;
    expect(await run(process.execPath, "-e", program)).toBe("function true true\n");
    const esm =
      'import { Failure, openProject } from "waymark"; console.log(typeof Failure, typeof openProject)';
    expect(await run(process.execPath, "--input-type=module", "-e", esm)).toBe(
      "function function\n",
    );
    expect(
      await run(process.execPath, "-p", 'require("waymark/schemas/checkpoint.json").title'),
    ).not.toBe("");
  });

  it("runs: version, create, rollback, completion, schema", async () => {
    const npx = (...args: readonly string[]): Promise<string> =>
      run("npx", "--no-install", "waymark", ...args);
    expect(await npx("--version")).toBe(`${VERSION}\n`);
    await run("git", "init", "-q");
    await writeFile(join(app, ".gitignore"), "node_modules\n");
    await writeFile(join(app, "a.txt"), "before\n");
    await npx("create", "before the change");
    await writeFile(join(app, "a.txt"), "after\n");
    await npx("rollback", "latest", "--yes");
    expect(await readFile(join(app, "a.txt"), "utf8")).toBe("before\n");
    expect(await npx("completion", "bash")).toContain("complete");
    expect(JSON.parse(await npx("schema", "checkpoint"))).toBeInstanceOf(Object);
  });
});
