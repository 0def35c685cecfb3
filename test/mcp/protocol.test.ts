/** What goes over the wire, whatever a client sends, and how the server ends. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { hasEnded } from "../support/has-ended.ts";
import { toolsOf } from "../../src/interfaces/mcp/tool-table.ts";
import { withDirty, withSeed } from "../spec/project.ts";
import { waymarkShellCommand } from "../support/cli.ts";
import { field, items, text } from "../support/json.ts";
import { runCommand } from "../support/run-command.ts";
import { runs } from "../support/sample.ts";
import { type RawServer, withRawServer } from "./raw-server.ts";

const NAMES = toolsOf(false).map(({ name }) => name);

/** Any JSON, and JSON that is nearly right. */
const anyArguments = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  fc.dictionary(
    fc.constantFrom(
      "checkpoint",
      "from",
      "to",
      "paths",
      "session",
      "state",
      "limit",
      "reason",
      "x",
    ),
    fc.oneof(
      fc.jsonValue({ maxDepth: 2 }),
      fc.constantFrom("latest", "", "../..", "\u0000", 1e308),
    ),
  ),
);

describe("whatever is sent", () => {
  it("[R114] any JSON as arguments is answered, and stdout has messages of the protocol only", async () => {
    await withDirty(async (project) => {
      await project.create();
      await withRawServer(project.repo, [], async (server) => {
        await server.initialize();
        let id = 0;
        const property = fc.asyncProperty(
          fc.constantFrom(...NAMES),
          anyArguments,
          async (name, given) => {
            id += 1;
            const call = id;
            server.send({ id: call, method: "tools/call", params: { name, arguments: given } });
            const answer = await server.answerTo(call);
            // A client that sends no object at all is refused by the protocol itself.
            const isAnswered = "result" in answer || "error" in answer;
            expect(isAnswered).toBe(true);
            expect(JSON.stringify(answer)).not.toContain("This is a bug");
          },
        );
        await fc.assert(property, { numRuns: runs(30) });
        expect(server.messages.every(({ jsonrpc }) => jsonrpc === "2.0")).toBe(true);
        expect(server.child.exitCode).toBeNull();
      });
    });
  });

  it("[R114] garbage between messages does no harm", async () => {
    await withDirty(async ({ repo }) => {
      await withRawServer(repo, [], async (server) => {
        server.write('\nnot json\n{"jsonrpc":"2.0"}\n[]\nnull\n{"a":\n\u0000\n');
        await server.initialize();
        server.write("garbage\n");
        const unread = await server.until(() => server.messages.find(({ id }) => id === null));
        expect(field(unread, "error", "code")).toBe(-32_700);
        server.send({ id: 1, method: "tools/list", params: {} });
        expect(items(await server.answerTo(1), "result", "tools").length).toBeGreaterThan(10);
        server.send({ id: 2, method: "no/such", params: {} });
        expect(field(await server.answerTo(2), "error", "code")).toBe(-32_601);
        expect(server.messages.every(({ jsonrpc }) => jsonrpc === "2.0")).toBe(true);
      });
    });
  });

  it("[R114] commands that a guard runs write neither to the protocol nor read from it", async () => {
    await withDirty(async ({ repo }) => {
      await withRawServer(repo, ["--allow-commands"], async (server) => {
        await server.initialize();
        const script = "echo noise; echo noise >&2; cat; echo $WAYMARK_MCP_TOKEN";
        const given = { command: ["sh", "-c", script], verify: ["echo more noise"] };
        server.send({
          id: 1,
          method: "tools/call",
          params: { name: "guard", arguments: given },
        });
        const answer = await server.answerTo(1);
        expect(field(answer, "result", "structuredContent", "passed")).toBe(true);
        expect(server.stdout).not.toContain("\nnoise");
      });
    });
  });
});

describe("the end of the server", () => {
  it("[R116] comes when the client closes its side, with exit code 0", async () => {
    await withSeed(async ({ repo }) => {
      await withRawServer(repo, [], async (server) => {
        await server.initialize();
        server.child.stdin.end();
        expect(await server.ended).toEqual({ code: 0 });
      });
    });
  });

  it("[R116] comes after a client that reads slowly has all that was answered", async () => {
    await withSeed(async ({ repo }) => {
      const asked = [
        {
          id: 1,
          method: "initialize",
          params: {
            protocolVersion: "2025-06-18",
            capabilities: {},
            clientInfo: { name: "slow", version: "1" },
          },
        },
        { method: "notifications/initialized" },
        { id: 2, method: "tools/list" },
      ].map((message) => JSON.stringify({ jsonrpc: "2.0", ...message }));
      // More than a pipe holds.
      const slowly = `{ cat; sleep 1; } | ${waymarkShellCommand("-C", repo.root, "mcp")} | { sleep 2; cat; }`;
      const { stdout } = await runCommand("sh", ["-c", slowly], {
        env: repo.env,
        input: `${asked.join("\n")}\n`,
      });
      const answers = stdout.toString("utf8").trimEnd().split("\n");
      expect(answers.map((line) => field(JSON.parse(line) as unknown, "id"))).toEqual([1, 2]);
    });
  });

  it("[R116] comes after every call is answered that was read before the end of the input", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      const clientInfo = { name: "file", version: "1" };
      const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo };
      const create = { name: "create_checkpoint", arguments: { reason: "from a file" } };
      const asked = [
        { id: 1, method: "initialize", params },
        { method: "notifications/initialized" },
        { id: 2, method: "tools/list" },
        { id: 3, method: "tools/call", params: create },
        { id: 4, method: "resources/list" },
        { id: 5, method: "tools/call", params: { name: "roll_back", arguments: {} } },
        { id: 6, method: "ping" },
      ].map((message) => JSON.stringify({ jsonrpc: "2.0", ...message }));
      await withRawServer(repo, [], async (server) => {
        // The last one without a line break, as some files end.
        server.child.stdin.end(asked.join("\n"));
        expect(await server.ended).toEqual({ code: 0 });
        const ids = server.messages.map(({ id }) => id);
        expect(ids).toHaveLength(6);
        expect(new Set(ids)).toEqual(new Set([1, 2, 3, 4, 5, 6]));
      });
      const { json } = await project.ok("list");
      expect(items(json, "checkpoints").map((one) => text(one, "reason"))).toEqual(["from a file"]);
    });
  });

  it("[R116] does not wait for the answer to a question that the client can no longer give", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      const id = await project.create();
      await repo.write("b.txt", "now\n");
      await withRawServer(repo, [], async (server) => {
        await server.initialize({ elicitation: {} });
        const params = { name: "roll_back", arguments: { checkpoint: id } };
        server.send({ id: 1, method: "tools/call", params });
        await server.until(() =>
          server.messages.find(({ method }) => method === "elicitation/create"),
        );
        server.child.stdin.end();
        expect(await server.ended).toEqual({ code: 0 });
      });
      expect((await repo.read("b.txt")).toString()).toBe("now\n");
    });
  });

  it("[R116] comes with a signal, with exit code 130", async () => {
    await withSeed(async ({ repo }) => {
      await withRawServer(repo, [], async (server) => {
        await server.initialize();
        server.child.kill("SIGTERM");
        expect(await server.ended).toEqual({ code: 130 });
        expect(server.stderr).toContain("interrupted by SIGTERM");
      });
    });
  });

  const ENDS: readonly (readonly [string, (server: RawServer) => unknown])[] = [
    ["the client goes away", (server) => server.child.stdin.end()],
    ["a signal comes", (server) => server.child.kill("SIGTERM")],
    [
      "the client no longer reads",
      (server) => (server.child.stdout.destroy(), server.child.stdin.end()),
    ],
    [
      "the call is cancelled",
      (server) => {
        server.send({ method: "notifications/cancelled", params: { requestId: "act" } });
        setTimeout(() => server.child.stdin.end(), 500);
      },
    ],
  ];

  it.each(ENDS)("[R116] leaves a rollback done or not begun when %s", async (_, end) => {
    for (const delay of [0, 150, 350]) {
      await withSeed(async (project) => {
        const { repo } = project;
        for (let at = 0; at < 40; at++) await repo.write(`many/${at}.txt`, "then\n");
        const id = await project.create();
        for (let at = 0; at < 40; at++) await repo.write(`many/${at}.txt`, "now\n");
        await withRawServer(repo, [], async (server) => {
          await server.initialize();
          const call = (name: string, given: Record<string, unknown>): void =>
            server.send({
              id: name === "roll_back" && "confirm_token" in given ? "act" : "plan",
              method: "tools/call",
              params: { name, arguments: given },
            });
          call("roll_back", { checkpoint: id });
          const plan = field(await server.answerTo("plan"), "result", "structuredContent");
          call("roll_back", { checkpoint: id, confirm_token: text(plan, "confirm_token") });
          await new Promise((resolve) => setTimeout(resolve, delay));
          end(server);
          await server.ended;
        });
        const contents = new Set<string>();
        for (let at = 0; at < 40; at++)
          contents.add((await repo.read(`many/${at}.txt`)).toString());
        expect(contents.size).toBe(1);
        const list = await project.ok("list");
        expect(field(list.json, "unfinished_rollback")).toBeNull();
        expect(await repo.exists(".git/index.lock")).toBe(false);
      });
    }
  });

  it("[R116] ends what a guard runs, and rolls it back", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      await withRawServer(repo, ["--allow-commands"], async (server) => {
        await server.initialize();
        const given = {
          command: ["sh", "-c", "echo made > made.txt; echo $$ > ../pid; sleep 600"],
        };
        server.send({ id: 1, method: "tools/call", params: { name: "guard", arguments: given } });
        while (!(await repo.exists("../pid"))) await new Promise((go) => setTimeout(go, 20));
        server.child.stdin.end();
        expect(await server.ended).toEqual({ code: 0 });
      });
      expect(await repo.exists("made.txt")).toBe(false);
      const pid = Number((await repo.read("../pid")).toString());
      expect(hasEnded(pid)).toBe(true);
    });
  });
});

describe("the project that is served", () => {
  it("is that of CLAUDE_PROJECT_DIR where the server is started elsewhere", async () => {
    await withDirty(async (project) => {
      const id = await project.create();
      const elsewhere = project.repo.at("home");
      const env = { CLAUDE_PROJECT_DIR: project.repo.root };
      await withRawServer(
        elsewhere,
        [],
        async (server) => {
          await server.initialize();
          server.send({
            id: 1,
            method: "tools/call",
            params: { name: "list_checkpoints", arguments: {} },
          });
          expect(JSON.stringify(await server.answerTo(1))).toContain(id);
        },
        env,
      );
    });
  });
});
