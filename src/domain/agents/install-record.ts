/** What an installation changed, so that it can be taken back exactly. Files of agents may hold tokens: a record never leaves the machine. */
import type { AgentName } from "./agents.ts";
import type { HookScope } from "./hook-scope.ts";

export interface FileImage {
  readonly bytes: Uint8Array;
  readonly mode: number;
}

export interface FileRecord {
  readonly kind: "file";
  readonly agent: AgentName;
  readonly scope: HookScope;
  readonly path: string;
  readonly at: string;
  /** The file as it was before; null: there was none. */
  readonly before: FileImage | null;
  /** Digest of the file as we left it. Null: somebody else's changes are in it as well, and only ours can be taken out. */
  readonly after: string | null;
  /** Folders that were made for it, outermost first. */
  readonly folders: readonly string[];
}

/** A file of the agent's own that it changed when it was told to install our plugin. */
export interface TouchedFile {
  readonly path: string;
  readonly before: FileImage | null;
  /** Null: it was not there afterwards. */
  readonly after: string | null;
}

/** An agent was told to install our plugin. */
export interface PluginRecord {
  readonly kind: "plugin";
  readonly agent: AgentName;
  readonly scope: "user";
  readonly at: string;
  readonly touched: readonly TouchedFile[];
}

export type InstallRecord = FileRecord | PluginRecord;

/** One for each file, and one for the plugin of each agent. */
export function recordName(record: InstallRecord): string {
  return record.kind === "file" ? record.path : `plugin:${record.agent}`;
}
