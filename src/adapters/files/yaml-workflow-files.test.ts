import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Failure } from "../../domain/failure.ts";
import type { Workflow } from "../../domain/workflow/definition.ts";
import { workflowFilesSuite } from "../../ports/workflow-files.suite.ts";
import { tempFolder } from "./temp-folder.fixture.ts";
import { YamlWorkflowFiles } from "./yaml-workflow-files.ts";

const SECRETS = { exclude: true, patterns: [], scan: true };

function newPlace(secrets: { exclude: boolean; patterns: string[]; scan: boolean } = SECRETS) {
  const base = tempFolder();
  const root = join(base, "project");
  mkdirSync(join(root, "sub"), { recursive: true });
  const write = (path: string, text: string | Buffer): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  const files = (directory = root): YamlWorkflowFiles =>
    new YamlWorkflowFiles({ root, directory, secrets });
  return { base, root, write, files };
}

/** In pieces, so that nobody who scans this file takes it for one. */
const TOKEN = ["ghp", "aB3dE5gH7jK9mN1pQ3sT5vW7yZ0bC2dF4hJ6"].join("_");

const GOOD = "name: build\nphases:\n  - {name: make, run: make}\n";

async function failure(doing: Promise<unknown>): Promise<Failure> {
  const error: unknown = await doing.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof Failure)) throw new Error(`no failure: ${String(error)}`);
  return error;
}

const nowhere = new YamlWorkflowFiles({ root: "/", directory: "/", secrets: SECRETS });
const parse = (text: string): Promise<Workflow> => nowhere.parse(text, "flow.yml");

/** Every problem as `line:column: message`. */
async function problems(text: string): Promise<string[]> {
  const { code, details } = await failure(parse(text));
  expect(code).toBe("workflow_invalid");
  const found = details["problems"] as { line: number; column: number; message: string }[];
  return found.map(({ line, column, message }) => `${line}:${column}: ${message}`);
}

workflowFilesSuite(() => {
  const { root, write, files } = newPlace();
  return { files: files(), root, write };
});

describe("a workflow file", () => {
  it("gets every default", async () => {
    expect(await parse("name: Build it!\nphases:\n  - {name: make, run: make all}\n")).toEqual({
      name: "Build it!",
      type: "build-it",
      project: null,
      description: null,
      topic: null,
      task: null,
      issue: null,
      env: {},
      cwd: ".",
      concurrency: 2,
      phases: [
        {
          name: "make",
          step: 1,
          modifies: null,
          breakpoint: false,
          onFail: "stop",
          nodes: [
            {
              name: "make",
              run: "make all",
              needs: [],
              isolate: null,
              rerun: null,
              idempotent: false,
              env: {},
              cwd: null,
              timeoutMs: null,
              retries: 0,
              outputs: {},
              agent: null,
              result: null,
            },
          ],
          resolver: null,
          verify: [],
          retries: 0,
          retryDelayMs: 0,
          timeoutMs: null,
          outputs: {},
          metrics: null,
          env: {},
          cwd: null,
        },
      ],
    } satisfies Workflow);
  });

  it("says everything that can be said", async () => {
    const workflow = await parse(`
name: auth
type: implement
project: auth_system
description: Log in
topic: security
task: task-12
issue: 42
env: {CI: "1", COUNT: 3, ON: true, EMPTY: ""}
cwd: app
concurrency: 8
phases:
  - name: plan
    run: plan
    isolate: worktree
    rerun: ask
    idempotent: true
    agent: planner
    result: json
    retries: 2
    timeout: never
    outputs: {a: docs/a.md, b: {stdout: json}}
  - name: work
    modifies: false
    breakpoint: true
    on_fail: continue
    nodes:
      - {name: api, run: api, idempotent: true, timeout: 90s, retries: 0, env: {A: b}, cwd: x/y}
      - {name: ui, run: ui, needs: [api, api], outputs: {c: {file: c.json, json: true}}}
    resolver: merge
    verify: npm test
    retries: 3
    retry_delay: 5s
    timeout: 30m
    outputs: {d: {file: d.txt}}
    metrics: metrics
    env: {STAGE: test}
    cwd: src
`);
    expect(workflow).toMatchObject({
      type: "implement",
      project: "auth_system",
      description: "Log in",
      topic: "security",
      task: "task-12",
      issue: 42,
      env: { CI: "1", COUNT: "3", ON: "true", EMPTY: "" },
      cwd: "app",
      concurrency: 8,
    });
    const [plan, work] = workflow.phases;
    expect(plan).toMatchObject({ step: 1, timeoutMs: null, retries: 2, outputs: {} });
    expect(plan?.nodes).toMatchObject([
      {
        name: "plan",
        isolate: "worktree",
        rerun: "ask",
        idempotent: true,
        agent: "planner",
        result: "json",
        retries: 2,
        outputs: {
          a: { kind: "file", path: "docs/a.md", json: false },
          b: { kind: "stdout", format: "json" },
        },
      },
    ]);
    expect(work).toMatchObject({
      step: 2,
      modifies: false,
      breakpoint: true,
      onFail: "continue",
      resolver: "merge",
      verify: ["npm test"],
      retries: 3,
      retryDelayMs: 5000,
      timeoutMs: 1_800_000,
      outputs: { d: { kind: "file", path: "d.txt", json: false } },
      metrics: "metrics",
      env: { STAGE: "test" },
      cwd: "src",
      nodes: [
        {
          name: "api",
          rerun: "if-idempotent",
          timeoutMs: 90_000,
          retries: 0,
          env: { A: "b" },
          cwd: "x/y",
        },
        {
          name: "ui",
          needs: ["api"],
          retries: 3,
          outputs: { c: { kind: "file", path: "c.json", json: true } },
        },
      ],
    });
  });

  it("[R78] is refused as a whole, with every problem and its place", async () => {
    expect(
      await problems(`name: 1
typ: implement
issue: "42"
env: [a]
phases:
  - name: a/b
    run: x
    retrys: 2
  - name: work
    needs: [plan]
    on_fail: explode
    nodes:
      - {name: api, run: ./api.sh, needs: [uii]}
      - {name: ui, needs: [wire]}
      - {name: wire, run: ./wire.sh, needs: [ui]}
      - run
`),
    ).toEqual([
      "1:7: name cannot be 1; it takes a string. Put quotes around it",
      "2:1: unknown key typ in a workflow; did you mean type?",
      '3:8: issue cannot be "42"; it takes an integer from 1 to 1000000000',
      '4:6: env cannot be ["a"]; it takes a map of variables such as {CI: "1"}',
      '6:11: name cannot be "a/b"; it takes a name: letters, digits, spaces and . _ -, starting with a letter or digit, at most 64 characters',
      "8:5: unknown key retrys in a phase; did you mean retries?",
      "10:5: unknown key needs in a phase; it belongs to a node",
      '11:14: on_fail cannot be "explode"; it takes stop, rollback or continue',
      "13:44: phase work has no node uii; did you mean ui?",
      "14:9: a node needs run: a shell command such as npm test",
      "14:28: these nodes wait for each other: ui -> wire -> ui",
      "16:9: this is not a map; a node is a map of keys, such as {name: api, run: ./api.sh}",
    ]);
  });

  it.each([
    ["", "1:1: this is empty; a workflow is a map"],
    ["just text", "1:1: this is not a map; a workflow is a map"],
    ["- a\n- b\n", "1:1: this is not a map; a workflow is a map"],
    ["name: x\n", "1:1: a workflow needs phases: a list of phases"],
    ["phases: [{name: a, run: b}]\n", "1:1: a workflow needs name: a string"],
    ["name: x\nphases: []\n", "2:1: phases is empty; it takes a list of phases"],
    ["name: x\nphases:\n", "2:1: phases is empty; it takes a list of phases"],
    ["name: x\nphases: {a: b}\n", '2:1: phases cannot be {"a":"b"}; it takes a list of phases'],
    ["name: x\nphases:\n  -\n", "3:4: this is empty; a phase is a map"],
    [
      "name: x\nissue: #42\nphases: [{name: a, run: b}]\n",
      "2:8: issue has no value; it takes an integer",
    ],
  ])("%j is none", async (text, first) => {
    expect((await problems(text))[0]).toContain(first);
  });

  const phase = (lines: string): string => `name: x\nphases:\n  - name: p\n${lines}`;

  it.each([
    ["", "3:11: phase p has nothing to run; set run or nodes"],
    [
      "    run: a\n    nodes: [{name: a, run: b}]\n",
      "5:5: phase p has both run and nodes; use one of them",
    ],
    ["    nodes: []\n", "4:5: nodes is empty; it takes a list of nodes"],
    ["    run:\n", "4:9: run has no value; it takes a shell command"],
    ["    run: '  '\n", '4:10: run cannot be "  "; it takes a shell command'],
    ['    run: "a\\0b"\n', "4:10: run cannot be"],
    ["    run: a\n    timeout: 0s\n", '5:14: timeout cannot be "0s"; it takes a duration'],
    ["    run: a\n    timeout: 4w\n", '5:14: timeout cannot be "4w"; it takes a duration'],
    ["    run: a\n    timeout: 30\n", "5:14: timeout cannot be 30; it takes a duration"],
    [
      "    run: a\n    retry_delay: never\n",
      '5:18: retry_delay cannot be "never"; it takes a duration',
    ],
    [
      "    run: a\n    retries: 1.5\n",
      "5:14: retries cannot be 1.5; it takes an integer from 0 to 100",
    ],
    [
      "    run: a\n    breakpoint: yes\n",
      '5:17: breakpoint cannot be "yes"; it takes true or false',
    ],
    [
      "    run: a\n    cwd: /tmp\n",
      '5:10: cwd cannot be "/tmp"; it takes a path inside the project',
    ],
    ["    run: a\n    cwd: a/../..\n", "5:10: cwd cannot be"],
    ['    run: a\n    cwd: "a\\n/../.."\n', "5:10: cwd cannot be"],
    [
      "    run: a\n    env: {1A: b}\n",
      '5:11: the name of a variable cannot be "1A"; it takes letters',
    ],
    ["    run: a\n    env: {WAYMARK_STATE: b}\n", "5:11: WAYMARK_STATE is set by Waymark itself"],
    [
      "    run: a\n    env: {V: 1.10}\n",
      "5:14: env.V cannot be 1.1; it takes a string; integers, true and false are taken as strings too. Put quotes around it",
    ],
    ["    run: a\n    env: {V: [a]}\n", '5:14: env.V cannot be ["a"]; it takes a string'],
    [
      "    run: a\n    verify: [a, 1]\n",
      "5:17: an item of verify cannot be 1; it takes a shell command such as npm test. Put quotes around it",
    ],
    [
      "    run: a\n    outputs: {a: {fil: b}}\n",
      "5:19: unknown key outputs.a.fil; did you mean file?",
    ],
    ["    run: a\n    outputs: {a: {file: b, stdout: text}}\n", "5:18: outputs.a cannot be"],
    ["    run: a\n    outputs: {a: {json: true}}\n", "5:18: outputs.a cannot be"],
    ["    run: a\n    outputs: {a: 1}\n", "5:18: outputs.a cannot be 1; it takes a path"],
    [
      "    run: a\n    outputs: {__proto__: b}\n",
      '5:15: the name of an output cannot be "__proto__"',
    ],
    [
      "    run: a\n    isolate: container\n",
      '5:14: isolate cannot be "container"; it takes worktree',
    ],
    [
      "    nodes: [{name: a, run: b}]\n    rerun: always\n",
      "5:5: rerun applies to a single command; in a phase with nodes, set it on each node",
    ],
    [
      "    nodes: [{name: a, run: b}]\n    outputs: {c: {stdout: text}}\n",
      "5:15: it is unclear which node's stdout is meant; move c to a node of the phase",
    ],
    [
      "    nodes: [{name: a, run: b}, {name: A, run: c}]\n",
      "4:39: there is already a node A, in line 4",
    ],
    [
      "    nodes: [{name: a, run: b, outputs: {o: x}}]\n    outputs: {o: y}\n",
      "5:15: there is already an output o, in line 4",
    ],
    ["    run: a\n  - {name: P, run: b}\n", "5:12: there is already a phase P, in line 3"],
    [
      "    nodes: [{name: a, run: b, needs: a}]\n",
      '4:38: needs cannot be "a"; it takes a list of names',
    ],
    ["    nodes: [{name: a, run: b, needs: [a]}]\n", "4:39: a needs itself: a -> a"],
    [
      "    nodes: [{name: a, run: b, needs: [specify]}]\n",
      "4:39: phase p has no node specify; needs takes nodes of the same phase: a",
    ],
    ["    run: a\n    run: b\n", "5:5: duplicate key run, first in line 4"],
    ["    run: !shell a\n", "4:10: Unresolved tag: !shell"],
    ["    <<: {run: a}\n    run: b\n", "4:5: unknown key << in a phase"],
  ])("with %j in a phase is wrong", async (lines, expected) => {
    const found = await problems(phase(lines));
    expect(found).toHaveLength(1);
    expect(found[0]).toContain(expected);
  });

  it("names each cycle with its path, and who waits for one is in none", async () => {
    const nodes = [
      "{name: d, run: x, needs: [a]}",
      "{name: a, run: x, needs: [b, free]}",
      "{name: b, run: x, needs: [c]}",
      "{name: c, run: x, needs: [a]}",
      "{name: free, run: x}",
      "{name: e, run: x, needs: [f]}",
      "{name: f, run: x, needs: [e]}",
    ];
    const text = phase(`    nodes:\n${nodes.map((node) => `      - ${node}\n`).join("")}`);
    expect(await problems(text)).toEqual([
      "6:35: these nodes wait for each other: a -> b -> c -> a",
      "10:35: these nodes wait for each other: e -> f -> e",
    ]);
  });

  it("shows both ends of a long cycle", async () => {
    const nodes = Array.from(
      { length: 40 },
      (_, at) => `      - {name: n${at}, run: x, needs: [n${(at + 1) % 40}]}\n`,
    );
    const [found] = await problems(phase(`    nodes:\n${nodes.join("")}`));
    expect(found).toContain("n0 -> n1 -> n2");
    expect(found).toContain("-> n9 -> … (21 more) … -> n31 ->");
    expect(found).toMatch(/-> n39 -> n0$/);
  });

  it.each(["plan", "Ünïcode 計画", "v1.2_rc-3", "हिन्दी", "7", "a".repeat(64)])(
    "takes the name %s",
    async (name) => {
      const workflow = await parse(`name: x\nphases: [{name: ${JSON.stringify(name)}, run: a}]\n`);
      expect(workflow.phases[0]?.name).toBe(name);
    },
  );

  it.each([
    "",
    " a",
    "a ",
    "-a",
    "..",
    "a/b",
    "a:b",
    "a\tb",
    "a\nb",
    "a\u200bb",
    "a\u202eb",
    "🚀",
    "a".repeat(65),
  ])("does not take the name %j", async (name) => {
    const text = `name: x\nphases: [{name: ${JSON.stringify(name)}, run: a}]\n`;
    expect((await problems(text))[0]).toContain("it takes a name");
  });

  it("takes lines with windows ends, a byte order mark and several documents apart", async () => {
    const { write, files } = newPlace();
    write("flow.yml", `\uFEFF${GOOD.replaceAll("\n", "\r\n")}`);
    expect((await files().read("flow.yml")).workflow.phases).toHaveLength(1);
    expect((await problems(`${GOOD}---\n${GOOD}`))[0]).toMatch(/^4:1: .*document/);
  });

  it("is refused when it is too much: depth, aliases, values, phases, nodes", async () => {
    expect(await problems("[".repeat(5000))).toEqual(["1:1: it is nested too deeply"]);
    const levels = Array.from({ length: 9 }, (_, at) =>
      at === 0
        ? "a0: &a0 [x]"
        : `a${at}: &a${at} [${Array(9)
            .fill(`*a${at - 1}`)
            .join(",")}]`,
    );
    expect((await problems(levels.join("\n")))[0]).toContain("it has too many aliases");
    const long = `a: &a [${"1,".repeat(10_000)}1]\nb: [${"*a,".repeat(20)}]\n`;
    expect((await problems(long))[0]).toContain("it has too many values");
    const many = (count: number, item: (at: number) => string): string =>
      Array.from({ length: count }, (_, at) => item(at)).join("");
    expect(
      await problems(`name: x\nphases:\n${many(100, (at) => `  - {name: p${at}, run: a}\n`)}`),
    ).toEqual(["2:1: there are 100 phases; at most 99 are allowed"]);
    expect(
      await problems(
        phase(`    nodes:\n${many(1001, (at) => `      - {name: n${at}, run: a}\n`)}`),
      ),
    ).toEqual(["4:5: there are 1001 nodes; at most 1000 are allowed"]);
  });

  it("never ends in anything but a workflow or a failure", async () => {
    const piece = fc.constantFrom(
      "name: x\n",
      "phases:\n",
      "  - name: a\n",
      "    run: b\n",
      "    nodes:\n",
      "      - {name: c, run: d, needs: [c]}\n",
      "    outputs: {a: b}\n",
      "? ",
      "- ",
      "&a ",
      "*a",
      "!!set ",
      "{",
      "}",
      "[",
      "]",
      ": ",
      "\n",
      "\t",
      '"',
      "#",
      "\0",
      "null",
      "1e999",
      "<<: ",
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof(piece, fc.string({ unit: "binary" })), { maxLength: 14 }),
        async (pieces) => {
          await parse(pieces.join("")).catch((error: unknown) => {
            if (!(error instanceof Failure)) throw error;
            expect(error.code).toBe("workflow_invalid");
          });
        },
      ),
      { numRuns: 200 },
    );
  });

  it("with very many problems shows the first ones and keeps the rest for machines", async () => {
    const lines = Array.from({ length: 300 }, (_, at) => `k${at}: 1\n`).join("");
    const { message, hint, details } = await failure(parse(lines + GOOD));
    expect(message.split("\n")).toHaveLength(20);
    expect(hint).toContain("There are 180 more.");
    expect(details["problems"]).toHaveLength(200);
  });
});

describe("reading a workflow file", () => {
  it("keeps its text, its digest and where it is", async () => {
    const { root, base, write, files } = newPlace();
    write("flows/build.yml", GOOD);
    const digest = `sha256:${createHash("sha256").update(GOOD).digest("hex")}`;
    const inside = { path: "flows/build.yml", digest, text: GOOD };
    expect((await files().read("flows/build.yml")).source).toEqual(inside);
    expect((await files(join(root, "sub")).read("../flows/build.yml")).source).toEqual(inside);
    expect((await files().read(join(root, "flows/build.yml"))).source).toEqual(inside);
    writeFileSync(join(base, "out.yml"), GOOD);
    const { source } = await files().read("../out.yml");
    expect(source.path).toBe(join(base, "out.yml"));
    symlinkSync(join(base, "out.yml"), join(root, "link.yml"));
    expect((await files().read("link.yml")).source.path).toBe("link.yml");
    expect(await files(join(root, "sub")).currentText("flows/build.yml")).toBe(GOOD);
  });

  it("says what is in the place of a file, without waiting for it", async () => {
    const { root, write, files } = newPlace();
    execFileSync("mkfifo", [join(root, "pipe.yml")]);
    write("large.yml", `# ${"x".repeat(1024 * 1024)}\n`);
    write("latin.yml", Buffer.from("name: caf\xe9\n", "latin1"));
    const message = async (path: string): Promise<string> =>
      (await failure(files().read(path))).message;
    expect(await message("sub")).toBe("sub:1:1: it is a folder");
    expect(await message("pipe.yml")).toBe("pipe.yml:1:1: it is not a file");
    expect(await message("/dev/null")).toBe("/dev/null:1:1: it is not a file");
    expect(await message("large.yml")).toBe("large.yml:1:1: it is larger than 1 MB");
    expect(await message("latin.yml")).toBe("latin.yml:1:1: it is not UTF-8 text");
    expect(await files().currentText("sub")).toBeUndefined();
    expect(await files().currentText("pipe.yml")).toBeUndefined();
  });

  it("names the nearest file when there is none", async () => {
    const { root, write, files } = newPlace();
    write("flows/build.yml", GOOD);
    symlinkSync("loop", join(root, "loop"));
    expect(await failure(files().read("flows/bild.yml"))).toMatchObject({
      code: "file_not_found",
      message: "no such file: flows/bild.yml",
      hint: "Did you mean flows/build.yml?",
    });
    for (const path of ["nowhere/at/all.yml", "flows/build.yml/x", "loop", ""]) {
      expect(["file_not_found", "workflow_invalid"]).toContain(
        (await failure(files().read(path))).code,
      );
    }
  });

  it.skipIf(process.getuid?.() === 0)("says when it may not be read", async () => {
    const { root, write, files } = newPlace();
    write("flow.yml", GOOD);
    chmodSync(join(root, "flow.yml"), 0);
    expect((await failure(files().read("flow.yml"))).code).toBe("no_permission");
  });

  it("refuses what looks like a secret, because the session keeps the text", async () => {
    const { root, write, files } = newPlace();
    write(".env", GOOD);
    symlinkSync(".env", join(root, "flow.yml"));
    for (const path of [".env", "flow.yml"]) {
      const { message, code } = await failure(files().read(path));
      expect(code).toBe("workflow_invalid");
      expect(message).toContain("looks like a secret by its name");
    }
    write("token.yml", `${GOOD}env:\n  TOKEN: ${TOKEN}\n`);
    const { message } = await failure(files().read("token.yml"));
    expect(message).toMatch(/^token\.yml:5:1: this looks like a secret: .*environment/);
    expect(message).not.toContain(TOKEN);
  });

  it("does not when the settings say so", async () => {
    const { write, files } = newPlace({ exclude: false, patterns: [], scan: false });
    write(".env", `${GOOD}env: {TOKEN: ${TOKEN}}\n`);
    expect((await files().read(".env")).workflow.name).toBe("build");
    const mine = newPlace({ exclude: true, patterns: ["*.private.yml"], scan: true });
    mine.write("a.private.yml", GOOD);
    expect((await failure(mine.files().read("a.private.yml"))).code).toBe("workflow_invalid");
  });
});
