/** Checkpoints of workflows that are interrupted: ids, record, life, the prompt of a resume, cleanup, and what goes wrong. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { importFrom } from "../old-formats/imported.ts";
import { writeSource } from "../old-formats/sources.ts";
import { type RuleProject, withSeed } from "../spec/project.ts";
import { expectExit } from "../support/cli.ts";
import { field, items, text } from "../support/json.ts";
import { hasTerminal, inTerminal } from "../support/terminal.ts";
import { talk } from "./scene.ts";

/** As the document has it; what it leaves out as `…` is empty. */
const RECORD = {
  checkpoint_id: "orchestrate_auth_system_20251003_184530",
  workflow_type: "orchestrate",
  workflow_description: "Implement authentication system",
  created_at: "2025-10-03T18:45:30Z",
  updated_at: "2025-10-03T18:52:15Z",
  status: "in_progress",
  current_phase: 2,
  total_phases: 5,
  completed_phases: [1],
  workflow_state: {
    project_name: "auth_system",
    artifact_registry: {},
    research_results: [],
    plan_path: "specs/plans/022_auth_implementation.md",
  },
  last_error: null,
};

const WORKFLOW = `name: auth
type: orchestrate
project: auth_system
description: Implement authentication system
phases:
  - {name: research, run: echo research >> ran.log, modifies: true}
  - {name: plan, run: echo plan >> ran.log, modifies: true, breakpoint: true}
  - {name: implement, run: echo implement >> ran.log, modifies: true}
`;

/** Stopped after two of three phases. */
async function withStopped(body: (project: RuleProject, id: string) => Promise<void>) {
  await withSeed(async (project) => {
    await project.repo.write("auth.yml", WORKFLOW);
    expectExit(await project.run("run", "auth.yml"), 5);
    const id = text((await project.ok("session", "show")).json, "session", "id");
    await body(project, id);
  });
}

const ranBy = async ({ repo }: RuleProject): Promise<string> => String(await repo.read("ran.log"));

describe("a workflow", () => {
  it("is named by type, project and time, and its record says how far it came", async () => {
    await withStopped(async (project, id) => {
      expect(id).toMatch(/^orchestrate_auth_system_\d{8}_\d{6}$/);
      const session = field((await project.ok("session", "show")).json, "session");
      expect(session).toMatchObject({
        id,
        workflow_type: "orchestrate",
        project_name: "auth_system",
        description: "Implement authentication system",
        status: "paused",
        current_phase: "plan",
        current_step: 2,
        total_phases: 3,
        completed_phases: 2,
        last_error: { phase: "plan", message: expect.stringContaining("breakpoint") },
        created_at: expect.stringMatching(/^\d{4}-/),
        updated_at: expect.stringMatching(/^\d{4}-/),
      });
    });
  });

  it("is resumed from the phase after the last completed one, and ends", async () => {
    await withStopped(async (project) => {
      expectExit(await project.run("resume", "--accept-changes"), 0);
      expect(await ranBy(project)).toBe("research\nplan\nimplement\n");
      const session = field((await project.ok("session", "show")).json, "session");
      expect(session).toMatchObject({ status: "completed", completed_phases: 3 });
    });
  });

  it("is the latest of several that are unfinished, unless another one is named", async () => {
    await withStopped(async (project, first) => {
      await project.repo.write("other.yml", WORKFLOW.replace("auth_system", "dark_mode"));
      expectExit(await project.run("run", "other.yml"), 5);
      const named = async (...args: readonly string[]): Promise<string> =>
        text((await project.run("resume", "--dry-run", ...args)).json, "session_id");
      expect(await named()).toMatch(/^orchestrate_dark_mode_/);
      expect(await named(first)).toBe(first);
    });
  });

  it("that fails is archived with its error, kept, and listed", async () => {
    await withSeed(async (project) => {
      await project.repo.write(
        "bad.yml",
        "name: bad\ntype: implement\nphases: [{name: a, run: 'false'}]\n",
      );
      expectExit(await project.run("run", "bad.yml"), 1);
      const failed = await project.ok("session", "list", "--status", "failed");
      expect(items(failed.json, "sessions")).toMatchObject([
        {
          workflow_type: "implement",
          archived_at: expect.stringMatching(/^\d{4}-/),
          last_error: { phase: "a" },
        },
      ]);
    });
  });
});

describe.skipIf(!hasTerminal)("the prompt when a session is found", () => {
  const found = /Found an unfinished session for "Implement authentication system"/;

  it("offers resume, a fresh start, details and removal, with the age and the progress", async () => {
    await withStopped(async (project) => {
      const { root, env } = project.repo;
      const { screen, code } = await inTerminal(
        root,
        ["run", "auth.yml"],
        [
          { see: "Choice [r/s/v/d", type: "v\n" },
          { see: "Choice [r/s/v/d", type: "r\n" },
        ],
        env,
        120,
      );
      expect(screen).toMatch(found);
      expect(screen).toMatch(
        /created \d{4}-\d\d-\d\d \d\d:\d\d:\d\d \+\d{4} \((just now|\d+ \w+ ago)\)/,
      );
      expect(screen).toContain("2 of 3 phases completed");
      expect(screen).toMatch(/\(r\)esume/);
      expect(screen).toMatch(/\(s\)tart fresh/);
      expect(screen).toMatch(/\(v\)iew details/);
      expect(screen).toMatch(/\(d\)elete/);
      expect(code).toBe(0);
      expect(await ranBy(project)).toBe("research\nplan\nimplement\n");
    });
  });

  it("removes it without a start at (d), and begins anew at (s)", async () => {
    await withStopped(async (project, id) => {
      const { root, env } = project.repo;
      const fresh = await inTerminal(
        root,
        ["run", "auth.yml"],
        [
          { see: "Choice [r/s/v/d", type: "s\n" },
          { see: "plan> ", type: "*pause\n" },
        ],
        env,
      );
      expect(fresh.screen).not.toContain("error:");
      expect(await ranBy(project)).toBe("research\nplan\nresearch\nplan\n");
      const { json } = await project.ok("session", "show", id);
      expect(field(json, "session", "status")).toBe("abandoned");
      await inTerminal(
        root,
        ["run", "auth.yml"],
        [
          { see: "Choice [r/s/v/d", type: "d\n" },
          { see: "[y/N]", type: "y\n" },
        ],
        env,
      );
      expect(await ranBy(project)).toBe("research\nplan\nresearch\nplan\n");
      const sessions = items((await project.ok("session", "list", "--all")).json, "sessions");
      expect(sessions.filter((listed) => text(listed, "status") === "paused")).toEqual([]);
      expect(items((await project.ok("delete", "--undo")).json, "restorable")).not.toEqual([]);
      expectExit(await project.run("resume"), 3);
    });
  });
});

describe("the record of the document", () => {
  it("is taken over as it is written, and is listed by its type", async () => {
    await withSeed(async (project) => {
      const folder = `${project.repo.base}/checkpoints`;
      await writeSource(`${folder}/${RECORD.checkpoint_id}.json`, JSON.stringify(RECORD));
      const older = {
        ...RECORD,
        schema_version: "0.9",
        workflow_type: "implement",
        checkpoint_id: "implement_a_20251002_101500",
      };
      await writeSource(`${folder}/${older.checkpoint_id}.json`, JSON.stringify(older));
      const { notCarried } = await importFrom(project, "claude-checkpoints", folder);
      expect(notCarried).toEqual([]);
      const { json } = await project.ok("session", "show", RECORD.checkpoint_id);
      expect(field(json, "session")).toMatchObject({
        status: "interrupted",
        current_step: 2,
        completed_phases: 1,
        total_phases: 5,
        description: RECORD.workflow_description,
      });
      const { json: migrated } = await project.ok("session", "show", older.checkpoint_id);
      expect(field(migrated, "session")).toMatchObject({ current_step: 2, total_phases: 5 });
      const listed = await project.ok("session", "list", "--workflow", "orchestrate");
      expect(items(listed.json, "sessions")).toHaveLength(1);
    });
  });

  it("is refused, named and left alone where it is broken or of a newer version", async () => {
    await withSeed(async (project) => {
      const folder = `${project.repo.base}/checkpoints`;
      await writeSource(`${folder}/implement_a_20251003_192230.json`, '{"checkpoint_id":');
      const newer = JSON.stringify({ ...RECORD, schema_version: "2.0" });
      await writeSource(`${folder}/orchestrate_b_20251003_192230.json`, newer);
      const { code, stderr, stdout } = await talk(
        project,
        "import",
        "--from",
        "claude-checkpoints",
        folder,
      );
      expect(code).toBe(4);
      const said = stdout + stderr;
      expect(said).toContain("implement_a_20251003_192230.json");
      expect(said).toContain("orchestrate_b_20251003_192230.json");
      const left = await Promise.all(
        ["implement_a", "orchestrate_b"].map((name) =>
          readFile(`${folder}/${name}_20251003_192230.json`, "utf8"),
        ),
      );
      expect(left).toEqual(['{"checkpoint_id":', newer]);
      expect(await project.repo.storeRefs("refs/waymark")).toBe("");
    });
  });
});

describe("cleanup", () => {
  it("lists, deletes one, deletes by age, and deletes everything", async () => {
    await withStopped(async (project, id) => {
      await project.ok("session", "list");
      const before = items((await project.ok("list", "--session", id)).json, "checkpoints").length;
      expect(before).toBeGreaterThan(0);
      const dry = await project.ok("cleanup", "--older-than", "7d", "--dry-run");
      expect(items(dry.json, "removed")).toEqual([]);
      await project.ok("session", "fail", "--error", "given up");
      await project.ok("session", "delete", id, "--yes");
      expect(items((await project.ok("list", "--all")).json, "checkpoints")).toEqual([]);
      await project.create();
      await project.ok("cleanup", "--all", "--now", "--yes");
      expect(items((await project.ok("list", "--all")).json, "checkpoints")).toEqual([]);
    });
  });

  it("of everything for good leaves no session and no state, and names exports", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      await project.ok("session", "start", "--type", "orchestrate", "--id", "open");
      await repo.write("state.json", '{"customer": "4711"}');
      await project.ok("session", "save", "--phase", "plan", "--state", "state.json");
      await project.create();
      await project.ok("export");
      await project.ok("session", "start", "--type", "orchestrate", "--id", "empty");
      const sessions = (): Promise<string> =>
        repo.storeRefs("--format=%(refname)", "refs/waymark/session");
      const before = await sessions();
      expectExit(await project.run("cleanup", "--all", "--now"), 5);
      expect(await sessions()).toBe(before);
      const dry = await project.ok("cleanup", "--all", "--now", "--dry-run");
      expect(items(dry.json, "sessions").map((each) => text(each, "id"))).toEqual([
        "empty",
        "open",
      ]);
      const said = await talk(project, "cleanup", "--all", "--now", "--yes");
      expect(said.stderr).toContain("remove them with: rm -r .git/waymark/exports");
      // The work tree's own is a list of what was done.
      expect((await sessions()).trim()).toBe("refs/waymark/session/worktree-main");
      expect(await repo.store("log", "--format=%B", "--glob=refs/waymark/*")).not.toContain("4711");
      await project.create();
      const left = items((await project.ok("session", "list")).json, "sessions");
      expect(left).toMatchObject([{ implicit: true, current: true }]);
    });
  });

  it("keeps what is documented: a week, and a month for what failed", async () => {
    await withSeed(async (project) => {
      const { json } = await project.ok("config", "retention");
      const values = new Map(
        items(json, "values").map((each) => [text(each, "key"), field(each, "value")]),
      );
      const day = 86_400_000;
      expect(values.get("retention.max_age")).toSatisfy((age) => age === "7d" || age === 7 * day);
      expect(values.get("retention.failed_max_age")).toSatisfy(
        (age) => age === "30d" || age === 30 * day,
      );
    });
  });
});

describe("a large state", () => {
  it("takes less room than its content", async () => {
    await withSeed(async (project) => {
      const room = async (): Promise<number> => {
        const counts = await project.repo.store("count-objects", "-v");
        return [...counts.matchAll(/^size(?:-pack)?: (\d+)$/gm)].reduce(
          (sum, [, size]) => sum + Number(size) * 1024,
          0,
        );
      };
      const state = JSON.stringify({ log: "the same line again\n".repeat(50_000) });
      await project.repo.write("state.json", state);
      await project.create();
      const before = await room();
      await project.ok("create", "--state", join(project.repo.root, "state.json"));
      expect((await room()) - before).toBeLessThan(state.length / 10);
    });
  });
});

describe("privacy", () => {
  it("keeps sessions and checkpoints out of git's sight and of what is pushed", async () => {
    await withStopped(async ({ repo }) => {
      expect(await repo.git("status", "--porcelain", "--ignored")).not.toMatch(
        /checkpoint_id|session/,
      );
      await repo.git("init", "-q", "--bare", "../remote.git");
      await repo.git("push", "-q", "../remote.git", "--all");
      await repo.git("push", "-q", "../remote.git", "--tags");
      expect(await repo.git("ls-remote", "../remote.git")).not.toContain("waymark");
    });
  });
});
