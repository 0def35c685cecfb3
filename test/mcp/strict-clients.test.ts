/** Clients that check answers by the listed schemas, as version 1 of the SDK does with errors, too: they show every answer and every refusal. */
import { Client as FirstClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as FirstTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { describe, expect, it } from "vitest";
import { toolsOf } from "../../src/interfaces/mcp/tool-table.ts";
import { withSeed, type RuleProject } from "../spec/project.ts";
import { field, text } from "../support/json.ts";
import { ERAS, serverOf, withClient } from "./client.ts";

interface Said {
  readonly isError: boolean;
  readonly text: string;
  readonly document: unknown;
}

type Call = (name: string, given?: Record<string, unknown>) => Promise<Said>;

const ARGS = ["--allow-commands"];

async function withFirstSdk({ repo }: RuleProject, body: (call: Call) => Promise<void>) {
  const client = new FirstClient({ name: "gemini-cli", version: "1.0.0" });
  await client.connect(new FirstTransport(serverOf(repo, { args: ARGS })));
  try {
    // It checks only answers of tools that it has listed.
    await client.listTools();
    await body(async (name, given = {}) => {
      const result = await client.callTool({ name, arguments: given });
      const [first] = result.content as readonly unknown[];
      const document = result["structuredContent"];
      return { isError: result.isError === true, text: text(first, "text"), document };
    });
  } finally {
    await client.close();
  }
}

const CLIENTS = [
  { title: "version 1", use: withFirstSdk },
  ...ERAS.map((era) => ({
    title: `version 2, ${era} era`,
    use: ({ repo }: RuleProject, body: (call: Call) => Promise<void>) =>
      withClient(repo, { era, args: ARGS }, async ({ client }) => {
        await client.listTools();
        await body(async (name, given = {}) => {
          const { isError, content, structuredContent } = await client.callTool({
            name,
            arguments: given,
          });
          const [first] = content;
          return {
            isError: isError === true,
            text: first?.type === "text" ? first.text : "",
            document: structuredContent,
          };
        });
      }),
  })),
];

/** One refusal of each tool, and what it has to say. */
const REFUSALS: Readonly<Record<string, readonly [Record<string, unknown>, RegExp]>> = {
  create_checkpoint: [{ expires: "soon" }, /^usage: expires: /],
  list_checkpoints: [{ trigger: "nope" }, /^usage: /],
  show_checkpoint: [{ checkpoint: "nope" }, /^checkpoint_not_found: /],
  diff_checkpoints: [{ from: "nope" }, /^checkpoint_not_found: /],
  preview_rollback: [{ checkpoint: "nope" }, /^checkpoint_not_found: /],
  roll_back: [{ checkpoint: "nope" }, /^checkpoint_not_found: /],
  undo: [{}, /^nothing_to_undo: /],
  redo: [{}, /^nothing_to_redo: /],
  validate_checkpoints: [{ checkpoints: ["nope"] }, /^checkpoint_not_found: /],
  save_session: [{ state: { a: 1 } }, /^session_not_found: /],
  show_session: [{ session: "nope" }, /^session_not_found: /],
  list_sessions: [{ nope: true }, /^usage: /],
  resume_info: [{}, /^session_not_found: /],
  guard: [{ command: [] }, /^usage: /],
};

describe.each(CLIENTS)("a client of the SDK, $title", ({ use }) => {
  it("shows message and hint of every tool's refusals", async () => {
    await withSeed(async (project) => {
      await project.create();
      await use(project, async (call) => {
        for (const { name } of toolsOf(true)) {
          const [given = {}, words = /./] = REFUSALS[name] ?? [];
          const said = await call(name, given);
          expect([name, said.isError]).toEqual([name, true]);
          expect(said.text).toMatch(words);
          const hint = text(said.document, "error", "hint");
          expect(hint).toMatch(/\w/);
          expect(said.text).toContain(hint);
        }
      });
    });
  });

  it("shows the new plan when the project has changed since the confirmed one", async () => {
    await withSeed(async (project) => {
      const id = await project.create();
      await project.repo.write("b.txt", "later\n");
      await use(project, async (call) => {
        const plan = await call("preview_rollback", { checkpoint: id });
        await project.repo.write("new.txt", "new\n");
        const confirm_token = text(plan.document, "confirm_token");
        const refused = await call("roll_back", { checkpoint: id, confirm_token });
        expect(refused.isError).toBe(true);
        expect(refused.text).toMatch(/^needs_confirmation: the project changed/);
        expect(refused.text).toContain("new.txt");
        const token = text(refused.document, "plan_now", "confirm_token");
        expect(refused.text).toContain(`confirm_token: ${token}`);
        const done = await call("roll_back", { checkpoint: id, confirm_token: token });
        expect([done.isError, field(done.document, "kind")]).toEqual([false, "rollback"]);
      });
    });
  });

  it("shows the answers of every tool", async () => {
    await withSeed(async (project) => {
      await project.ok("session", "start", "--type", "implement");
      await use(project, async (call) => {
        const ok = async (name: string, given?: Record<string, unknown>): Promise<unknown> => {
          const said = await call(name, given);
          expect([name, said.isError, said.text]).toEqual([name, false, expect.anything()]);
          return said.document;
        };
        const created = await ok("create_checkpoint", { reason: "good", state: { count: 1 } });
        const checkpoint = text(created, "checkpoint", "id");
        await project.repo.write("b.txt", "later\n");
        await ok("list_checkpoints");
        await ok("show_checkpoint", { checkpoint });
        await ok("diff_checkpoints", { from: checkpoint, patch: true });
        const plan = await ok("preview_rollback", { checkpoint });
        await ok("roll_back", { checkpoint, confirm_token: text(plan, "confirm_token") });
        for (const name of ["undo", "redo"]) {
          const shown = await ok(name, { preview: true });
          await ok(name, { confirm_token: text(shown, "confirm_token") });
        }
        await ok("validate_checkpoints");
        await ok("save_session", { state: { a: 1 }, phase: "implement", checkpoint: true });
        await ok("show_session");
        await ok("list_sessions");
        await ok("resume_info");
        await ok("guard", { command: ["true"], verify: ["true"] });
      });
    });
  });
});
