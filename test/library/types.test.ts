/** The types of the package as its users get them: a program is compiled against them, and runs. */
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { withSeed } from "../spec/project.ts";
import { runCommand, type CommandResult } from "../support/run-command.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

const PROGRAM = `
import {
  createCheckpoint, Failure, guard, openProject, openSession, resumeSession, rollBack, runWorkflow, withPhase,
  type CheckpointDocument, type FailureCode, type OpenSession, type Project, type RolledBack, type RunEvent,
  type RunResult, type WorkflowShape,
} from "waymark";

const workflow: WorkflowShape = { name: "one", phases: [{ name: "write", run: "echo b > b.txt" }] };

async function inSession(project: Project): Promise<string> {
  await using session: OpenSession = await openSession({ project, type: "implement", task: "task-1" });
  const count: number = await session.phase("plan", {}, async ({ attempt }) => attempt + 1);
  await session.save({ state: { count }, metrics: { count } });
  await session.complete({ checkpoint: false });
  return session.id;
}

const project: Project = await openProject({ directory: "." });
const created: { checkpoint: CheckpointDocument } = await createCheckpoint(project, { reason: "types" });
const back: RolledBack = await rollBack(project, created.checkpoint.id, { reason: "types", filesOnly: true });
const preview = await rollBack(project, "latest", { dryRun: true });
// @ts-expect-error a preview has nothing to undo
void preview.safety;
const events: RunEvent[] = [];
const ran: RunResult = await runWorkflow(project, { workflow, onEvent: (event) => events.push(event) });
const code: FailureCode | undefined = await resumeSession(project, { id: ran.sessionId, workflow }).then(
  () => undefined,
  (error: unknown) => (error instanceof Failure ? error.code : undefined),
);
const guarded = await guard(project, { act: async () => {}, verify: async () => true });
const text: string = await withPhase("check", { project }, () => "checked");
// @ts-expect-error a workflow has phases
const wrong: WorkflowShape = { name: "none" };
// @ts-expect-error there is no such option
await openSession({ project, kind: "implement" }).catch(() => undefined);
console.log([ran.status, code, guarded.passed, text, back.becameInvalid.length, events.length > 0, typeof wrong].join(" "));
console.log((await inSession(project)).startsWith("implement_project_"));
project.close();
`;

const SETTINGS = {
  compilerOptions: {
    target: "ES2022",
    lib: ["ES2023"],
    module: "NodeNext",
    types: ["node"],
    strict: true,
    exactOptionalPropertyTypes: true,
    // What the package declares is checked too.
    skipLibCheck: false,
  },
  files: ["program.mts"],
};

function tsc(args: readonly string[], cwd: string): Promise<CommandResult> {
  const program = join(ROOT, "node_modules/typescript/bin/tsc");
  return runCommand(process.execPath, [program, ...args], { cwd, env: process.env });
}

describe("the types of the package", () => {
  let base = "";

  beforeAll(async () => {
    base = await mkdtemp(join(tmpdir(), "waymark-types-"));
    const package_ = join(base, "node_modules/waymark");
    await mkdir(package_, { recursive: true });
    await cp(join(ROOT, "package.json"), join(package_, "package.json"));
    await cp(join(ROOT, "dist"), join(package_, "dist"), { recursive: true });
    for (const name of ["@types", "undici-types"]) {
      await symlink(join(ROOT, "node_modules", name), join(base, "node_modules", name));
    }
    const types = join(package_, "dist/types");
    await rm(types, { recursive: true, force: true });
    const made = await tsc(["-p", "tsconfig.types.json", "--outDir", types], ROOT);
    expect(made).toMatchObject({ code: 0 });
    await writeFile(join(types, "package.json"), '{ "type": "commonjs" }');
  });

  afterAll(() => rm(base, { recursive: true, force: true }));

  it("fit a CommonJS program", async () => {
    const program =
      'import waymark = require("waymark");\nconst made: Promise<waymark.Project> = waymark.openProject({ directory: "." });\nvoid made;\n';
    await writeFile(join(base, "required.cts"), program);
    const settings = { ...SETTINGS, files: ["required.cts"] };
    await writeFile(join(base, "tsconfig.json"), JSON.stringify(settings));
    const compiled = await tsc(["-p", ".", "--noEmit"], base);
    expect(compiled.stdout.toString()).toBe("");
  });

  it("fit a program, which then runs", async () => {
    await writeFile(join(base, "program.mts"), PROGRAM);
    await writeFile(join(base, "tsconfig.json"), JSON.stringify(SETTINGS));
    const compiled = await tsc(["-p", "."], base);
    expect(compiled.stdout.toString()).toBe("");
    expect(compiled.code).toBe(0);
    await withSeed(async ({ repo }) => {
      const result = await runCommand(process.execPath, [join(base, "program.mjs")], {
        cwd: repo.root,
        env: repo.env,
      });
      expect(result.stderr).toBe("");
      expect(result.stdout.toString()).toBe(
        "completed session_status true checked 0 true object\ntrue\n",
      );
    });
  });
});
