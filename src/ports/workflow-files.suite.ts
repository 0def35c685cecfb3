/** What every reader of workflow files has to do. Each adapter's test runs it. */
import { beforeEach, describe, expect, it } from "vitest";
import type { WorkflowFiles } from "./workflow-files.ts";

export interface WorkflowFilesSubject {
  /** With an empty project; paths are given from its root. */
  readonly files: WorkflowFiles;
  write(path: string, text: string): void;
}

const GOOD = "name: build\nphases:\n  - {name: make, run: make}\n";
const WRONG = "name: build\nphases:\n  - {name: make, rum: make}\n";

export function workflowFilesSuite(make: () => WorkflowFilesSubject): void {
  describe("the contract of workflow files", () => {
    let subject: WorkflowFilesSubject;

    beforeEach(() => {
      subject = make();
    });

    it("reads a workflow together with what a session keeps of it", async () => {
      subject.write("flows/build.yml", GOOD);
      const { workflow, source } = await subject.files.read("flows/build.yml");
      expect(workflow).toMatchObject({ name: "build", phases: [{ name: "make", step: 1 }] });
      expect(source).toMatchObject({ path: "flows/build.yml", text: GOOD });
      expect(source.digest).toMatch(/^sha256:[0-9a-f]{64}$/);
    });

    it("reads what was kept exactly as it was", async () => {
      subject.write("build.yml", GOOD);
      const { workflow, source } = await subject.files.read("build.yml");
      subject.write("build.yml", WRONG);
      expect(await subject.files.parse(source.text, source.path)).toEqual(workflow);
      expect(await subject.files.currentText(source.path)).toBe(WRONG);
    });

    it("fails with every problem and its place", async () => {
      subject.write("build.yml", WRONG);
      const expected = {
        code: "workflow_invalid",
        details: {
          file: "build.yml",
          problems: [
            { line: 3, column: 12, message: expect.any(String) as unknown },
            { line: 3, column: 18, message: expect.stringContaining("rum") as unknown },
          ],
        },
      };
      await expect(subject.files.read("build.yml")).rejects.toMatchObject(expected);
      await expect(subject.files.parse(WRONG, "build.yml")).rejects.toMatchObject(expected);
    });

    it("knows when there is no such file", async () => {
      await expect(subject.files.read("nowhere.yml")).rejects.toMatchObject({
        code: "file_not_found",
      });
      expect(await subject.files.currentText("nowhere.yml")).toBeUndefined();
    });
  });
}
