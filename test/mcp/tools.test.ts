/** Every tool, called by a real client in both eras of the protocol. */
import { describe, expect, it } from "vitest";
import { toolsOf } from "../../src/interfaces/mcp/tool-table.ts";
import { problemsWith } from "../cli/schema-check.ts";
import { TOKEN } from "../secrets/fake-secrets.ts";
import { withDirty, withSeed, type RuleProject } from "../spec/project.ts";
import { field, items, text } from "../support/json.ts";
import { ERAS, tokenOf, withClient, type ToolReply } from "./client.ts";

function expectDocument(reply: ToolReply, kind: string): void {
  expect(text(reply.document, "kind")).toBe(kind);
  expect(problemsWith(reply.document, kind)).toEqual([]);
  expect(reply.said).not.toBe("");
}

async function startSession(project: RuleProject): Promise<string> {
  const started = await project.ok("session", "start", "--type", "implement");
  return text(started.json, "session", "id");
}

describe.each(ERAS)("a client of the %s era", (era) => {
  it("lists tools with schemas, titles and annotations that say what they do", async () => {
    await withSeed(async ({ repo }) => {
      await withClient(repo, { era, args: ["--allow-commands"] }, async ({ client }) => {
        const { tools } = await client.listTools();
        expect(tools.map(({ name }) => name)).toEqual(toolsOf(true).map(({ name }) => name));
        for (const { name, title, description, inputSchema, outputSchema, annotations } of tools) {
          expect(name).toMatch(/^[a-z_]+$/);
          expect(title).toMatch(/\w/);
          expect(description?.length).toBeGreaterThan(50);
          expect(inputSchema).toMatchObject({ type: "object", additionalProperties: false });
          expect(outputSchema).toMatchObject({ type: "object" });
          const changes = ["roll_back", "undo", "redo", "guard", "save_session"].includes(name);
          expect(annotations?.destructiveHint).toBe(changes);
          expect(annotations?.readOnlyHint).toBe(/^(?:list|show|diff|preview|resume)_/.test(name));
        }
      });
    });
  });

  it("gets the documents of the command line", async () => {
    await withDirty(async (project) => {
      const { repo } = project;
      await withClient(repo, { era, args: ["--allow-commands"] }, async (client) => {
        const created = await client.ok("create_checkpoint", {
          reason: "before",
          state: { count: 1, list: [1, { deep: true }] },
          metrics: { tests: 3 },
        });
        expectDocument(created, "checkpoint_created");
        const by = field(created.document, "checkpoint", "created_by");
        expect(field(by, "agent")).toBe("claude");
        const id = text(created.document, "checkpoint", "id");
        await repo.write("b.txt", "changed\n");
        expectDocument(await client.ok("list_checkpoints"), "checkpoint_list");
        expectDocument(await client.ok("show_checkpoint", { checkpoint: id }), "checkpoint");
        const diff = await client.ok("diff_checkpoints", { from: id, patch: true });
        expectDocument(diff, "diff");
        expect(text(diff.document, "patch")).toContain("+changed");
        expectDocument(await client.ok("preview_rollback", { checkpoint: id }), "rollback_plan");
        const plan = await client.ok("roll_back", { checkpoint: id });
        expectDocument(plan, "rollback_plan");
        const done = await client.ok("roll_back", { checkpoint: id, confirm_token: tokenOf(plan) });
        expectDocument(done, "rollback");
        expect(done.said).toContain(text(done.document, "undo_checkpoint_id"));
        const undo = await client.ok("undo");
        expectDocument(undo, "rollback_plan");
        expectDocument(await client.ok("undo", { confirm_token: tokenOf(undo) }), "rollback");
        const redo = await client.ok("redo");
        expectDocument(redo, "rollback_plan");
        expectDocument(await client.ok("redo", { confirm_token: tokenOf(redo) }), "rollback");
        expectDocument(await client.ok("validate_checkpoints"), "validation");
        const guard = await client.ok("guard", {
          command: ["sh", "-c", "echo made > made.txt; echo told; exit 3"],
          verify: ["true"],
        });
        expectDocument(guard, "guard");
        expect(field(guard.document, "rolled_back")).toBe(true);
        expect(text(guard.document, "failed_output")).toContain("told");
        expect((await repo.tryGit(["status", "--porcelain", "made.txt"])).stdout.toString()).toBe(
          "",
        );
      });
    });
  });

  it("saves, shows and lists sessions, and looks whether one can be resumed", async () => {
    await withDirty(async (project) => {
      const session = await startSession(project);
      await withClient(project.repo, { era }, async (client) => {
        const saved = await client.ok("save_session", {
          state: { a: 1, b: { c: 2 } },
          phase: "implement",
          checkpoint: true,
          reason: "half way",
        });
        expectDocument(saved, "session_change");
        const merged = await client.ok("save_session", { state: { b: { d: 3 } }, merge: true });
        expectDocument(merged, "session_change");
        const shown = await client.ok("show_session", { session });
        expectDocument(shown, "session");
        expect(field(shown.document, "session", "state")).toEqual({ a: 1, b: { c: 2, d: 3 } });
        expectDocument(await client.ok("list_sessions"), "session_list");
        expectDocument(await client.ok("resume_info", { session }), "resume_plan");
      });
    });
  });

  it("brings state back with the files, and takes none that holds a secret", async () => {
    await withDirty(async ({ repo }) => {
      await withClient(repo, { era }, async (client) => {
        const first = await client.ok("create_checkpoint", { state: { phase: 1 } });
        const id = text(first.document, "checkpoint", "id");
        await client.ok("create_checkpoint", { state: { phase: 2 } });
        const plan = await client.ok("roll_back", { checkpoint: id, state_only: true });
        const again = { checkpoint: id, state_only: true, confirm_token: tokenOf(plan) };
        await client.ok("roll_back", again);
        const shown = await client.ok("diff_checkpoints", { from: id });
        expect(items(shown.document, "state")).toEqual([]);
        const before = await client.ok("list_checkpoints");
        const secret = await client.call("create_checkpoint", { state: { token: TOKEN } });
        expect(secret.isError).toBe(true);
        expect((await client.ok("list_checkpoints")).said).toBe(before.said);
      });
    });
  });

  it("reads resources, completes their ids and gets prompts", async () => {
    await withDirty(async (project) => {
      const id = await project.create();
      const session = await startSession(project);
      await withClient(project.repo, { era }, async ({ client }) => {
        const { resources } = await client.listResources();
        const uris = resources.map(({ uri }) => uri);
        expect(uris).toContain("waymark://checkpoints");
        expect(uris).toContain("waymark://sessions");
        expect(uris).toContain(`waymark://session/${session}`);
        for (const [uri, kind] of [
          ["waymark://checkpoints", "checkpoint_list"],
          [`waymark://checkpoint/${id}`, "checkpoint"],
          ["waymark://sessions", "session_list"],
          [`waymark://session/${session}`, "session"],
        ] as const) {
          const [content] = (await client.readResource({ uri })).contents;
          const document: unknown = JSON.parse(
            content !== undefined && "text" in content ? content.text : "",
          );
          expect(problemsWith(document, kind)).toEqual([]);
        }
        await expect(client.readResource({ uri: "waymark://checkpoint/nope" })).rejects.toThrow(
          /checkpoint_not_found/,
        );
        const { completion } = await client.complete({
          ref: { type: "ref/resource", uri: "waymark://checkpoint/{id}" },
          argument: { name: "id", value: id.slice(0, 8) },
        });
        expect(completion.values).toEqual([id]);
        const { prompts } = await client.listPrompts();
        for (const { name, description } of prompts) {
          expect(description).toMatch(/\w/);
          const { messages } = await client.getPrompt({ name, arguments: {} });
          expect(messages).toHaveLength(1);
        }
        expect(prompts).toHaveLength(3);
      });
    });
  });
});

describe("a checkpoint of what did not change", () => {
  it("is not taken twice, as on the command line, also with a reason; with a name or a pin it is", async () => {
    await withSeed(async ({ repo }) => {
      await withClient(repo, {}, async (client) => {
        const first = await client.ok("create_checkpoint");
        const second = await client.ok("create_checkpoint");
        expect(field(second.document, "unchanged")).toBe(true);
        expect(text(second.document, "checkpoint", "id")).toBe(
          text(first.document, "checkpoint", "id"),
        );
        const unchanged = async (given: object): Promise<unknown> =>
          field((await client.ok("create_checkpoint", { ...given })).document, "unchanged");
        expect(await unchanged({ reason: "before the upgrade" })).toBe(true);
        expect(await unchanged({ name: "upgrade" })).toBe(false);
        expect(await unchanged({ pin: true })).toBe(false);
      });
    });
  });
});

describe("what is refused", () => {
  it("is an error document with a hint", async () => {
    await withSeed(async ({ repo }) => {
      await withClient(repo, {}, async (client) => {
        for (const [name, given, code] of [
          ["show_checkpoint", { checkpoint: "nope" }, "checkpoint_not_found"],
          ["roll_back", { checkpoint: "latest", file_only: true }, "usage"],
          ["roll_back", {}, "usage"],
          ["create_checkpoint", { scope: ["/etc/hosts"] }, "usage"],
          ["create_checkpoint", { scope: ["nowhere"] }, "usage"],
          ["create_checkpoint", { scope: ["a\0b"] }, "usage"],
          ["save_session", { state: JSON.parse('{"a": {"__proto__": 1}}') as unknown }, "usage"],
          ["create_checkpoint", { expires: "soon" }, "usage"],
          ["create_checkpoint", { reason: "x".repeat(1001) }, "usage"],
          ["create_checkpoint", { state_keys: ["a"] }, "usage"],
          ["diff_checkpoints", { from: "latest", paths: ["../x"] }, "usage"],
          ["undo", {}, "nothing_to_undo"],
          ["redo", {}, "nothing_to_redo"],
          ["save_session", { state: 1 }, "usage"],
          ["save_session", { state: { a: 1 } }, "session_not_found"],
          ["resume_info", {}, "session_not_found"],
        ] as const) {
          const reply = await client.call(name, given);
          expect([name, text(reply.document, "error", "code")]).toEqual([name, code]);
          expect(problemsWith(reply.document, "error")).toEqual([]);
          expect(text(reply.document, "error", "hint")).toMatch(/\w/);
          expect(reply.said).not.toMatch(/(?<!`waymark [^`]*)--[a-z]/);
          expect(reply.isError).toBe(true);
        }
      });
    });
  });

  it("is the tool that runs commands, unless whoever started the server allows it", async () => {
    await withSeed(async ({ repo }) => {
      await withClient(repo, {}, async ({ client }) => {
        const { tools } = await client.listTools();
        expect(tools.map(({ name }) => name)).not.toContain("guard");
        await expect(
          client.callTool({ name: "guard", arguments: { command: ["true"] } }),
        ).rejects.toThrow(/not found/);
      });
    });
  });
});

describe("which project is served", () => {
  it("is that of --root, else of CLAUDE_PROJECT_DIR, else of the folder", async () => {
    await withDirty(async (project) => {
      const id = await project.create();
      const { repo } = project;
      await withClient(repo.at("home"), { args: ["--root", repo.root] }, async (client) => {
        expect((await client.ok("list_checkpoints")).said).toContain(id);
      });
      await withClient(repo.at("home"), {}, async (client) => {
        expect(await client.refused("list_checkpoints")).toBe("not_a_repository");
      });
    });
  });
});
