/** A state that looks like a secret is held only by those who say so, and shown to nobody. */
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openGitProject } from "../../src/app.ts";
import { createCheckpoint } from "../../src/operations/create-checkpoint.ts";
import {
  cliEnvironment,
  errorMessage,
  expectExit,
  said,
  waymarkArguments,
} from "../support/cli.ts";
import { field, items, text } from "../support/json.ts";
import { runCommand } from "../support/run-command.ts";
import { type RuleProject, withSeed } from "../spec/project.ts";
import { OTHER_TOKEN, TOKEN } from "../secrets/fake-secrets.ts";

const STATE = `# of the flow\nphase: plan\nauth:\n  token: ${TOKEN}\n`;

async function withState(body: (project: RuleProject) => Promise<void>): Promise<void> {
  await withSeed(async (project) => {
    await project.repo.write("flow/state.yml", STATE);
    await body(project);
  });
}

/** `create --json` with something on standard input. */
async function createWith(project: RuleProject, input: string, ...args: string[]) {
  const { root, env } = project.repo;
  const all = waymarkArguments(root, "create", "--json", ...args);
  const result = await runCommand(process.execPath, all, { env: cliEnvironment(env), input });
  return { ...result, json: JSON.parse(result.stdout.toString("utf8")) as unknown };
}

const statePart = (json: unknown): unknown =>
  items(json, "checkpoint", "parts").find((part) => field(part, "type") === "state_snapshot");

const ids = async (project: RuleProject): Promise<number> =>
  items((await project.ok("list", "--all")).json, "checkpoints").length;

/** Whether any object has it. */
async function isStored({ repo }: RuleProject, value: string): Promise<boolean> {
  return (await repo.everyObject()).includes(value);
}

describe("a state with a secret", () => {
  it("[R74] is refused with the rule and the ways on, and nothing is made", async () => {
    await withState(async (project) => {
      const file = join(project.repo.root, "flow/state.yml");
      const result = await project.run("create", "--state", file);
      expectExit(result, 5);
      expect(field(result.json, "error", "code")).toBe("secrets_held");
      expect(errorMessage(result)).toContain("looks like a secret: GitHub token");
      expect(text(result.json, "error", "hint")).toMatch(/--state-key.*--include-secrets/s);
      expect(said(result)).not.toContain(TOKEN);
      expect(await ids(project)).toBe(0);
      expect(await isStored(project, TOKEN)).toBe(false);
      expect((await project.repo.read(".git/waymark/audit.log")).toString()).not.toContain(TOKEN);
    });
  });

  it("[R74] is held without the key that has it: neither the value nor the file gets in", async () => {
    await withState(async (project) => {
      const { repo } = project;
      // Otherwise the work tree holds it like any other file.
      await repo.write(".git/info/exclude", "flow/\n");
      const args = ["--state", join(repo.root, "flow/state.yml"), "--state-key", "phase"];
      const id = await project.create(...args);
      expect(await isStored(project, TOKEN)).toBe(false);
      await repo.write("flow/state.yml", STATE.replace("plan", "implement").replace(TOKEN, "none"));
      await project.rollBack(id);
      expect((await repo.read("flow/state.yml")).toString()).toBe(STATE.replace(TOKEN, "none"));
      await project.ok("undo", "--yes");
      expect((await repo.read("flow/state.yml")).toString()).toContain("phase: implement");
      expectExit(await project.run("validate"), 0);
      await project.ok("export", id, "-o", "../x.bundle");
    });
  });

  it("[R74] is held when its file is named, which is recorded", async () => {
    await withState(async (project) => {
      const { repo } = project;
      const args = ["--state", join(repo.root, "flow/state.yml")];
      const named = ["--include-secrets", join(repo.root, "flow/state.yml")];
      const made = await project.ok("create", ...args, ...named);
      expect(field(statePart(made.json), "included_secrets")).toEqual(["flow/state.yml"]);
      await repo.write("flow/state.yml", "phase: other\n");
      await project.rollBack(text(made.json, "checkpoint", "id"));
      expect((await repo.read("flow/state.yml")).toString()).toBe(STATE);
    });
  });

  it("[R74] is held from standard input when that is named", async () => {
    await withSeed(async (project) => {
      const input = JSON.stringify({ token: TOKEN });
      const refused = await createWith(project, input, "--state", "-");
      expect(refused.code).toBe(5);
      expect(text(refused.json, "error", "hint")).toContain("`--include-secrets -`");
      const made = await createWith(project, input, "--state", "-", "--include-secrets", "-");
      expect(made.code).toBe(0);
      expect(field(statePart(made.json), "included_secrets")).toEqual(["state.json"]);
      const typo = await createWith(project, "{}", "--outputs", "-", "--include-secrets", "-");
      expect(typo.code).toBe(2);
      expectExit(await project.run("create", "--include-secrets", "-"), 2);
    });
  });

  it.each([
    ["a password", { password: "hunter2" }],
    ["an address", { DATABASE_URL: "postgres://ann:hunter2@db.example.org/x" }],
    ["a key in the middle", { deep: [{ apiKey: "hunter2x" }] }],
    ["a header in two pieces", { headers: ["Authorization", "Bearer q1w2e3r4t5z6u7i8"] }],
  ])("[R74] [R75] is told by its fields as in a session: %s", async (_, value) => {
    await withSeed(async (project) => {
      const input = JSON.stringify(value);
      const refused = await createWith(project, input, "--state", "-");
      expect(refused.code).toBe(5);
      expect(field(refused.json, "error", "code")).toBe("secrets_held");
      const made = await createWith(project, input, "--state", "-", "--include-secrets", "-");
      expect(made.code).toBe(0);
      const id = text(made.json, "checkpoint", "id");
      expectExit(await project.run("export", id, "-o", "../x.bundle"), 5);
      await project.ok("export", id, "-o", "../x.bundle", "--include-secrets", "state.json");
    });
  });

  it("[R74] [R75] is told by fields beside the keys that are held", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      const file = join(repo.root, "flow/state.yml");
      await repo.write("flow/state.yml", "phase: plan\nauth:\n  password: hunter2\n");
      const id = await project.create("--state", file, "--state-key", "phase");
      const shown = await project.ok("show", id);
      expect(field(statePart(shown.json), "documents", "0", "without_source")).toBe(true);
      await project.ok("export", id, "-o", "../x.bundle");
      await repo.write("flow/state.yml", "phase: later\nauth:\n  password: hunter2\n");
      const safety = text((await project.rollBack(id)).json, "undo_checkpoint_id");
      const refused = await project.run("export", safety, "-o", "../y.bundle");
      expectExit(refused, 5);
      expect(errorMessage(refused)).toContain("flow/state.yml (looks like a secret");
    });
  });

  it("is not refused where the settings let secrets in or do not look", async () => {
    await withState(async (project) => {
      const { repo } = project;
      for (const settings of ["{exclude: false}", "{scan: false}"]) {
        await project.agreeTo(`secrets: ${settings}\n`);
        await project.create("--state", join(repo.root, "flow/state.yml"));
      }
    });
  });

  it("never stops a rollback: the safety checkpoint holds it", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      await repo.write("flow/state.yml", "phase: plan\n");
      const id = await project.create("--state", join(repo.root, "flow/state.yml"));
      await repo.write("flow/state.yml", STATE);
      await project.rollBack(id);
      expect((await repo.read("flow/state.yml")).toString()).toBe("phase: plan\n");
      await project.ok("undo", "--yes");
      expect((await repo.read("flow/state.yml")).toString()).toBe(STATE);
    });
  });

  it("shows no value when two of them are compared", async () => {
    await withState(async (project) => {
      const file = join(project.repo.root, "flow/state.yml");
      const args = ["--state", file, "--include-secrets", file];
      const one = await project.create(...args);
      await project.repo.write("flow/state.yml", STATE.replace(TOKEN, OTHER_TOKEN));
      const two = await project.create(...args);
      for (const more of [["--state"], ["--patch"]]) {
        const result = await project.ok("diff", one, two, ...more);
        expect(said(result)).not.toContain(TOKEN);
        expect(said(result)).not.toContain(OTHER_TOKEN);
        expect(said(result)).toContain("auth.token");
      }
    });
  });

  it("[R74] is refused by the library as well, unless it says so", async () => {
    await withSeed(async ({ repo }) => {
      const project = await openGitProject({ directory: repo.root });
      const part = { type: "state_snapshot" as const, keys: null };
      const document = { name: "outputs" as const, kind: "value" as const, value: { a: TOKEN } };
      try {
        await expect(
          createCheckpoint(project, { parts: [{ ...part, documents: [document] }] }),
        ).rejects.toMatchObject({ code: "secrets_held" });
        const documents = [{ ...document, includeSecrets: true }];
        const made = await createCheckpoint(project, { parts: [{ ...part, documents }] });
        expect(made.checkpoint.parts).toContainEqual(
          expect.objectContaining({ included_secrets: ["outputs.json"] }),
        );
      } finally {
        project.close();
      }
    });
  });
});
