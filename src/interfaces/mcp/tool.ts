/** What a tool is, as data, and what it is given when it is called. */
import type {
  InputRequiredResult,
  CallToolResult,
  ServerContext,
  ToolAnnotations,
} from "@modelcontextprotocol/server";
import type { OpenOptions } from "../../app.ts";
import type { AuditedOperation } from "../../domain/audit.ts";
import type { Project } from "../../operations/project.ts";
import type { Answer } from "./answer.ts";
import type { McpHost } from "./host.ts";
import type { InputSchema } from "./input-schemas.ts";

export interface Call {
  readonly host: McpHost;
  /** Opened for this call: another program may have changed anything since the last one. */
  readonly project: Project;
  readonly request: ServerContext["mcpReq"];
  /** Whether the client can ask its user. */
  readonly canAsk: boolean;
}

export interface Tool<Input> {
  readonly name: string;
  readonly title: string;
  /** For models: when to use it, what it does not do. Never anything from a repository. */
  readonly description: string;
  /** Hints for clients, and true. */
  readonly annotations: Required<Omit<ToolAnnotations, "title">>;
  readonly input: InputSchema<Input>;
  /** The kinds of document that it answers with. */
  readonly kinds: readonly string[];
  /** How the project is opened: as the command line does for the same. */
  readonly opens: Pick<OpenOptions, "makeProject" | "looksOnly" | "onBadConfig">;
  /** It changes files, and is stopped and taken back when the client goes away meanwhile; others are finished. */
  readonly endsWithClient?: true;
  /** What a refusal is called in the audit log, where operations do not write it there themselves. */
  readonly audits?: AuditedOperation;
  readonly run: (
    call: Call,
    input: Input,
  ) => Promise<Answer | CallToolResult | InputRequiredResult>;
}

/** Hides what it takes: the table of tools has all kinds. */
export interface AnyTool extends Omit<Tool<unknown>, "run"> {
  /** Reads the input first. */
  readonly call: (
    given: unknown,
    open: (
      use: (call: Call) => ReturnType<Tool<unknown>["run"]>,
    ) => ReturnType<Tool<unknown>["run"]>,
  ) => ReturnType<Tool<unknown>["run"]>;
}

export const LOOKS: Tool<unknown>["opens"] = { looksOnly: true, onBadConfig: "warn" };
export const CHANGES: Tool<unknown>["opens"] = { onBadConfig: "warn" };

export const READ_ONLY = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
} as const;

export const DESTRUCTIVE = {
  readOnlyHint: false,
  destructiveHint: true,
  idempotentHint: false,
  openWorldHint: false,
} as const;
