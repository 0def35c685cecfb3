/** Tools that change files act only on a plan that was shown and is still true. */
import { describe, expect, it } from "vitest";
import { withDirty, withSeed, type RuleProject } from "../spec/project.ts";
import { expectExit } from "../support/cli.ts";
import { deleteObject } from "../support/damage.ts";
import { field, items, text } from "../support/json.ts";
import { ERAS, tokenOf, withClient, type Asked, type TestClient } from "./client.ts";

async function read(project: RuleProject, path: string): Promise<string> {
  return (await project.repo.read(path)).toString("utf8");
}

const ACCEPT = { action: "accept", content: { confirm: true } } as const;

describe.each(ERAS)("a client of the %s era", (era) => {
  it("[R111] acts with the token of the plan, once, and takes a safety checkpoint", async () => {
    await withSeed(async (project) => {
      const id = await project.create();
      await project.repo.write("b.txt", "later\n");
      await withClient(project.repo, { era }, async (client) => {
        const plan = await client.ok("roll_back", { checkpoint: id });
        expect(await read(project, "b.txt")).toBe("later\n");
        expect(field(plan.document, "rolled_back")).toBe(false);
        const again = { checkpoint: id, confirm_token: tokenOf(plan) };
        const done = await client.ok("roll_back", again);
        expect(await read(project, "b.txt")).not.toBe("later\n");
        const safety = text(done.document, "undo_checkpoint_id");
        const diff = await client.ok("diff_checkpoints", { from: id, to: safety });
        expect(items(diff.document, "files")).toHaveLength(1);
        const used = await client.call("roll_back", again);
        expect(field(used.document, "error", "details", "reason")).toBe("token_used");
      });
    });
  });

  it("[R111] does nothing for a token that was made up, or is for something else", async () => {
    await withSeed(async (project) => {
      const id = await project.create();
      await project.repo.write("b.txt", "later\n");
      let elsewhere = "";
      await withClient(project.repo, { era }, async (client) => {
        elsewhere = tokenOf(await client.ok("roll_back", { checkpoint: id }));
      });
      await withClient(project.repo, { era }, async (client) => {
        const forFiles = tokenOf(
          await client.ok("roll_back", { checkpoint: id, files_only: true }),
        );
        for (const [confirm_token, why] of [
          ["made-up", "token_unknown"],
          [elsewhere, "token_unknown"],
          [forFiles, "token_of_another_order"],
        ] as const) {
          const reply = await client.call("roll_back", { checkpoint: id, confirm_token });
          expect(reply.isError).toBe(true);
          expect(text(reply.document, "error", "code")).toBe("needs_confirmation");
          expect(field(reply.document, "error", "details", "reason")).toBe(why);
          expect(await read(project, "b.txt")).toBe("later\n");
        }
      });
    });
  });

  it.each([
    ["a file was saved", (project: RuleProject) => project.repo.write("b.txt", "newer\n")],
    ["a file came", (project: RuleProject) => project.repo.write("new.txt", "new\n")],
    ["something was staged", (project: RuleProject) => project.repo.git("add", "b.txt")],
    ["HEAD moved", (project: RuleProject) => project.repo.git("checkout", "-qb", "third")],
  ])("[R112] refuses when %s since the plan, and shows the new plan", async (_, move) => {
    await withSeed(async (project) => {
      const id = await project.create();
      await project.repo.write("b.txt", "later\n");
      await withClient(project.repo, { era }, async (client) => {
        const plan = await client.ok("roll_back", { checkpoint: id });
        await move(project);
        const before = await read(project, "b.txt");
        const given = { checkpoint: id, confirm_token: tokenOf(plan) };
        const reply = await client.call("roll_back", given);
        expect(reply.isError).toBe(true);
        expect(field(reply.document, "error", "details", "reason")).toBe("project_changed");
        expect(await read(project, "b.txt")).toBe(before);
        expect(text(reply.document, "plan_now", "kind")).toBe("rollback_plan");
        await client.ok("roll_back", { checkpoint: id, confirm_token: tokenOf(reply) });
        expect(await read(project, "b.txt")).not.toBe(before);
      });
    });
  });

  it("[R112] refuses when a copied file changed since the plan", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      await repo.write(".git/info/exclude", "local.txt\n");
      await repo.write("local.txt", "then\n");
      const id = await project.create("--scope", "local.txt", "--type", "file_backup");
      await repo.write("local.txt", "later\n");
      await withClient(repo, { era }, async (client) => {
        const plan = await client.ok("roll_back", { checkpoint: id });
        await repo.write("local.txt", "precious\n");
        const given = { checkpoint: id, confirm_token: tokenOf(plan) };
        const reply = await client.call("roll_back", given);
        expect(field(reply.document, "error", "details", "reason")).toBe("project_changed");
        expect(await read(project, "local.txt")).toBe("precious\n");
        const again = { checkpoint: id, confirm_token: tokenOf(reply) };
        expect((await client.ok("roll_back", again)).said).toContain("files: 1 restored");
        expect(await read(project, "local.txt")).toBe("then\n");
      });
    });
  });

  it("[R112] refuses when the state of the session changed since the plan", async () => {
    await withSeed(async (project) => {
      await project.ok("session", "start", "--type", "implement");
      await withClient(project.repo, { era }, async (client) => {
        const saved = await client.ok("save_session", { state: { a: 1 }, checkpoint: true });
        const checkpoint = text(saved.document, "checkpoint_id");
        await client.ok("save_session", { state: { a: 2 } });
        const plan = await client.ok("preview_rollback", { checkpoint });
        await client.ok("save_session", { state: { a: 3 } });
        const given = { checkpoint, confirm_token: tokenOf(plan) };
        const reply = await client.call("roll_back", given);
        expect(field(reply.document, "error", "details", "reason")).toBe("project_changed");
        const state = async () => (await client.ok("show_session")).document;
        expect(field(await state(), "session", "state")).toEqual({ a: 3 });
        await client.ok("roll_back", { checkpoint, confirm_token: tokenOf(reply) });
        expect(field(await state(), "session", "state")).toEqual({ a: 1 });
      });
    });
  });

  it("says what a rollback of some files restored, and gives no token where nothing differs", async () => {
    await withSeed(async (project) => {
      const id = await project.create();
      await project.repo.write("a.txt", "later\n");
      await project.repo.write("b.txt", "later\n");
      await withClient(project.repo, { era }, async (client) => {
        const some = { checkpoint: id, paths: ["a.txt"] };
        const plan = await client.ok("roll_back", some);
        const done = await client.ok("roll_back", { ...some, confirm_token: tokenOf(plan) });
        expect(done.said).toContain(`rollback done: what you asked for is as in ${id} again`);
        expect(await read(project, "b.txt")).toBe("later\n");
        const empty = await client.ok("preview_rollback", some);
        expect(empty.said).toContain("there is nothing to carry out");
        expect(field(empty.document, "confirm_token")).toBeUndefined();
      });
    });
  });

  it("[R26] warns in the plan of damage that was found", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      await repo.write("big.txt", "only then\n");
      const id = await project.create();
      const oid = (await repo.store("rev-parse", `refs/waymark/cp/${id}:worktree/big.txt`)).trim();
      await deleteObject(repo, oid);
      await repo.write("big.txt", "so that it has to be read\n");
      expectExit(await project.run("validate"), 4);
      await withClient(repo, { era }, async (client) => {
        const { said } = await client.ok("preview_rollback", { checkpoint: id });
        expect(said).toContain(`warning: checkpoint ${id} was found damaged`);
      });
    });
  });

  it("[R111] asks the user where the client can, and acts on a yes", async () => {
    await withSeed(async (project) => {
      const id = await project.create();
      await project.repo.write("b.txt", "later\n");
      const asked: Asked[] = [];
      const onAsked = (one: Asked) => {
        asked.push(one);
        return ACCEPT;
      };
      await withClient(project.repo, { era, onAsked }, async (client) => {
        const done = await client.ok("roll_back", { checkpoint: id });
        expect(text(done.document, "kind")).toBe("rollback");
        expect(asked).toHaveLength(1);
        expect(asked[0]?.message).toContain("~ b.txt");
        expect(await read(project, "b.txt")).not.toBe("later\n");
        await client.ok("undo");
        expect(await read(project, "b.txt")).toBe("later\n");
      });
    });
  });

  it("[R112] asks again when the project moved while the user was asked", async () => {
    await withSeed(async (project) => {
      const id = await project.create();
      await project.repo.write("b.txt", "later\n");
      let count = 0;
      const onAsked = async () => {
        count += 1;
        if (count === 1) await project.repo.write("new.txt", "new\n");
        return ACCEPT;
      };
      await withClient(project.repo, { era, onAsked }, async (client) => {
        await client.ok("roll_back", { checkpoint: id });
        expect(count).toBe(2);
        await expect(read(project, "new.txt")).rejects.toThrow(/ENOENT/);
      });
    });
  });

  it.each([{ action: "decline" }, { action: "accept", content: { confirm: false } }] as const)(
    "[R111] does nothing after $action, and gives no token either",
    async (answer) => {
      await withSeed(async (project) => {
        const id = await project.create();
        await project.repo.write("b.txt", "later\n");
        let next: { action: "decline" | "cancel" } | typeof answer = answer;
        await withClient(project.repo, { era, onAsked: () => next }, async (client) => {
          expect(await client.refused("roll_back", { checkpoint: id })).toBe("needs_confirmation");
          next = { action: "cancel" };
          const reply = await client.call("roll_back", { checkpoint: id });
          expect(reply.isError).toBe(true);
          expect(JSON.stringify(reply.document)).not.toContain('confirm_token":');
          expect(await read(project, "b.txt")).toBe("later\n");
        });
      });
    },
  );

  it("[R111] gives the plan and its token when nobody answers", async () => {
    await withSeed(async (project) => {
      const id = await project.create();
      await project.repo.write("b.txt", "later\n");
      const onAsked = () => ({ action: "cancel" }) as const;
      await withClient(project.repo, { era, onAsked }, async (client) => {
        const plan = await client.ok("roll_back", { checkpoint: id });
        expect(await read(project, "b.txt")).toBe("later\n");
        await client.ok("roll_back", { checkpoint: id, confirm_token: tokenOf(plan) });
        expect(await read(project, "b.txt")).not.toBe("later\n");
      });
    });
  });
});

describe("commits that would leave a branch", () => {
  async function withCommit(
    body: (project: RuleProject, id: string, client: TestClient) => Promise<void>,
  ): Promise<void> {
    await withSeed(async (project) => {
      const id = await project.create();
      await project.repo.write("b.txt", "later\n");
      await project.repo.git("commit", "-qam", "later");
      await withClient(project.repo, {}, (client) => body(project, id, client));
    });
  }

  it("[R111] have to be named: the plan has no token until somebody decides", async () => {
    await withCommit(async (project, id, client) => {
      const tip = await project.repo.git("rev-parse", "HEAD");
      const plan = await client.ok("roll_back", { checkpoint: id });
      expect(items(plan.document, "plan", "commits_leaving")).toHaveLength(1);
      expect(field(plan.document, "confirm_token")).toBeUndefined();
      expect(plan.said).toContain("discard_commits: true");
      const keep = await client.ok("roll_back", { checkpoint: id, keep_head: true });
      const confirm_token = tokenOf(keep);
      await client.ok("roll_back", { checkpoint: id, keep_head: true, confirm_token });
      expect(await project.repo.git("rev-parse", "HEAD")).toEqual(tip);
    });
  });

  it("[R112] are named with the reason and the new plan when something was confirmed before", async () => {
    await withCommit(async (project, id, client) => {
      const made = await client.call("roll_back", { checkpoint: id, confirm_token: "made-up" });
      expect(made.isError).toBe(true);
      expect(field(made.document, "error", "details", "reason")).toBe("token_unknown");
      expect(field(made.document, "plan_now", "confirm_token")).toBeUndefined();
      expect(made.said).toContain("discard_commits: true");
      const now = await project.create("--force");
      await project.repo.write("b.txt", "uncommitted\n");
      const plan = await client.ok("roll_back", { checkpoint: now });
      await project.repo.git("commit", "-qam", "meanwhile");
      const given = { checkpoint: now, confirm_token: tokenOf(plan) };
      const late = await client.call("roll_back", given);
      expect(field(late.document, "error", "details", "reason")).toBe("project_changed");
      expect(text(late.document, "plan_now", "kind")).toBe("rollback_plan");
      expect(late.said).toContain("meanwhile");
    });
  });

  it("leave it with discard_commits, and undo brings them back", async () => {
    await withCommit(async (project, id, client) => {
      const tip = await project.repo.git("rev-parse", "HEAD");
      const given = { checkpoint: id, discard_commits: true };
      const plan = await client.ok("roll_back", given);
      await client.ok("roll_back", { ...given, confirm_token: tokenOf(plan) });
      expect(await project.repo.git("rev-parse", "HEAD")).not.toEqual(tip);
      const undo = await client.ok("undo");
      await client.ok("undo", { confirm_token: tokenOf(undo) });
      expect(await project.repo.git("rev-parse", "HEAD")).toEqual(tip);
    });
  });
});

describe("a preview", () => {
  it("names the tool that carries it out, which takes the token", async () => {
    await withSeed(async (project) => {
      const checkpoint = await project.create();
      await project.repo.write("b.txt", "later\n");
      await withClient(project.repo, {}, async (client) => {
        for (const [name, given, tool, preview] of [
          ["preview_rollback", { checkpoint }, "roll_back", {}],
          ["undo", {}, "undo", { preview: true }],
          ["redo", {}, "redo", { preview: true }],
        ] as const) {
          const plan = await client.ok(name, { ...given, ...preview });
          const words = /call (\w+) with the same arguments and confirm_token/.exec(plan.said);
          expect(words?.[1]).toBe(tool);
          expect(plan.said.includes("without preview")).toBe(tool !== "roll_back");
          const confirm_token = tokenOf(plan);
          if (tool !== "roll_back") {
            const both = await client.call(tool, { preview: true, confirm_token });
            expect(text(both.document, "error", "code")).toBe("usage");
            expect(both.said).toContain(`call ${tool} with confirm_token and without preview`);
          }
          const done = await client.ok(tool, { ...given, confirm_token });
          expect(text(done.document, "kind")).toBe("rollback");
        }
      });
    });
  });
});

describe("a question to the user", () => {
  it("[R111] names commits that leave a branch, however many files there are", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      const id = await project.create();
      for (let at = 0; at < 30; at++) await repo.write(`${"long".repeat(35)}${at}`, "new\n");
      await repo.git("add", "-A");
      await repo.git("commit", "-qm", "precious work");
      const asked: string[] = [];
      const onAsked = ({ message }: Asked) => {
        asked.push(message);
        return { action: "decline" } as const;
      };
      await withClient(repo, { onAsked }, async (client) => {
        await client.refused("roll_back", { checkpoint: id, discard_commits: true });
        expect(asked[0]).toContain("Commits dropped from a branch: 1");
        expect(asked[0]).toContain("precious work");
        expect(asked[0]).toContain("Branches that move: refs/heads/");
      });
    });
  });
});

describe("several at once", () => {
  it("[R112] of two rollbacks with one token at most one is done", async () => {
    await withDirty(async (project) => {
      const id = await project.create();
      await project.repo.write("b.txt", "later\n");
      await withClient(project.repo, {}, async (client) => {
        const confirm_token = tokenOf(await client.ok("roll_back", { checkpoint: id }));
        const given = { checkpoint: id, confirm_token };
        const replies = await Promise.all([
          client.call("roll_back", given),
          client.call("roll_back", given),
          client.call("create_checkpoint", { reason: "meanwhile" }),
          client.call("list_checkpoints"),
        ]);
        const done = replies.filter(({ document }) => field(document, "rolled_back") === true);
        expect(done).toHaveLength(1);
        const { isError } = await client.call("validate_checkpoints");
        expect(isError).toBe(false);
      });
    });
  });
});
