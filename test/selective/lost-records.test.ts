// What hooks wrote down can be lost: a hook is killed, a file is damaged, old lines are forgotten.
import { readFile, writeFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { HookedProject } from "../hooks/hooked-project.ts";
import { deleteObject } from "../support/damage.ts";
import { ALICE, type Report, reportOf, ten, withSharedTree } from "./shared-tree.ts";

class Agents extends HookedProject {
  async takeBack(session: string): Promise<Report> {
    const { json } = await this.project.ok("rollback", "--only-session", session, "--yes");
    return reportOf(json);
  }

  /** Keeps the lines for which it answers true. */
  async loseSteps(isKept: (line: string) => boolean = () => false): Promise<void> {
    const path = `${this.root}/.git/waymark/agents/steps.ndjson`;
    const lines = (await readFile(path, "utf8")).split("\n").filter((line) => line !== "");
    await writeFile(
      path,
      lines.filter(isKept).map((line) => `${line}\n`),
    );
  }

  /** A prompt, and something that a person does meanwhile: the tool that comes next has a checkpoint of its own. */
  async begin(): Promise<void> {
    await this.prompt("go");
    await this.project.repo.write("old.txt", "a person, while the agent thinks\n");
  }

  async edit(name: string, content: string): Promise<void> {
    await this.write(name);
    await this.project.repo.write(name, content);
  }
}

async function withAgents(
  body: (alice: Agents, bob: Agents, read: (name: string) => Promise<string>) => Promise<void>,
): Promise<void> {
  await withSharedTree(async (tree) => {
    await body(new Agents(tree, "sess-alice"), new Agents(tree, "sess-bob"), (name) =>
      tree.read(name),
    );
  });
}

describe("taking back what a session did when what hooks wrote down is lost", () => {
  it("[R125] takes back what its checkpoints say that a tool named, and nothing of a person's", async () => {
    await withAgents(async (alice, _, read) => {
      await alice.begin();
      await alice.edit("shared.txt", ten({ 1: "alice" }));
      await alice.project.repo.write("other.txt", ten({ 3: "a person" }));
      await alice.call("Stop");
      await alice.loseSteps();
      const report = await alice.takeBack("sess-alice");
      expect(report).toMatchObject({ takenBack: ["shared.txt"], kept: [] });
      expect(await read("shared.txt")).toBe(ten({}));
      expect(await read("other.txt")).toBe(ten({ 3: "a person" }));
    });
  });

  it("[R125] keeps and lists what a tool may have changed that names nothing", async () => {
    await withAgents(async (alice, _, read) => {
      await alice.begin();
      await alice.preTool("Bash", { command: "make" });
      await alice.project.repo.write("shared.txt", ten({ 1: "alice, or a person" }));
      await alice.call("Stop");
      await alice.loseSteps();
      const report = await alice.takeBack("sess-alice");
      expect(report).toMatchObject({ takenBack: [], kept: [["shared.txt", "step_lost"]] });
      expect(await read("shared.txt")).toBe(ten({ 1: "alice, or a person" }));
    });
  });

  it("[R125] keeps what a person wrote after a turn whose end nobody wrote down", async () => {
    await withAgents(async (alice, _, read) => {
      await alice.begin();
      await alice.write("shared.txt");
      // The tool failed: nothing changed, and so the end of the turn has no checkpoint of its own.
      await alice.call("Stop");
      await alice.project.repo.write("shared.txt", ten({ 3: "a person" }));
      await alice.prompt("again");
      await alice.loseSteps();
      const report = await alice.takeBack("sess-alice");
      expect(report).toMatchObject({ takenBack: [], kept: [["shared.txt", "step_lost"]] });
      expect(await read("shared.txt")).toBe(ten({ 3: "a person" }));
    });
  });

  it("[R125] does not give to another session what one did whose record is lost", async () => {
    await withAgents(async (alice, bob, read) => {
      await alice.begin();
      await alice.write("shared.txt");
      await bob.preTool("Bash", { command: "make" });
      await alice.project.repo.write("shared.txt", ten({ 1: "alice" }));
      await alice.project.repo.write("made.txt", "bob\n");
      await alice.call("Stop");
      // Killed after its checkpoint: at the same one the step of Bob began.
      await alice.loseSteps((line) => !line.includes('"Write"'));
      const report = await alice.takeBack("sess-bob");
      expect(report).toMatchObject({ takenBack: ["made.txt"], kept: [] });
      expect(await read("shared.txt")).toBe(ten({ 1: "alice" }));
      expect((await alice.takeBack("sess-alice")).takenBack).toEqual(["shared.txt"]);
    });
  });

  it("[R125] works on from lines that are whole, whatever is between them", async () => {
    await withAgents(async (alice, _, read) => {
      await alice.prompt("go");
      await alice.edit("shared.txt", ten({ 1: "alice" }));
      await alice.call("Stop");
      const path = `${alice.root}/.git/waymark/agents/steps.ndjson`;
      const garbage = ["{", "null", "[]", '{"checkpoint_id":"x","agent_session_id":"y","paths":7}'];
      const whole = await readFile(path, "utf8");
      await writeFile(path, `${garbage.join("\n")}\n\0\0\n${whole}${whole.slice(0, 40)}`);
      expect((await alice.takeBack("sess-alice")).takenBack).toEqual(["shared.txt"]);
      expect(await read("shared.txt")).toBe(ten({}));
    });
  });
});

describe("what an agent did from a checkpoint on that is damaged", () => {
  it("[R125] stays, and a warning names the checkpoint", async () => {
    await withSharedTree(async (tree) => {
      const first = await tree.before(ALICE, ["shared.txt"]);
      await tree.repo.write("shared.txt", ten({ 1: "alice" }));
      await tree.writes(ALICE, "other.txt", ten({ 1: "alice" }));
      const commit = await tree.repo.store("rev-parse", `refs/waymark/cp/${first}`);
      await deleteObject(tree.repo, commit.trim());
      const result = await tree.ok("rollback", "--only-session", ALICE, "--yes");
      expect(reportOf(result.json).takenBack).toEqual(["other.txt"]);
      expect(await tree.read("shared.txt")).toBe(ten({ 1: "alice" }));
      expect(JSON.stringify(result.json)).toContain(`checkpoint ${first} is damaged`);
    });
  });
});

describe("what an agent did before the end of a turn whose checkpoint is cleaned up", () => {
  it("[R118] stays and is listed, with what a person did after it", async () => {
    await withAgents(async (alice, _, read) => {
      await alice.prompt("go");
      await alice.edit("shared.txt", ten({ 1: "alice" }));
      await alice.call("Stop");
      const ended = (await alice.checkpoints()).at(-1)?.id ?? "";
      await alice.begin();
      await alice.edit("other.txt", ten({ 1: "alice" }));
      await alice.call("Stop");
      await alice.project.ok("delete", ended, "--yes");
      expect(await alice.takeBack("sess-alice")).toMatchObject({
        takenBack: ["other.txt"],
        kept: [["shared.txt", "step_lost"]],
      });
      expect(await read("old.txt")).toBe("a person, while the agent thinks\n");
    });
  });
});

describe("what an agent did whose hook failed", () => {
  const refused = { env: { WAYMARK_CAPTURE_MAX_FILES: "1" } };

  it("[R117] is not taken for that of another session, and is listed as its own", async () => {
    await withAgents(async (alice, bob, read) => {
      await bob.prompt("go");
      await bob.preTool("Bash", { command: "make" });
      await bob.project.repo.write("made.txt", "bob\n");
      await alice.write("alice.txt", refused);
      await alice.project.repo.write("alice.txt", "alice\n");
      await bob.call("Stop");
      const report = await alice.takeBack("sess-bob");
      expect(report).toMatchObject({ takenBack: ["made.txt"], kept: [] });
      expect(await read("alice.txt")).toBe("alice\n");
    });
  });

  it("[R117] is not taken for that of another session where the project could not be opened", async () => {
    await withAgents(async (alice, bob, read) => {
      await bob.preTool("Bash", { command: "make" });
      await bob.project.repo.write("made.txt", "bob\n");
      const config = `${alice.root}/.git/config`;
      const before = await readFile(config);
      await writeFile(config, "[core\n");
      await alice.write("alice.txt");
      await writeFile(config, before);
      await alice.project.repo.write("alice.txt", "alice\n");
      await bob.call("Stop");
      expect((await alice.takeBack("sess-bob")).takenBack).toEqual(["made.txt"]);
      expect(await read("alice.txt")).toBe("alice\n");
    });
  });

  it("[R118] makes doubtful what another session may have changed, where its tool named nothing", async () => {
    await withAgents(async (alice, bob) => {
      await bob.preTool("Bash", { command: "make" });
      await alice.preTool("Bash", { command: "make" }, {}, refused);
      await alice.project.repo.write("made.txt", "alice or bob\n");
      await bob.call("Stop");
      expect(await alice.takeBack("sess-bob")).toMatchObject({
        takenBack: [],
        kept: [["made.txt", "not_told_apart"]],
      });
    });
  });

  it("begins nothing where the tool was denied", async () => {
    await withAgents(async (alice, bob) => {
      await bob.preTool("Bash", { command: "make" });
      const closed = { env: { ...refused.env, WAYMARK_AGENTS_POLICY: "fail_closed" } };
      await alice.preTool("Bash", { command: "make" }, {}, closed);
      await alice.project.repo.write("made.txt", "bob\n");
      await bob.call("Stop");
      expect(await alice.takeBack("sess-bob")).toMatchObject({
        takenBack: ["made.txt"],
        kept: [],
      });
    });
  });
});

describe("a file that two sessions named", () => {
  it("is that of the second one's when that one is taken back, and of a person when steps after it are", async () => {
    await withAgents(async (alice, bob, read) => {
      await alice.prompt("go");
      await alice.edit("shared.txt", ten({ 1: "alice" }));
      await bob.edit("shared.txt", ten({ 1: "alice", 8: "bob" }));
      const later = await alice.project.create();
      await alice.edit("other.txt", ten({ 1: "alice" }));
      await alice.project.repo.write("shared.txt", ten({ 1: "alice", 4: "a person", 8: "bob" }));
      await alice.edit("other.txt", ten({ 1: "alice", 2: "alice" }));
      const { json } = await alice.project.ok(
        "rollback",
        later,
        "--only-session",
        "sess-alice",
        "--yes",
      );
      expect(reportOf(json)).toMatchObject({ takenBack: ["other.txt"], kept: [] });
      expect(await alice.takeBack("sess-bob")).toMatchObject({
        takenBack: ["shared.txt"],
        kept: [],
      });
      expect(await read("shared.txt")).toBe(ten({ 1: "alice", 4: "a person" }));
    });
  });

  it("is whose step is at it, once the other one has gone on to something else", async () => {
    await withAgents(async (alice, bob, read) => {
      const { repo } = alice.project;
      await alice.prompt("go");
      // Nothing comes of it.
      await alice.write("shared.txt");
      await alice.edit("other.txt", ten({ 1: "alice" }));
      await bob.edit("shared.txt", ten({ 8: "bob" }));
      await bob.call("Stop");
      await alice.call("Stop");
      expect(await alice.takeBack("sess-bob")).toMatchObject({
        takenBack: ["shared.txt"],
        kept: [],
      });
      expect(await read("shared.txt")).toBe(ten({}));
      expect(await read("other.txt")).toBe(ten({ 1: "alice" }));
      expect(await repo.exists("shared.txt")).toBe(true);
    });
  });

  it("stays where a person may have changed it while the session was at another step", async () => {
    await withAgents(async (alice, bob, read) => {
      await alice.prompt("go");
      await alice.write("shared.txt");
      await alice.edit("other.txt", ten({ 1: "alice" }));
      await bob.edit("bob.txt", "bob\n");
      await alice.project.repo.write("shared.txt", ten({ 3: "a person" }));
      await alice.call("Stop");
      expect(await alice.takeBack("sess-alice")).toMatchObject({
        takenBack: ["other.txt"],
        kept: [["shared.txt", "not_told_apart"]],
      });
      expect(await read("shared.txt")).toBe(ten({ 3: "a person" }));
    });
  });
});
