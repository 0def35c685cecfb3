/** As much of GitHub's API as `gh issue view` asks for, on a socket, and the environment that leads gh there. */
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { join } from "node:path";
import type { ServedIssue } from "../../src/ports/issues.suite.ts";
import { hasProgram } from "./find-program.ts";

/** Undefined: it is there. Otherwise why its tests cannot run, printed once, so that nobody takes skipped tests for passed ones. */
export function whyNoGh(): string | undefined {
  if (hasProgram("gh")) return undefined;
  const reason = "skipped: gh not found; `npm run test:gh` installs it";
  process.stderr.write(`tests with the real gh are ${reason}\n`);
  return reason;
}

export class FakeGithub {
  readonly #server: Server;
  readonly #socket: string;
  readonly env: NodeJS.ProcessEnv;
  /** Bodies of the requests so far. */
  readonly requests: string[] = [];
  issue: ServedIssue | undefined;
  /** Answers with this status in place of an issue. */
  status = 200;
  isSilent = false;

  constructor(folder: string) {
    this.#socket = join(folder, "api.sock");
    const config = join(folder, "gh");
    mkdirSync(config);
    writeFileSync(join(config, "config.yml"), `http_unix_socket: ${this.#socket}\n`);
    this.env = { ...process.env, GH_CONFIG_DIR: config, GH_TOKEN: "not-a-token" };
    this.#server = createServer((request, response) => {
      let body = "";
      request.setEncoding("utf8").on("data", (text: string) => (body += text));
      request.on("end", () => {
        this.requests.push(body);
        if (this.isSilent) return;
        response.writeHead(this.status, { "content-type": "application/json" });
        response.end(JSON.stringify(this.status === 200 ? this.#answer() : { message: "no" }));
      });
    });
  }

  async listen(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(this.#socket, resolve));
    return this;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  #answer(): unknown {
    const { issue } = this;
    if (issue === undefined) {
      const message = "Could not resolve to an issue or pull request with the number of 42.";
      const errors = [{ type: "NOT_FOUND", path: ["repository", "issue"], message }];
      return { data: { repository: { hasIssuesEnabled: true, issue: null } }, errors };
    }
    const list = (key: string, names: readonly string[]): unknown => ({
      nodes: names.map((name, at) => ({ id: `${key}-${at}`, [key]: name })),
      totalCount: names.length,
    });
    const answer = {
      __typename: "Issue",
      id: "I_42",
      number: 42,
      title: issue.title,
      body: issue.body,
      state: issue.state,
      url: "https://github.com/acme/shop/issues/42",
      labels: list("name", issue.labels),
      assignees: list("login", issue.assignees),
    };
    return { data: { repository: { hasIssuesEnabled: true, issue: answer } } };
  }
}
