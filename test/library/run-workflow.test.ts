/** Workflows that programs run as values. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  openProject,
  resumeSession,
  runWorkflow,
  type Project,
  type WorkflowShape,
} from "../../src/index.ts";
import { withSeed } from "../spec/project.ts";

async function withProject(work: (project: Project) => Promise<void>): Promise<void> {
  await withSeed(async ({ repo }) => {
    const project = await openProject({ directory: repo.root });
    try {
      await work(project);
    } finally {
      project.close();
    }
  });
}

const FAILS_ONCE: WorkflowShape = {
  name: "fails once",
  phases: [
    { name: "first", run: "echo one >> ran.txt" },
    { name: "second", run: "echo two >> ran.txt; test -e allowed || { touch allowed; exit 3; }" },
  ],
};

describe("a workflow as a value", () => {
  it("is checked as a file is", async () => {
    await withProject(async (project) => {
      // @ts-expect-error as a program without types might do
      const wrong: WorkflowShape = { name: "x", phases: [{ name: "a", runs: "true" }] };
      await expect(runWorkflow(project, { workflow: wrong })).rejects.toMatchObject({
        code: "workflow_invalid",
        message: expect.stringContaining("runs") as string,
      });
      for (const options of [{}, { file: "flow.yml", workflow: FAILS_ONCE }]) {
        await expect(runWorkflow(project, options)).rejects.toMatchObject({ code: "usage" });
      }
    });
  });

  it("that failed is resumed when it is given again, and what is done is not run again", async () => {
    await withProject(async (project) => {
      const told: string[] = [];
      const failed = await runWorkflow(project, {
        workflow: FAILS_ONCE,
        onEvent: ({ event }) => told.push(event),
      });
      expect(failed).toMatchObject({ status: "failed", exitCode: 1 });
      expect(told.at(-1)).toBe("session_ended");
      const { sessionId: id } = failed;
      await expect(resumeSession(project, { id })).rejects.toMatchObject({ code: "usage" });
      const resumed = await resumeSession(project, { id, workflow: FAILS_ONCE });
      expect(resumed).toMatchObject({ status: "completed", sessionId: id });
      const ran = await readFile(join(project.workTree.root, "ran.txt"), "utf8");
      expect(ran).toBe("one\ntwo\ntwo\n");
    });
  });
});
