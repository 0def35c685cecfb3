/** A session that waits with a conflict keeps what it has yet to merge, and is not completed without a word. */
import { expect, it } from "vitest";
import { resumeWorkflow } from "../../src/operations/resume/resume-workflow.ts";
import { withRunning, type Running } from "../run/running.ts";
import { expectExit } from "../support/cli.ts";
import { field, text } from "../support/json.ts";

const node = (name: string, run: string) => ({ name, run, isolate: "worktree" });

/** Paused: a and b do not agree, and c waits behind them. */
async function conflicting(running: Running): Promise<string> {
  const nodes = [
    node("a", "echo a > a.txt"),
    node("b", "echo b > a.txt"),
    node("c", "echo c > c.txt"),
  ];
  const result = await running.run([{ name: "implement", nodes }]);
  expect(result).toMatchObject({ status: "paused", exitCode: 5 });
  return result.sessionId;
}

async function resultOf(running: Running, sessionId: string, name: string): Promise<string> {
  const { workflow } = await running.session(sessionId);
  const nodes = workflow?.execution_graph?.nodes;
  return text(field(nodes, `implement/${name}`, "isolated"), "checkpoint_id");
}

it("a cleanup leaves what a paused session has yet to merge, and delete wants --force for it", async () => {
  await withRunning(async (running) => {
    const { rules } = running;
    const sessionId = await conflicting(running);
    const ofC = await resultOf(running, sessionId, "c");
    // Newer ones of another session, so that no other rule keeps anything.
    await rules.ok("session", "start", "--type", "other");
    await rules.create();
    const { json } = await rules.ok("cleanup", "--keep", "0", "--yes", "--now");
    expect(JSON.stringify(field(json, "removed"))).not.toContain(ofC);
    const refused = await rules.run("delete", ofC, "--yes");
    expectExit(refused, 5);
    expect(text(refused.json, "error", "code")).toBe("checkpoint_protected");
    await running.write("a.txt", "both\n");
    const done = await resumeWorkflow(running.project, { session: sessionId, acceptChanges: true });
    expect(done).toMatchObject({ status: "completed", reason: null });
    expect(await running.read("c.txt")).toBe("c\n");
    expect(await running.read("a.txt")).toBe("both\n");
  });
});

it("what was deleted all the same leaves the trash like any other", async () => {
  await withRunning(async (running) => {
    const { rules } = running;
    const ofC = await resultOf(running, await conflicting(running), "c");
    await rules.ok("delete", ofC, "--force", "--yes");
    const { json } = await rules.ok("cleanup", "--keep", "100", "--yes", "--now");
    expect(JSON.stringify(field(json, "purged"))).toContain(ofC);
  });
});

it("session complete is refused while results are not merged, unless --force is given", async () => {
  await withRunning(async (running) => {
    const { rules } = running;
    const sessionId = await conflicting(running);
    const refused = await rules.run("session", "complete", sessionId);
    expectExit(refused, 5);
    expect(text(refused.json, "error", "message")).toContain("implement/b, implement/c");
    expect((await running.session(sessionId)).status).toBe("paused");
    await rules.ok("session", "complete", sessionId, "--force");
    expect((await running.session(sessionId)).status).toBe("completed");
  });
});
