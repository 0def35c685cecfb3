/** The plugin file that opencode loads. It needs nothing but what runs it, and is silent where Waymark is not. */
import type { WaymarkProgram } from "./hook-command.ts";

/** `program`: null where the PATH says where Waymark is. */
export function opencodePlugin(program: WaymarkProgram | null): string {
  const words = program === null ? ["waymark"] : [program.node, program.script];
  return `// Checkpoints before every change, made by Waymark. \`waymark hooks uninstall opencode\` removes this file.
// waymark-hooks sha256:
import { spawn } from "node:child_process";

const [PROGRAM, ...FIRST] = ${JSON.stringify(words)};
const LIMIT_MS = 30000;
const ONLY_LOOK = ["read", "glob", "grep", "list", "webfetch", "websearch", "todoread", "todowrite"];

/** The answer of Waymark. A failure counts as no answer, so it never blocks opencode. */
function ask(payload) {
  return new Promise((resolve) => {
    let child;
    const timer = setTimeout(() => end(""), LIMIT_MS);
    const end = (text) => {
      clearTimeout(timer);
      child?.kill("SIGKILL");
      try {
        resolve(JSON.parse(text) ?? {});
      } catch {
        resolve({});
      }
    };
    try {
      let said = "";
      child = spawn(PROGRAM, [...FIRST, "hook", "opencode"], { stdio: ["pipe", "pipe", "ignore"] });
      child.on("error", () => end(""));
      child.on("close", () => end(said));
      child.stdin.on("error", () => {});
      child.stdout.setEncoding("utf8").on("data", (text) => (said += text));
      child.stdin.end(JSON.stringify(payload));
    } catch {
      end("");
    }
  });
}

export const Waymark = async ({ client, directory }) => {
  const sessions = new Set();
  const tell = async (name, session, more) => {
    if (session) sessions.add(session);
    const answer = await ask({ hook_event_name: name, session_id: session, cwd: directory, ...more });
    if (answer.message) {
      const body = { title: "Waymark", message: answer.message, variant: "warning" };
      await Promise.resolve(client?.tui?.showToast?.({ body })).catch(() => {});
    }
    return answer;
  };
  return {
    "tool.execute.before": async (input, output) => {
      if (ONLY_LOOK.includes(input?.tool)) return;
      const call = { tool: input?.tool, call_id: input?.callID, args: output?.args };
      const { deny } = await tell("tool.execute.before", input?.sessionID, call);
      if (deny) throw new Error(deny);
    },
    "chat.message": async (input, output) => {
      const parts = Array.isArray(output?.parts) ? output.parts : [];
      const prompt = parts.map((part) => (part?.type === "text" ? part.text : "")).join("\\n");
      const { context } = await tell("chat.message", input?.sessionID, { prompt });
      if (!context) return;
      const id = "prt_waymark" + Date.now().toString(36);
      const place = { id, sessionID: input?.sessionID, messageID: output?.message?.id };
      parts.push({ ...place, type: "text", text: context, synthetic: true });
    },
    event: async (input) => {
      const { type, properties } = input?.event ?? {};
      if (type === "session.created") await tell(type, properties?.info?.id, {});
      if (type === "session.idle") await tell(type, properties?.sessionID, {});
    },
    dispose: async () => {
      await Promise.all([...sessions].map((session) => tell("dispose", session, {})));
    },
  };
};
`;
}
