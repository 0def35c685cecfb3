/** One time line of the work tree: `list` and selectors, over all of its sessions. */
import { describe, expect, it } from "vitest";
import { expectExit } from "../support/cli.ts";
import { field, items, text } from "../support/json.ts";
import { hasTerminal, inTerminal } from "../support/terminal.ts";
import { withHooks } from "../hooks/hooked-project.ts";
import { type RuleProject, withSeed } from "../spec/project.ts";

async function screenOf({ repo }: RuleProject, columns: number, ...args: readonly string[]) {
  const env = { ...repo.env, NO_COLOR: "1" };
  const { screen } = await inTerminal(repo.root, args, [], env, columns);
  return screen
    .split(/\r?\n/)
    .map((line) => line.trimEnd())
    .filter((line) => line !== "");
}

async function listed(project: RuleProject, ...args: readonly string[]): Promise<string[]> {
  const { json } = await project.ok("list", ...args);
  return items(json, "checkpoints").map((each) => text(each, "id"));
}

/** Two checkpoints of another session between two of the work tree's own. */
async function withSessions(
  body: (project: RuleProject, ids: readonly [string, string, string, string]) => Promise<void>,
): Promise<void> {
  await withSeed(async (project) => {
    const { repo } = project;
    const take = async (content: string, ...args: readonly string[]): Promise<string> => {
      await repo.write("a.txt", content);
      return project.create(...args);
    };
    const first = await take("1\n", "-m", "mine");
    const flow = ["--session", "flow-1", "--step"];
    const second = await take("1\n2\n", ...flow, "1", "--phase", "plan", "--trigger", "pre_phase");
    const third = await take("1\n2\n3\n", ...flow, "2", "-m", "second step");
    const fourth = await take("changed\n", "-m", "mine again");
    await body(project, [first, second, third, fourth]);
  });
}

describe("the time line", () => {
  it("[R197] has the checkpoints of all sessions, and selectors go by it", async () => {
    await withSessions(async (project, ids) => {
      const [first, second, third, fourth] = ids;
      expect(await listed(project)).toEqual(ids.toReversed());
      expect(await listed(project, "--session", "flow-1")).toEqual([third, second]);
      expect(await listed(project, "-n", "2")).toEqual([fourth, third]);
      expect(await listed(project, "-n", "0")).toHaveLength(4);
      const shown = async (selector: string, ...args: readonly string[]): Promise<string> =>
        text((await project.ok("show", selector, ...args)).json, "checkpoint", "id");
      expect(await shown("latest")).toBe(fourth);
      expect(await shown("latest~1")).toBe(third);
      expect(await shown("2")).toBe(third);
      expect(await shown("phase:plan")).toBe(second);
      expect(await shown("start")).toBe(first);
      expect(await shown("latest", "--session", "flow-1")).toBe(third);
      expect(await shown("session:flow-1/start")).toBe(second);
    });
  });

  it("of a session that does not exist is refused, and of one without checkpoints empty", async () => {
    await withSeed(async (project) => {
      await project.create();
      const refused = await project.run("list", "--session", "nosuch");
      expectExit(refused, 3);
      expect(text(refused.json, "error", "code")).toBe("session_not_found");
      await project.ok("session", "start", "--type", "t", "--id", "one");
      expect(await listed(project, "--session", "one")).toEqual([]);
    });
  });

  it("[R10] is rolled past in every session by a rollback, and whole again after the undo", async () => {
    await withSessions(async (project, [first, second, third, fourth]) => {
      const { json } = await project.ok("rollback", second, "--yes");
      expect(new Set(items(json, "became_invalid"))).toEqual(new Set([third, fourth]));
      const standing = async () =>
        items((await project.ok("list")).json, "checkpoints").map((each) => [
          text(each, "id"),
          JSON.stringify([
            (each as { valid: boolean }).valid,
            (each as { current: boolean }).current,
          ]),
        ]);
      expect(await standing()).toEqual([
        [fourth, "[false,false]"],
        [third, "[false,false]"],
        [second, "[true,true]"],
        [first, "[true,false]"],
      ]);
      await project.ok("undo", "--yes");
      expect((await standing())[0]).toEqual([fourth, "[true,true]"]);
    });
  });
});

describe("the current checkpoint", () => {
  const current = async (project: RuleProject): Promise<unknown[]> =>
    items((await project.ok("list")).json, "checkpoints").filter(
      (each) => field(each, "current") === true,
    );

  it("is none of an import before the project was rolled back to it", async () => {
    await withSeed(async (project) => {
      await project.create();
      await project.repo.write("a.txt", "changed\n");
      const last = await project.create();
      const file = `${project.repo.base}/all.bundle`;
      await project.ok("export", "-o", file);
      const clone = `${project.repo.base}/clone`;
      await project.repo.git("clone", "-q", project.repo.root, clone);
      const there = project.at("clone");
      await there.ok("import", file);
      expect(await current(there)).toEqual([]);
      expect(field((await there.ok("status")).json, "last_checkpoint")).not.toBeNull();
      await there.ok("rollback", last, "--yes");
      expect(await current(there)).toMatchObject([{ id: last }]);
    });
  });

  it("is none when the last one was removed", async () => {
    await withSeed(async (project) => {
      await project.create("--pin");
      await project.repo.write("a.txt", "changed\n");
      const last = await project.create();
      expect(await current(project)).toMatchObject([{ id: last }]);
      await project.ok("cleanup", "--all", "--yes");
      expect(await current(project)).toEqual([]);
    });
  });
});

describe("status", () => {
  it("an undo leads back to the checkpoint before the rollback: nothing changed since that one", async () => {
    await withSeed(async (project) => {
      const first = await project.create();
      await project.repo.write("new.txt", "new\n");
      await project.repo.git("add", "new.txt");
      await project.repo.commit("two");
      const second = await project.create();
      await project.rollBack(first);
      await project.ok("undo", "--yes");
      const { json } = await project.ok("create", "-m", "after undo");
      expect(json).toMatchObject({ unchanged: true, checkpoint: { id: second } });
      await project.repo.write("new.txt", "newer\n");
      const next = await project.ok("create");
      expect(field(next.json, "checkpoint", "previous_id")).toBe(second);
    });
  });

  it("says where the project is, what changed since, and what undo and redo would do", async () => {
    await withSessions(async (project, [, second, , fourth]) => {
      await project.repo.write("a.txt", "changed\nmore\n");
      expect((await project.ok("status")).json).toMatchObject({
        branch: "refs/heads/main",
        checkpoints: 4,
        last_checkpoint: { id: fourth },
        changed_since: { files: 1, added: 1, removed: 0 },
        undo: null,
        redo: null,
        interrupted: false,
      });
      await project.ok("rollback", second, "--yes");
      expect((await project.ok("status")).json).toMatchObject({
        last_checkpoint: { id: second },
        changed_since: { files: 0 },
        undo: { went_to: second },
      });
      await project.ok("undo", "--yes");
      expect((await project.ok("status")).json).toMatchObject({ undo: null, redo: {} });
    });
  });

  it.runIf(hasTerminal)(
    "does not take the checkpoints of the work tree for those of the session",
    async () => {
      await withSessions(async (project, [first]) => {
        await project.ok("session", "start", "--type", "build", "--id", "build-1");
        const shown = /^(?:on +)?branch main, 4 checkpoints, current session build-1$/;
        expect((await screenOf(project, 80, "list"))[0]).toMatch(shown);
        expect((await screenOf(project, 80, "status"))[0]).toMatch(shown);
        await project.ok("rollback", first, "--session", "worktree-main", "--yes");
        expect((await project.ok("undo", "--yes")).stderr).not.toContain("warning");
      });
    },
  );

  it.runIf(hasTerminal)(
    "names commits that were made since, also where no file differs",
    async () => {
      await withSeed(async (project) => {
        const { repo } = project;
        await project.create();
        const since = async (): Promise<string | undefined> =>
          (await screenOf(project, 80, "status")).find((line) => line.startsWith("changed since"));
        expect(await since()).toBe("changed since    nothing");
        await repo.git("commit", "-q", "--allow-empty", "-m", "more");
        expect(await since()).toBe("changed since    nothing in files; 1 commit");
        expect((await project.ok("status")).json).toMatchObject({ changed_since: { commits: 1 } });
        await repo.write("a.txt", "changed\n");
        expect(await since()).toMatch(/ in 1 file \(`waymark diff`\); 1 commit$/);
      });
    },
  );

  it.runIf(hasTerminal)("is a few lines on a terminal", async () => {
    await withSessions(async (project) => {
      await project.repo.write("a.txt", "changed\nmore\n");
      const shown = await screenOf(project, 80, "status");
      expect(shown[0]).toBe("on               branch main, 4 checkpoints");
      expect(shown[1]).toMatch(/^last checkpoint  [0-9a-f]{4} .*: mine again$/);
      expect(shown[2]).toBe("changed since    +1 in 1 file (`waymark diff`)");
    });
  });
});

describe.runIf(hasTerminal)("the table of the time line", () => {
  it("has short ids, what each step changed, sessions where there are several, and a message at any width", async () => {
    await withSessions(async (project) => {
      const rows = await screenOf(project, 80, "list");
      expect(rows[0]).toBe("branch main, 4 checkpoints");
      expect(
        rows.slice(1).map((row) => row.replace(/ [0-9a-f]{4} +(?:now|\d+s)/, " id age")),
      ).toEqual([
        "   ID    AGE          FILES  SESSION  MESSAGE",
        "*  id age  +1  -3      1           mine again",
        "   id age  +1          1  flow-1   second step",
        "   id age  +1          1  flow-1   before plan",
        "   id age                          mine",
      ]);
      for (const row of await screenOf(project, 40, "list")) {
        expect(row.length).toBeLessThanOrEqual(40);
      }
      expect((await screenOf(project, 40, "list")).at(1)).toContain("MESSAGE");
      await project.ok("rollback", "2", "--yes");
      expect((await screenOf(project, 80, "list"))[2]).toContain("(rolled past) mine again");
      const long = (await screenOf(project, 160, "list", "--long")).join("\n");
      for (const word of ["CREATED", "STEP", "PHASE", "TRIGGER", "COMMIT", "before phase"]) {
        expect(long).toContain(word);
      }
    });
  });

  it("leaves out nothing that was asked for, at any width", async () => {
    await withSessions(async (project) => {
      for (const width of [60, 80, 100]) {
        const long = (await screenOf(project, width, "list", "--long")).join("\n");
        for (const said of ["mine again", "before phase", "commit ", "session flow-1", "step 2"])
          expect(long, `${width}`).toContain(said);
        expect(long).toMatch(/\d\d:\d\d:\d\d [+-]\d{4}/);
        for (const line of long.split("\n")) expect(line.length).toBeLessThanOrEqual(width);
        const stat = (await screenOf(project, width, "list", "--stat")).join("\n");
        expect(stat).toContain("FROM NOW");
        expect(stat).toMatch(/ 1 file \+1 -\d.* mine$/m);
      }
    });
  });

  it("has one row for the work of a prompt and counts its checkpoints, unless each is asked for", async () => {
    await withHooks(async (hooked) => {
      await hooked.prompt("fix the parser");
      // It begins at the checkpoint of the prompt.
      await hooked.write("a.txt");
      for (const content of ["1\n", "2\n", "3\n"]) {
        await hooked.project.repo.write("a.txt", content);
        await hooked.write("a.txt");
      }
      await hooked.project.repo.write("a.txt", "mine\n");
      await hooked.project.create("-m", "my own");
      const rows = await screenOf(hooked.project, 80, "list");
      expect(rows.filter((row) => row.includes("fix the parser"))).toEqual([
        expect.stringMatching(/ claude +fix the parser \(3\)$/),
        expect.stringMatching(/ +(?:now|\d+s) +before: fix the parser$/),
      ]);
      expect(rows.at(-1)).toBe("(n): checkpoints of one prompt, `--expand` shows each");
      const expanded = await screenOf(hooked.project, 80, "list", "--expand");
      expect(expanded.filter((row) => row.includes("before Write a.txt"))).toHaveLength(3);
      await hooked.prompt("now the tests");
      await hooked.project.repo.write("a.txt", "by a person\n");
      await hooked.prompt("and the docs");
      expect((await screenOf(hooked.project, 80, "list"))[2]).toMatch(
        /^\* +[0-9a-f]{4} +(?:now|\d+s) +\+1 +-1 +1 +changes before: and the docs$/,
      );
      const mine = await listed(hooked.project, "--agent", "claude");
      expect(mine.length).toBeGreaterThanOrEqual(3);
    });
  });

  it("has twenty rows unless more are asked for, and says so", async () => {
    await withSeed(async (project) => {
      for (let at = 0; at < 22; at++) await project.create("--force");
      const rows = await screenOf(project, 80, "list");
      expect(rows).toHaveLength(23);
      expect(rows.at(-1)).toBe("20 of 22 rows, `waymark list -n 0` shows all");
      const env = { ...project.repo.env, NO_COLOR: "1", PAGER: "sed s/^/paged:/", GIT_PAGER: "" };
      const { GIT_PAGER: _, ...paged } = env;
      const { screen } = await inTerminal(project.repo.root, ["list", "-n", "0"], [], paged, 80);
      expect(screen.split(/\r?\n/).filter((line) => line.startsWith("paged:"))).toHaveLength(24);
    });
  });
});
