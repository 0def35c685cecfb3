/** Messages that no client of the protocol sends: the server answers or ignores, and goes on. */
import { readFileSync } from "node:fs";
import { RawServer } from "../../../mcp/raw-server.ts";
import type { Attack, Prepared } from "../attack.ts";

/** So many to one server: what it said is looked at as a whole each time. */
const PER_SERVER = 60;
const MOST_MEMORY_KB = 600_000;
const WAIT_MS = 60_000;

const TOOLS = [
  ["create_checkpoint", { reason: "r", phase: "p", step: 1 }],
  ["list_checkpoints", { limit: 3 }],
  ["show_checkpoint", { checkpoint: "latest" }],
  ["diff_checkpoints", { from: "latest", to: "latest" }],
  ["preview_rollback", { checkpoint: "latest", paths: ["a.txt"] }],
  ["roll_back", { checkpoint: "latest", confirm_token: "t" }],
  ["validate_checkpoints", {}],
  ["list_sessions", {}],
  ["show_session", { session: "x" }],
  ["save_session", { session: "x", state: {} }],
] as const;

export const mcpMessages: Attack = {
  id: "mcp messages",
  what: "messages to the MCP server: strange arguments, methods, ids, damaged and huge lines",
  weight: 2,
  async prepare(scene): Promise<Prepared> {
    let server: RawServer | undefined;
    let peak = 0;
    const stop = async (): Promise<void> => {
      if (server === undefined) return;
      server.child.kill("SIGKILL");
      await server.ended;
      server = undefined;
    };
    return {
      async attempt(dice, number) {
        if (number % PER_SERVER === 0) await stop();
        if (server === undefined) {
          server = new RawServer(scene.repo, []);
          await server.initialize();
        }
        const around = scene.around();
        const files = scene.files();
        const [name, given] = dice.one(TOOLS);
        const message = {
          jsonrpc: "2.0",
          id: `m${number}`,
          method: "tools/call",
          params: {
            name,
            arguments: given,
          },
        };
        const strange =
          dice.below(2) === 0
            ? { ...message, params: { name, arguments: dice.strange(given) } }
            : dice.strange(message);
        const text = dice.below(4) === 0 ? dice.strangeText(strange) : JSON.stringify(strange);
        server.write(`${text.replaceAll("\n", " ")}\n`);
        server.send({ id: `ping-${number}`, method: "ping" });
        try {
          await inTime(server.answerTo(`ping-${number}`));
        } catch (error) {
          await stop();
          return [`${(error as Error).message.slice(0, 500)} after ${text.slice(0, 300)}`];
        }
        const memory = memoryOf(server.child.pid);
        peak = Math.max(peak, memory);
        return [
          ...(memory > MOST_MEMORY_KB ? [`${memory} kB of memory`] : []),
          ...(scene.around() === around ? [] : ["something beside the project changed"]),
          ...(scene.files() === files ? [] : [`files changed after ${text.slice(0, 300)}`]),
          ...(/\n {4}at /.test(server.stderr) ? [`a stack: ${server.stderr.slice(0, 500)}`] : []),
        ];
      },
      detail: () => `peak memory of the server ${Math.round(peak / 1000)} MB`,
      end: stop,
    };
  },
};

function memoryOf(pid: number | undefined): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0);
  } catch {
    return 0;
  }
}

async function inTime<T>(answer: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error("no answer to a ping")), WAIT_MS);
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}
