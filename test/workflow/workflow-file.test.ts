/** What is made from the keys of workflow files, and whether the page, the schema and the reader say the same. */
import { readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parse, stringify } from "yaml";
import { openGitProject } from "../../src/app.ts";
import { YamlWorkflowFiles } from "../../src/adapters/files/yaml-workflow-files.ts";
import { fillWorkflowTables } from "../../src/domain/workflow/file-docs.ts";
import { workflowJsonSchema } from "../../src/domain/workflow/file-json-schema.ts";
import { NODE_KEYS, PHASE_KEYS, WORKFLOW_KEYS } from "../../src/domain/workflow/file-keys.ts";
import { withSeed } from "../spec/project.ts";

const read = (path: string): string =>
  readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");

const page = read("docs/workflow-file.md");
const examples = [...page.matchAll(/```yaml\n([^]*?)```/g)].map(([, text = ""]) => text);

const files = new YamlWorkflowFiles({
  root: "/",
  directory: "/",
  secrets: { exclude: true, patterns: [], scan: true },
});

const isRead = (value: unknown): Promise<boolean> =>
  files.parse(stringify(value, { aliasDuplicateObjects: false }), "flow.yml").then(
    () => true,
    () => false,
  );

// "run or nodes" requires keys in a place other than the one that describes them.
const isValid = new Ajv2020({ strict: true, strictRequired: false, allowUnionTypes: true }).compile(
  workflowJsonSchema(),
);

describe("docs/workflow-file.md and schemas/workflow.json", () => {
  it("are what `npm run docs` writes", () => {
    expect(page).toBe(fillWorkflowTables(page));
    expect(JSON.parse(read("schemas/workflow.json"))).toEqual(
      JSON.parse(JSON.stringify(workflowJsonSchema())),
    );
  });

  it("have examples that are workflows, for the reader and for editors", async () => {
    expect(examples).toHaveLength(2);
    for (const text of examples) {
      expect((await files.parse(text, "flow.yml")).phases).not.toEqual([]);
      expect({ ok: isValid(parse(text)), errors: isValid.errors }).toEqual({
        ok: true,
        errors: null,
      });
    }
  });

  it("show every key in an example, but topic, which is like description", () => {
    const all = [WORKFLOW_KEYS, PHASE_KEYS, NODE_KEYS].flatMap((keys) => Object.values(keys));
    const missing = all.filter(({ name }) => !examples.some((text) => text.includes(`${name}:`)));
    expect([...new Set(missing.map(({ name }) => name))]).toEqual(["topic"]);
  });
});

describe("the schema and the reader", () => {
  const node = { name: "a", run: "b" };
  const workflow = (phase: object, more: object = {}): unknown => ({
    name: "x",
    ...more,
    phases: [phase],
  });

  it.each<[string, unknown]>([
    ["no map", []],
    ["no phases", { name: "x" }],
    ["no name", { phases: [node] }],
    ["empty phases", { name: "x", phases: [] }],
    ["a key that nobody knows", workflow(node, { nam: "x" })],
    ["a key with nothing", workflow(node, { issue: null })],
    ["nothing to run", workflow({ name: "a" })],
    ["run and nodes", workflow({ ...node, nodes: [node] })],
    ["no nodes", workflow({ name: "a", nodes: [] })],
    ["rerun beside nodes", workflow({ name: "a", nodes: [node], rerun: "ask" })],
    ["a path out of the project", workflow({ ...node, cwd: "../b" })],
    ["a variable of ours", workflow(node, { env: { WAYMARK_NODE: "a" } })],
    ["an output that is two", workflow({ ...node, outputs: { a: { file: "b", stdout: "json" } } })],
    ["a name with a slash", workflow({ ...node, name: "a/b" })],
  ])("refuse %s", async (_, value) => {
    expect(isValid(value)).toBe(false);
    expect(await isRead(value)).toBe(false);
  });

  const scalar = fc.constantFrom<unknown>(
    "a",
    "",
    " ",
    "a b",
    "a/b",
    "../a",
    "30m",
    "90s",
    "never",
    "worktree",
    "always",
    "json",
    "stop",
    "A_1",
    true,
    false,
    0,
    1,
    2.5,
    -1,
    101,
  );
  const value = fc.oneof(
    scalar,
    fc.array(scalar, { maxLength: 2 }),
    fc.dictionary(fc.constantFrom("A", "a-b", "1", "_", "file", "stdout"), scalar, { maxKeys: 2 }),
    fc.dictionary(
      fc.constantFrom("out", "a b"),
      fc.dictionary(fc.constantFrom("file", "json", "stdout"), scalar, { maxKeys: 2 }),
      { maxKeys: 1 },
    ),
  );
  /** What one key takes does not hang on the others, but these do. */
  const alone = (keys: Readonly<Record<string, { readonly name: string }>>): string[] =>
    Object.values(keys).flatMap(({ name }) => (name === "needs" ? [] : [name]));

  it.each([
    ["the workflow", alone(WORKFLOW_KEYS), (more: object) => workflow(node, more)],
    ["a phase", alone(PHASE_KEYS), (more: object) => workflow({ ...node, ...more })],
    [
      "a node",
      alone(NODE_KEYS),
      (more: object) => workflow({ name: "p", nodes: [{ ...node, ...more }] }),
    ],
  ])("take the same values for each key of %s", async (_, keys, make) => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...keys), value, async (key, given) => {
        const document = make({ [key]: given });
        expect({ document, ok: isValid(document) }).toEqual({
          document,
          ok: await isRead(document),
        });
      }),
      { numRuns: 300 },
    );
  });
});

describe("a project", () => {
  it("reads workflow files from the folder that one stands in, by its own settings", async () => {
    await withSeed(async ({ repo }) => {
      await repo.write("waymark.yml", "secrets: {patterns: ['*.hidden.yml']}\n");
      await repo.write("flows/tidy.yml", examples[0] ?? "");
      await repo.write("flows/tidy.hidden.yml", examples[0] ?? "");
      const project = await openGitProject({ directory: `${repo.root}/flows` });
      try {
        const { workflow, source } = await project.workflowFiles.read("tidy.yml");
        expect(workflow.name).toBe("tidy");
        expect(source.path).toBe("flows/tidy.yml");
        expect(await project.workflowFiles.currentText(source.path)).toBe(source.text);
        await expect(project.workflowFiles.read("tidy.hidden.yml")).rejects.toMatchObject({
          code: "workflow_invalid",
        });
      } finally {
        project.close();
      }
    });
  });
});
