/** `waymark mcp` */
import { statSync } from "node:fs";
import { resolve } from "node:path";
import { Failure } from "../../../domain/failure.ts";
import type { McpHost } from "../../mcp/host.ts";
import { signalText } from "../../../operations/stop-wish.ts";
import type { Context } from "../command-spec.ts";
import { printable } from "../printable.ts";

interface Options {
  root?: string;
  /** True: any free port. */
  http?: number | true;
  allowCommands?: boolean;
}

const TOKEN_VARIABLE = "WAYMARK_MCP_TOKEN";

export async function run(context: Context): Promise<void> {
  const options: Options = context.options;
  const [{ Confirmations }, { RunningCalls }] = await Promise.all([
    import("../../mcp/confirmations.ts"),
    import("../../mcp/running-calls.ts"),
  ]);
  const given = takenToken();
  const host: McpHost = {
    token: options.http === undefined ? undefined : await tokenFor(given),
    directory: directoryOf(context.directory, options.root),
    sessionId: context.sessionId,
    allowsCommands: options.allowCommands === true,
    confirmations: new Confirmations(),
    calls: new RunningCalls(),
    log: say,
  };
  let wish: string | undefined;
  let onWish = (): void => undefined;
  const wished = new Promise<void>((done) => (onWish = done));
  const stop = (signal: string): void => {
    wish ??= signal;
    onWish();
  };
  await context.interruption.handOver(stop, async () => {
    const serving =
      options.http === undefined ? await onStdio(host) : await onHttp(host, options, given);
    await Promise.race([serving.ended, wished]);
    await host.calls.stop(wish ?? "SIGTERM");
    await serving.close();
  });
  // What still runs has nothing to bring to an end, and nobody waits for it.
  const end = wish === undefined ? 0 : context.output.failure(interrupted(wish));
  await delivered();
  process.exit(end);
}

/** What was answered already reaches a client that still reads, be it slowly; one that does not is not waited for. */
async function delivered(): Promise<void> {
  let left = process.stdout.writableLength;
  let idleMs = 0;
  while (left > 0 && idleMs < READING_MS) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    const now = process.stdout.writableLength;
    idleMs = now < left ? 0 : idleMs + LOOK_MS;
    left = now;
  }
  if (left > 0) say(`${left} bytes of answers were not read`);
}

const READING_MS = 5000;
const LOOK_MS = 20;

async function onStdio(host: McpHost) {
  const { serveOnStdio } = await import("../../mcp/serve-stdio.ts");
  return serveOnStdio(host);
}

/** Commands that are run here have no business with it. */
function takenToken(): string | undefined {
  const given = process.env[TOKEN_VARIABLE];
  delete process.env[TOKEN_VARIABLE];
  return given === "" ? undefined : given;
}

async function tokenFor(given: string | undefined): Promise<string> {
  const { newToken, refuseWeakToken } = await import("../../mcp/serve-http.ts");
  if (given !== undefined) refuseWeakToken(given);
  return given ?? newToken();
}

async function onHttp(host: McpHost, { http }: Options, given: string | undefined) {
  const { serveOnHttp } = await import("../../mcp/serve-http.ts");
  const token = host.token ?? "";
  const serving = await serveOnHttp(host, { port: http === true ? 0 : (http ?? 0), token });
  say(`listening on ${serving.url}`);
  say(token === given ? `token: from ${TOKEN_VARIABLE}` : `token: ${token}`);
  return serving;
}

function say(line: string): void {
  process.stderr.write(`waymark mcp: ${printable(line)}\n`);
}

function directoryOf(directory: string, root: string | undefined): string {
  const fromClient = process.env["CLAUDE_PROJECT_DIR"];
  const isHere = directory === process.cwd();
  const found =
    root !== undefined
      ? resolve(directory, root)
      : isHere && fromClient !== undefined && fromClient !== ""
        ? resolve(fromClient)
        : directory;
  if (statSync(found, { throwIfNoEntry: false })?.isDirectory() === true) return found;
  throw new Failure("usage", `${found} is not a folder`, {
    hint: "Name the folder of the project with --root.",
  });
}

function interrupted(signal: string): Failure {
  return new Failure("interrupted", `interrupted by ${signalText(signal)}`, {
    hint: "The server has ended. A rollback in progress was reverted or completed: see `waymark log`.",
  });
}
