import { expect, it } from "vitest";
import { folderOf, variablesOf } from "./definition.ts";
import { testNode, testPhase, testWorkflow } from "./workflow.fixture.ts";

it("the innermost working folder and variables count", () => {
  const plain = testNode("plain");
  const own = testNode("own", { cwd: "a/b", env: { B: "node" } });
  const phase = testPhase("work", [plain, own], { cwd: "a", env: { A: "phase", B: "phase" } });
  const workflow = testWorkflow([phase], { cwd: "root", env: { A: "all", C: "all" } });
  expect(folderOf(workflow, phase, own)).toBe("a/b");
  expect(folderOf(workflow, phase, plain)).toBe("a");
  expect(folderOf(workflow, testPhase("other", []))).toBe("root");
  expect(variablesOf(workflow, phase, own)).toEqual({ A: "phase", B: "node", C: "all" });
  expect(variablesOf(workflow, phase)).toEqual({ A: "phase", B: "phase", C: "all" });
});
