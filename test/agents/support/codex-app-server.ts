/**
 * Codex as an editor talks to it: JSON-RPC, one message per line. It says what `codex exec` keeps to itself: which hooks there are, whether they are
 * trusted, and what they told the user.
 */
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { agentCommand } from "../../../scripts/agent-packages.mjs";
import { field, items, text } from "../../support/json.ts";
import type { AgentProject } from "./agent-project.ts";
import { CODEX_MODEL, codexSettings } from "./drivers/codex.ts";

export interface CodexHook {
  readonly key: string;
  readonly command: string;
  readonly eventName: string;
  readonly currentHash: string;
  readonly trustStatus: string;
}

/** What Codex writes into its settings when the user trusts hooks. */
export function trust(hooks: readonly CodexHook[]): string {
  const entries = hooks.map(
    ({ key, currentHash }) =>
      `[hooks.state.${JSON.stringify(key)}]\ntrusted_hash = "${currentHash}"\n`,
  );
  return entries.join("");
}

export class CodexAppServer {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #project: AgentProject;
  readonly #answers = new Map<number, (message: unknown) => void>();
  #turnEnded: (() => void) | undefined;
  #requests = 0;
  /** What hooks told the user, oldest first. */
  readonly hookMessages: string[] = [];

  private constructor(project: AgentProject, modelUrl: string) {
    this.#project = project;
    const [program, ...words] = agentCommand("codex");
    const settings = codexSettings(modelUrl).flatMap((setting) => ["-c", setting]);
    this.#child = spawn(program, [...words, ...settings, "app-server"], {
      cwd: project.repo.root,
      env: { ...project.env, SCRIPTED_KEY: "not-a-key" },
    });
    createInterface({ input: this.#child.stdout }).on("line", (line) => this.#receive(line));
  }

  static async start(project: AgentProject, modelUrl: string): Promise<CodexAppServer> {
    const server = new CodexAppServer(project, modelUrl);
    await server.#ask("initialize", { clientInfo: { name: "test", version: "1" } });
    server.#send({ method: "initialized" });
    return server;
  }

  async hooks(): Promise<readonly CodexHook[]> {
    const answer = await this.#ask("hooks/list", { cwds: [this.#project.repo.root] });
    return items(answer, "data").flatMap((folder) =>
      items(folder, "hooks").map((hook) => ({
        key: text(hook, "key"),
        command: text(hook, "command"),
        eventName: text(hook, "eventName"),
        currentHash: text(hook, "currentHash"),
        trustStatus: text(hook, "trustStatus"),
      })),
    );
  }

  /** One prompt, to its end. */
  async turn(prompt: string): Promise<void> {
    const how = { approvalPolicy: "never", sandbox: "danger-full-access", model: CODEX_MODEL };
    const answer = await this.#ask("thread/start", { cwd: this.#project.repo.root, ...how });
    const ended = new Promise<void>((resolve) => (this.#turnEnded = resolve));
    const input = [{ type: "text", text: prompt, text_elements: [] }];
    await this.#ask("turn/start", { threadId: text(answer, "thread", "id"), input });
    await ended;
  }

  async stop(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#child.on("close", () => resolve()));
    this.#child.stdin.end();
    const killer = setTimeout(() => this.#child.kill("SIGKILL"), 5000);
    await closed;
    clearTimeout(killer);
  }

  #ask(method: string, params: unknown): Promise<unknown> {
    this.#requests += 1;
    const id = this.#requests;
    return new Promise((resolve, reject) => {
      this.#answers.set(id, (message) => {
        const error = field(message, "error");
        if (error === undefined) resolve(field(message, "result"));
        else reject(new Error(`codex app-server, ${method}: ${JSON.stringify(error)}`));
      });
      this.#send({ id, method, params });
    });
  }

  #send(message: unknown): void {
    this.#child.stdin.write(`${JSON.stringify(message)}\n`);
  }

  #receive(line: string): void {
    const message: unknown = JSON.parse(line);
    const id = field(message, "id");
    if (typeof id === "number") this.#answers.get(id)?.(message);
    const method = field(message, "method");
    if (method === "turn/completed") this.#turnEnded?.();
    if (method === "hook/completed") {
      const entries = items(message, "params", "run", "entries");
      this.hookMessages.push(...entries.map((entry) => text(entry, "text")));
    }
  }
}
