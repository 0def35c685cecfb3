/** Taking back one session's work by the tools, in a folder where others work too. */
import { describe, expect, it } from "vitest";
import { ALICE, BOB, ten, withSharedTree } from "../selective/shared-tree.ts";
import { problemsWith } from "../cli/schema-check.ts";
import { field, items, text } from "../support/json.ts";
import { tokenOf, withClient } from "./client.ts";

describe("taking back what one session did", () => {
  it("[R111] shows the plan, acts with its token, keeps what others did, and can be undone", async () => {
    await withSharedTree(async (tree) => {
      await tree.writes(ALICE, "shared.txt", ten({ 1: "alice" }));
      await tree.writes(BOB, "shared.txt", ten({ 1: "alice", 8: "bob" }));
      await withClient(tree.repo, {}, async (client) => {
        const given = { only_session: ALICE };
        const plan = await client.ok("preview_rollback", given);
        expect(problemsWith(plan.document, "rollback_plan")).toEqual([]);
        expect(plan.said).toContain("~ shared.txt (changes of others are kept)");
        const done = await client.ok("roll_back", { ...given, confirm_token: tokenOf(plan) });
        expect(problemsWith(done.document, "rollback")).toEqual([]);
        expect(done.said).toContain("files: 1 restored");
        expect(await tree.read("shared.txt")).toBe(ten({ 8: "bob" }));
        const undo = await client.ok("undo");
        await client.ok("undo", { confirm_token: tokenOf(undo) });
        expect(await tree.read("shared.txt")).toBe(ten({ 1: "alice", 8: "bob" }));
      });
    });
  });

  it("[R112] refuses when one of the files changed since the plan, and not for others", async () => {
    await withSharedTree(async (tree) => {
      await tree.writes(ALICE, "shared.txt", ten({ 1: "alice" }));
      await withClient(tree.repo, {}, async (client) => {
        const given = { only_session: ALICE };
        const plan = await client.ok("roll_back", given);
        await tree.writes(BOB, "shared.txt", ten({ 1: "alice", 8: "bob" }));
        const moved = await client.call("roll_back", { ...given, confirm_token: tokenOf(plan) });
        expect(field(moved.document, "error", "details", "reason")).toBe("project_changed");
        expect(await tree.read("shared.txt")).toBe(ten({ 1: "alice", 8: "bob" }));
        await tree.repo.write("elsewhere.txt", "by somebody else\n");
        await client.ok("roll_back", { ...given, confirm_token: tokenOf(moved) });
        expect(await tree.read("shared.txt")).toBe(ten({ 8: "bob" }));
        expect(await tree.read("elsewhere.txt")).toBe("by somebody else\n");
      });
    });
  });

  it("takes whole files only with only_paths_of, and refuses what makes no sense", async () => {
    await withSharedTree(async (tree) => {
      await tree.writes(ALICE, "shared.txt", ten({ 1: "alice" }));
      await tree.writes(BOB, "shared.txt", ten({ 1: "alice", 8: "bob" }));
      await tree.writes(ALICE, "own.txt", "alice\n");
      await withClient(tree.repo, {}, async (client) => {
        const plan = await client.ok("preview_rollback", { only_paths_of: ALICE });
        expect(items(plan.document, "selective", "taken_back")).toEqual(["own.txt"]);
        for (const given of [
          {},
          { only_session: ALICE, only_paths_of: ALICE },
          { only_session: ALICE, discard_commits: true },
          { only_session: ALICE, state_only: true },
        ]) {
          expect(await client.refused("roll_back", given)).toBe("usage");
        }
        const none = await client.ok("preview_rollback", { only_session: ALICE, paths: ["no"] });
        expect(field(none.document, "confirm_token")).toBeUndefined();
        const nobody = await client.call("roll_back", { only_session: "nobody" });
        expect(text(nobody.document, "error", "code")).toBe("session_not_found");
      });
    });
  });
});
