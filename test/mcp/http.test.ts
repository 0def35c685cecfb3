/** The server on loopback: who gets in, and who does not. */
import { request } from "node:http";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { describe, expect, it } from "vitest";
import { withDirty, type RuleProject } from "../spec/project.ts";
import { field, text } from "../support/json.ts";
import { ERAS, eraOptions, TestClient, tokenOf } from "./client.ts";
import { withRawServer, type RawServer } from "./raw-server.ts";

interface Place {
  readonly url: URL;
  readonly token: string;
  readonly server: RawServer;
}

async function withHttp(
  body: (place: Place, project: RuleProject) => Promise<void>,
  env?: NodeJS.ProcessEnv,
): Promise<void> {
  await withDirty(async (project) => {
    await withRawServer(
      project.repo,
      ["--http", "--allow-commands"],
      async (server) => {
        const found = await server.until(
          () => /listening on (\S+)\n.*token: (.+)\n/.exec(server.stderr) ?? undefined,
        );
        const [, url = "", token = ""] = found;
        await body({ url: new URL(url), token, server }, project);
      },
      env,
    );
  });
}

interface Answer {
  readonly status: number;
  readonly body: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

const LIST = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list", params: {} });

function post(
  url: URL,
  headers: Readonly<Record<string, string>>,
  body = LIST,
  method = "POST",
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request(
      url,
      {
        method,
        headers: {
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
          ...headers,
        },
      },
      (response) => {
        const pieces: Buffer[] = [];
        response.on("data", (piece: Buffer) => pieces.push(piece));
        response.on("end", () =>
          resolve({
            status: response.statusCode ?? 0,
            body: Buffer.concat(pieces).toString(),
            headers: response.headers,
          }),
        );
      },
    );
    sent.on("error", reject);
    sent.end(body);
  });
}

describe("over HTTP", () => {
  it.each(ERAS)("a client of the %s era rolls back with a token", async (era) => {
    await withHttp(async ({ url, token }, project) => {
      const id = await project.create();
      await project.repo.write("b.txt", "later\n");
      const client = new Client({ name: "codex-mcp-client", version: "1" }, eraOptions(era));
      const headers = { authorization: `Bearer ${token}` };
      const transport = new StreamableHTTPClientTransport(url, { requestInit: { headers } });
      await client.connect(transport);
      const tester = new TestClient(client, null);
      const plan = await tester.ok("roll_back", { checkpoint: id });
      const done = await tester.ok("roll_back", { checkpoint: id, confirm_token: tokenOf(plan) });
      expect(text(done.document, "restored_to")).toBe(id);
      expect((await project.repo.read("b.txt")).toString()).not.toBe("later\n");
      await client.close();
    });
  });

  it("[R115] nobody gets in without the token, from another name, or from a web page", async () => {
    await withHttp(async ({ url, token }) => {
      const authorization = `Bearer ${token}`;
      expect((await post(url, { authorization })).status).toBe(200);
      for (const headers of [
        {},
        { authorization: "Bearer " },
        { authorization: "Bearer wrong" },
        { authorization: `Bearer ${token}x` },
        { authorization: `Bearer ${token.slice(0, -1)}` },
        { authorization: token },
        { authorization: `Basic ${Buffer.from(`x:${token}`).toString("base64")}` },
      ]) {
        const answer = await post(url, headers);
        expect(answer.status).toBe(401);
        expect(answer.headers["www-authenticate"]).toContain("Bearer");
        expect(answer.body).not.toContain(token);
      }
      for (const headers of [
        { authorization, host: "evil.example" },
        { authorization, host: "evil.example:80" },
        { authorization, host: "127.0.0.1.evil.example" },
        { authorization, origin: "https://evil.example" },
        { authorization, origin: "http://localhost.evil.example" },
        { authorization, origin: "null" },
      ]) {
        expect((await post(url, headers)).status).toBe(403);
      }
      const elsewhere = new URL("/other", url);
      expect((await post(elsewhere, { authorization })).status).toBe(404);
      expect((await post(elsewhere, {})).status).toBe(401);
      const preflight = await post(url, { origin: "http://localhost:3000" }, "", "OPTIONS");
      expect(preflight.headers["access-control-allow-origin"]).toBeUndefined();
      const allowed = await post(url, { authorization, origin: "http://localhost:3000" });
      expect(allowed.headers["access-control-allow-origin"]).toBeUndefined();
    });
  });

  it("[R115] what is too large or no JSON is refused, and the server goes on", async () => {
    await withHttp(async ({ url, token }) => {
      const authorization = `Bearer ${token}`;
      const large = JSON.stringify({ x: "y".repeat(5 * 1024 * 1024) });
      const answer = await post(url, { authorization }, large).catch(() => ({ status: 413 }));
      expect(answer.status).toBe(413);
      expect((await post(url, { authorization }, "{")).status).toBe(400);
      expect((await post(url, { authorization, "content-type": "text/plain" })).status).toBe(415);
      expect((await post(url, { authorization })).status).toBe(200);
    });
  });

  it("[R115] listens on this machine only, and the token is in no list of processes, answer or child", async () => {
    await withHttp(async ({ url, token, server }) => {
      expect(url.hostname).toBe("127.0.0.1");
      const { readFileSync } = await import("node:fs");
      const pid = server.child.pid ?? 0;
      expect(readFileSync(`/proc/${pid}/cmdline`, "utf8")).not.toContain(token);
      expect(server.stderr.split(token)).toHaveLength(2);
      expect(server.stdout).toBe("");
    });
  });

  const GIVEN = "a-token-that-somebody-chose-0123456789";

  it("[R115] takes the token of the environment, says it nowhere, and keeps it from commands", async () => {
    await withHttp(
      async ({ url, server }) => {
        const authorization = `Bearer ${GIVEN}`;
        const guarded = async (line: string): Promise<unknown> => {
          const call = {
            jsonrpc: "2.0",
            id: 1,
            method: "tools/call",
            params: { name: "guard", arguments: { command: ["sh", "-c", line] } },
          };
          const answer = await post(url, { authorization }, JSON.stringify(call));
          const [, data = answer.body] = /^data: (.*)$/m.exec(answer.body) ?? [];
          return JSON.parse(data);
        };
        const result = await guarded('test -z "$WAYMARK_MCP_TOKEN"');
        expect(field(result, "result", "structuredContent", "passed")).toBe(true);
        // Whoever runs as the same user finds it somewhere.
        const found = await guarded(`printf 'A=1\\0X=${GIVEN}\\0'; exit 1`);
        expect(field(found, "result", "structuredContent", "passed")).toBe(false);
        expect(
          JSON.stringify(field(found, "result", "structuredContent", "failed_output")),
        ).not.toContain(GIVEN);
        expect(server.stderr).not.toContain(GIVEN);
      },
      { WAYMARK_MCP_TOKEN: GIVEN },
    );
  });

  it("refuses a weak token, a port in use and a port that is none", async () => {
    await withHttp(async ({ url }, project) => {
      const weak = await withExit(project, ["--http"], { WAYMARK_MCP_TOKEN: "short" });
      expect(weak).toEqual({ code: 2, says: expect.stringContaining("too short") as unknown });
      const used = await withExit(project, ["--http", url.port]);
      expect(used).toEqual({ code: 1, says: expect.stringContaining("cannot be used") as unknown });
      const none = await withExit(project, ["--http", "99999"]);
      expect(none.code).toBe(2);
    });
  });
});

async function withExit(
  project: RuleProject,
  args: readonly string[],
  env?: NodeJS.ProcessEnv,
): Promise<{ readonly code: number | null; readonly says: string }> {
  let found: { code: number | null; says: string } = { code: null, says: "" };
  await withRawServer(
    project.repo,
    args,
    async (server) => {
      const { code } = await server.ended;
      found = { code, says: server.stderr };
    },
    env,
  );
  return found;
}
