/** After a no, nothing that was shown before acts; where nobody can be asked, agents still get on. */
import { describe, expect, it } from "vitest";
import { withSeed, type RuleProject } from "../spec/project.ts";
import { field, text } from "../support/json.ts";
import { ERAS, tokenOf, withClient, type TestClient } from "./client.ts";

const DECLINE = { action: "decline" } as const;
const CANCEL = { action: "cancel" } as const;

interface Scene {
  readonly project: RuleProject;
  readonly id: string;
  readonly client: TestClient;
  /** How the client answers questions from now on, and how many there were. */
  readonly user: { answer: typeof DECLINE | typeof CANCEL; asked: number };
}

describe.each(ERAS)("a client of the %s era", (era) => {
  async function withUser(body: (scene: Scene) => Promise<void>): Promise<void> {
    await withSeed(async (project) => {
      const id = await project.create();
      await project.repo.write("b.txt", "later\n");
      const user: Scene["user"] = { answer: CANCEL, asked: 0 };
      const onAsked = () => {
        user.asked += 1;
        return user.answer;
      };
      await withClient(project.repo, { era, onAsked }, (client) =>
        body({ project, id, client, user }),
      );
    });
  }

  async function expectNothingDone({ project }: Scene): Promise<void> {
    expect((await project.repo.read("b.txt")).toString("utf8")).toBe("later\n");
  }

  it("[R128] does nothing with a token from before the no, whatever the options", async () => {
    await withUser(async (scene) => {
      const { client, id, user } = scene;
      const same = tokenOf(await client.ok("roll_back", { checkpoint: id }));
      const files = { checkpoint: id, files_only: true };
      const other = tokenOf(await client.ok("roll_back", files));
      const preview = tokenOf(await client.ok("preview_rollback", { checkpoint: id }));
      user.answer = DECLINE;
      expect(await client.refused("roll_back", { checkpoint: id })).toBe("needs_confirmation");
      user.answer = CANCEL;
      for (const given of [
        { checkpoint: id, confirm_token: same },
        { ...files, confirm_token: other },
        { checkpoint: id, confirm_token: preview },
        { checkpoint: id, even_if_expired: true },
      ]) {
        const reply = await client.call("roll_back", given);
        expect(field(reply.document, "error", "details", "reason")).toBe("declined");
        expect(JSON.stringify(reply.document)).not.toContain('confirm_token":');
      }
      await expectNothingDone(scene);
    });
  });

  it("[R128] gives a new plan by a preview, and says that the user said no", async () => {
    await withUser(async (scene) => {
      const { client, id, user, project } = scene;
      user.answer = DECLINE;
      const no = await client.call("roll_back", { checkpoint: id });
      expect(text(no.document, "error", "hint")).toContain("preview_rollback");
      const plan = await client.ok("preview_rollback", { checkpoint: id });
      expect(plan.said).toContain("recently answered with no");
      await expectNothingDone(scene);
      await client.ok("roll_back", { checkpoint: id, confirm_token: tokenOf(plan) });
      expect(user.asked).toBe(1);
      expect((await project.repo.read("b.txt")).toString("utf8")).not.toBe("later\n");
      // The same for undo, which has no tool of its own to look.
      expect(await client.refused("undo")).toBe("needs_confirmation");
      const back = await client.ok("undo", { preview: true });
      expect(back.said).toContain("recently answered with no");
      await client.ok("undo", { confirm_token: tokenOf(back) });
      await expectNothingDone(scene);
    });
  });

  it("[R128] answers a token that is no longer good with the new plan, and asks nobody", async () => {
    await withUser(async ({ client, id, user, project }) => {
      const token = tokenOf(await client.ok("preview_rollback", { checkpoint: id }));
      await project.repo.write("new.txt", "new\n");
      const moved = await client.call("roll_back", { checkpoint: id, confirm_token: token });
      expect(field(moved.document, "error", "details", "reason")).toBe("project_changed");
      const unknown = await client.call("roll_back", { checkpoint: id, confirm_token: "none" });
      expect(field(unknown.document, "error", "details", "reason")).toBe("token_unknown");
      expect(user.asked).toBe(0);
      await client.ok("roll_back", { checkpoint: id, confirm_token: tokenOf(moved) });
      expect(user.asked).toBe(0);
    });
  });
});

describe("commits that would leave a branch", () => {
  it("[R111] are decided about in a preview, too", async () => {
    await withSeed(async (project) => {
      const id = await project.create();
      await project.repo.git("commit", "-q", "--allow-empty", "-m", "later");
      await withClient(project.repo, {}, async (client) => {
        const open = await client.ok("preview_rollback", { checkpoint: id });
        expect(field(open.document, "confirm_token")).toBeUndefined();
        const given = { checkpoint: id, discard_commits: true };
        const plan = await client.ok("preview_rollback", given);
        await client.ok("roll_back", { ...given, confirm_token: tokenOf(plan) });
      });
    });
  });
});

describe("refusals", () => {
  it("are in the audit log as those of the command line are", async () => {
    await withSeed(async (project) => {
      const id = await project.create();
      await project.repo.write("b.txt", "later\n");
      await withClient(project.repo, { onAsked: () => DECLINE }, async (client) => {
        await client.refused("roll_back", { checkpoint: id });
        await client.refused("roll_back", { checkpoint: "no-such" });
        await client.refused("redo");
      });
      const stdout = (await project.ok("log", "--json")).stdout.toString();
      for (const code of ["needs_confirmation", "checkpoint_not_found", "nothing_to_redo"]) {
        expect(stdout).toContain(code);
      }
    });
  });
});
