/** One call of a tool: opens the project, runs it, and answers, whatever happens. */
import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  type CallToolResult,
  type InputRequiredResult,
  type McpServer,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { openGitProject, type OpenOptions } from "../../app.ts";
import { agentOfClient } from "../../domain/agents/agent-of-client.ts";
import { isRecord } from "../../domain/is-record.ts";
import { auditFailure } from "../../operations/audited.ts";
import type { Project } from "../../operations/project.ts";
import { answered, refused, type Answer } from "./answer.ts";
import { callProgress } from "./call-progress.ts";
import type { McpHost } from "./host.ts";
import type { AnyTool, Call } from "./tool.ts";

export interface Caller {
  readonly host: McpHost;
  readonly server: McpServer;
}

export async function calledTool(
  caller: Caller,
  tool: AnyTool,
  given: unknown,
  context: ServerContext,
): Promise<CallToolResult | InputRequiredResult> {
  const { host } = caller;
  const notices: string[] = [];
  try {
    const answer = await tool.call(given, (use) =>
      withProject(
        caller,
        context.mcpReq,
        { ...tool.opens, endsWithClient: tool.endsWithClient, notices },
        async (project) => {
          try {
            return await use(callOf(caller, project, context));
          } catch (error) {
            if (tool.audits !== undefined) auditFailure(project, { operation: tool.audits }, error);
            throw error;
          }
        },
      ),
    );
    return isAnswer(answer) ? answered(answer, notices) : answer;
  } catch (error) {
    return refused(error, host.log);
  }
}

function isAnswer(answer: Answer | CallToolResult | InputRequiredResult): answer is Answer {
  return "document" in answer && "lines" in answer;
}

interface Opening extends Pick<OpenOptions, "makeProject" | "looksOnly" | "onBadConfig"> {
  /** Gets what the user should know about the settings and what was done on the way. */
  readonly notices: string[];
  readonly endsWithClient?: boolean | undefined;
}

const NEVER = new AbortController().signal;

/** Opened anew for each call, so that whatever happened meanwhile is seen. `mcpReq`: what asks for it; the protocol tells it of most. */
export async function withProject<Result>(
  { host, server }: Caller,
  mcpReq: ServerContext["mcpReq"] | undefined,
  { notices, endsWithClient = false, ...opens }: Opening,
  use: (project: Project) => Promise<Result>,
): Promise<Result> {
  const ends = { cancelled: mcpReq?.signal ?? NEVER, endsWithClient };
  return host.calls.run(ends, async (interruption) => {
    const progress = mcpReq === undefined ? undefined : callProgress(mcpReq);
    const project = await openGitProject({
      ...opens,
      directory: host.directory,
      interruption,
      ...(progress === undefined ? {} : { progress }),
      agent: {
        agent: agentOfClient(clientName(server, mcpReq)) ?? null,
        tool_use_id: toolUseId(mcpReq),
      },
      warn: (message) => notices.push(message),
      tell: (message) => notices.push(message),
    });
    try {
      return await use(project);
    } finally {
      project.close();
    }
  });
}

function callOf({ host, server }: Caller, project: Project, { mcpReq }: ServerContext): Call {
  const sent = sentWith(mcpReq, CLIENT_CAPABILITIES_META_KEY);
  const capabilities = sent ?? server.server.getClientCapabilities() ?? {};
  const asks = "elicitation" in capabilities ? capabilities.elicitation : undefined;
  const canAsk = isRecord(asks) && ("form" in asks || !("url" in asks));
  return { host, project, request: mcpReq, canAsk };
}

function clientName(
  server: McpServer,
  mcpReq: ServerContext["mcpReq"] | undefined,
): string | undefined {
  const name = sentWith(mcpReq, CLIENT_INFO_META_KEY)?.["name"];
  return typeof name === "string" ? name : server.server.getClientVersion()?.name;
}

/** What clients of the newer era say about themselves with each request. */
function sentWith(
  mcpReq: ServerContext["mcpReq"] | undefined,
  key: string,
): Record<string, unknown> | undefined {
  const envelope: Readonly<Record<string, unknown>> = mcpReq?.envelope ?? {};
  const value = envelope[key];
  return isRecord(value) ? value : undefined;
}

const LONGEST_ID = 200;

/** Claude Code tells the id of its call, by which hooks know it too. */
function toolUseId(mcpReq: ServerContext["mcpReq"] | undefined): string | null {
  const id = mcpReq?._meta?.["claudecode/toolUseId"];
  return typeof id === "string" && /^[\w.:-]+$/.test(id) && id.length <= LONGEST_ID ? id : null;
}
