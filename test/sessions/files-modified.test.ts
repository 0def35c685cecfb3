/** Which files a session changed: also after its first checkpoints were cleaned up, and with what isolated nodes left. */
import { expect, it } from "vitest";
import { withSeed } from "../spec/project.ts";
import { field } from "../support/json.ts";

const WORKFLOW = `name: made of parts
type: demo
phases:
  - {name: plan, run: echo p > plan.txt}
  - name: build
    nodes:
      - {name: api, run: echo a > api.txt, isolate: worktree}
      - {name: ui, run: echo u > ui.txt; rm b.txt, isolate: worktree}
`;

it("a session that ended tells all files that it changed", async () => {
  await withSeed(async (project) => {
    await project.repo.write("flow.yml", WORKFLOW);
    expect((await project.run("run", "flow.yml")).code).toBe(0);
    const { json } = await project.ok("session", "show");
    expect(field(json, "session", "files_modified")).toEqual([
      { path: "api.txt", status: "created", staged: false },
      { path: "b.txt", status: "deleted", staged: false },
      { path: "plan.txt", status: "created", staged: false },
      { path: "ui.txt", status: "created", staged: false },
    ]);
  });
});

it("a phase that was rolled back changed nothing", async () => {
  await withSeed(async (project) => {
    const phases = [
      { name: "plan", run: "echo p > plan.txt" },
      {
        name: "build",
        on_fail: "rollback",
        nodes: [
          { name: "a", run: "echo a > a-made.txt" },
          { name: "b", run: "echo b > b-made.txt; exit 1", needs: ["a"] },
        ],
      },
    ];
    await project.repo.write("flow.yml", JSON.stringify({ name: "back", phases }));
    expect((await project.run("run", "flow.yml")).code).toBe(1);
    const { json } = await project.ok("session", "show");
    expect(field(json, "session", "files_modified")).toEqual([
      { path: "plan.txt", status: "created", staged: false },
    ]);
  });
});
