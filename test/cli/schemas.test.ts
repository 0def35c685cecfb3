/** The schemas themselves: complete, current, open to fields of later versions. */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { COMMANDS } from "../../src/interfaces/cli/command-table.ts";
import { withDirty } from "../spec/project.ts";
import { runCommand } from "../support/run-command.ts";
import { withTempProject } from "../support/temp-repository.ts";
import { problemsWith, SCHEMA_NAMES, schemaOf } from "./schema-check.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** Of what Waymark writes. Those of what people write are closed, so that editors show slips. */
const DOCUMENTS = SCHEMA_NAMES.filter((name) => !["waymark-yml", "workflow"].includes(name));

/** Where an object of a schema refuses fields that it does not know. */
function closedObjects(schema: unknown, at: string): string[] {
  if (typeof schema !== "object" || schema === null) return [];
  return Object.entries(schema).flatMap(([key, value]) =>
    key === "additionalProperties" && value === false ? [at] : closedObjects(value, `${at}/${key}`),
  );
}

describe("the schemas", () => {
  it("are there for every kind of document that a command prints", () => {
    const kinds = ["error", ...COMMANDS.flatMap((spec) => spec.kinds)];
    expect(kinds.filter((kind) => !SCHEMA_NAMES.includes(kind))).toEqual([]);
  });

  it.each(DOCUMENTS)("%s is valid, described, and open to new fields", (name) => {
    const schema = schemaOf(name);
    expect(schema).toMatchObject({
      $schema: "https://json-schema.org/draft/2020-12/schema",
      description: expect.stringMatching(/\w/) as unknown,
    });
    expect(closedObjects(schema, name)).toEqual([]);
    // Compiles in strict mode, and refuses what is no document at all.
    expect(problemsWith({}, name)).not.toEqual([]);
  });

  it("refuse documents with a wrong field", () => {
    const error = { code: "usage", message: "what", hint: "do" };
    const document = { schema_version: 1, kind: "error", error };
    expect(problemsWith(document, "error")).toEqual([]);
    expect(problemsWith({ ...document, later: "addition" }, "error")).toEqual([]);
    expect(problemsWith({ ...document, error: { ...error, code: "oops" } }, "error")).not.toEqual(
      [],
    );
    expect(problemsWith({ ...document, schema_version: 2 }, "error")).not.toEqual([]);
    expect(problemsWith({ ...document, error: { code: "usage" } }, "error")).not.toEqual([]);
  });

  it("describe what is stored", async () => {
    await withDirty(async (project) => {
      const id = await project.create("--phase", "plan", "--step", "2");
      await project.repo.write("b.txt", "changed\n");
      await project.rollBack(id);
      await project.ok("undo", "--yes");
      const stored = async (ref: string): Promise<unknown> => {
        const message = await project.repo.store("log", "-1", "--format=%b", ref);
        return JSON.parse(message) as unknown;
      };
      const checkpoint = await stored(`refs/waymark/cp/${id}`);
      const session = await stored("refs/waymark/session/worktree-main");
      expect(problemsWith(checkpoint, "checkpoint-document")).toEqual([]);
      expect(session).toMatchObject({ history: [{ kind: "rollback" }, { kind: "undo" }] });
      expect(problemsWith(session, "session-document")).toEqual([]);
    });
  });
});

describe("what is made from the code", () => {
  it("is current: schemas, man page, docs/cli.md", async () => {
    const result = await runCommand(process.execPath, ["scripts/docs.mjs", "--check"], {
      cwd: root,
      env: process.env,
    });
    expect(result.stderr).toBe("");
    expect(result.code).toBe(0);
  });
});

describe("the package", () => {
  it("brings schemas, completion scripts and man pages, and finds them where it is installed", async () => {
    await withTempProject(async (project) => {
      const env = {
        ...project.env,
        npm_config_offline: "true",
        npm_config_update_notifier: "false",
      };
      const npm = async (cwd: string, ...args: string[]): Promise<string> => {
        const result = await runCommand("npm", args, { cwd, env, timeoutMs: 120_000 });
        if (result.code !== 0) throw new Error(`npm ${args.join(" ")}: ${result.stderr}`);
        return result.stdout.toString("utf8");
      };
      // The built files are there already; building again would race with other tests.
      const packed = await npm(
        root,
        "pack",
        "--ignore-scripts",
        "--pack-destination",
        project.base,
      );
      const prefix = join(project.base, "global");
      await mkdir(prefix);
      const archive = join(project.base, packed.trim().split("\n").at(-1) ?? "");
      await npm(
        project.base,
        "install",
        "--global",
        "--prefix",
        prefix,
        "--no-audit",
        "--no-fund",
        archive,
      );

      const waymark = (...args: string[]) =>
        runCommand(join(prefix, "bin", "waymark"), args, { cwd: project.root, env });
      const schema = await waymark("schema", "error");
      expect(schema.stdout.toString("utf8")).toBe(
        await readFile(join(root, "schemas/error.json"), "utf8"),
      );
      expect((await waymark("completion", "zsh")).stdout.toString("utf8")).toContain(
        "#compdef waymark",
      );
      expect(await readFile(join(prefix, "share/man/man1/git-waymark.1"), "utf8")).toContain(
        ".TH GIT",
      );

      await writeFile(
        join(prefix, "lib", "try.mjs"),
        'import { createRequire } from "node:module";\n' +
          'console.log(createRequire(import.meta.url)("waymark/schemas/rollback.json").title);\n',
      );
      const imported = await runCommand(process.execPath, [join(prefix, "lib", "try.mjs")], {
        env,
      });
      expect(imported).toMatchObject({ stderr: "", stdout: Buffer.from("rollback\n") });
    });
  });
});
