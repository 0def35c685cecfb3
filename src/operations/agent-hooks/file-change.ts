/** A change of one file that an installation makes, as a value. */
import { agentTitle, type AgentName } from "../../domain/agents/agents.ts";
import type { SettingsLayout } from "../../domain/agents/hook-table.ts";
import { problemWith } from "../../domain/agents/own-handlers.ts";
import type { HookScope } from "../../domain/agents/hook-scope.ts";
import type { FileImage, FileRecord } from "../../domain/agents/install-record.ts";
import { Failure } from "../../domain/failure.ts";
import type { TextPlace } from "../../ports/settings-text.ts";
import type { AgentSetup } from "./agent-setup.ts";

export interface HookTarget {
  readonly agent: AgentName;
  readonly scope: HookScope;
  /** The file, or the folder of scripts. */
  readonly path: string;
}

export interface FileChange extends HookTarget {
  /** Undefined: there is none. */
  readonly before: FileImage | undefined;
  /** Undefined: it goes. */
  readonly after: FileImage | undefined;
  /** What is remembered from then on; null: nothing. */
  readonly record: FileRecord | null;
  /** It has hooks of ours in it already. */
  readonly isOurs: boolean;
  /** Folders that go afterwards if nothing is in them. */
  readonly emptied: readonly string[];
}

export function recordOf(setup: AgentSetup, { scope, path }: HookTarget): FileRecord | undefined {
  return setup
    .records(scope)
    .all()
    .filter((record) => record.kind === "file")
    .find((record) => record.path === path);
}

/**
 * The record of a change. `isOurs`: the file had hooks of ours before. What it was before the first of them is known only from an earlier record, and can be
 * given back exactly only if nobody changed the file since.
 */
export function changeRecord(
  setup: AgentSetup,
  target: HookTarget,
  { before, after, isOurs }: { before: FileImage | undefined; after: FileImage; isOurs: boolean },
): FileRecord | null {
  const at = setup.clock.now().toISOString();
  const digest = setup.digest(after.bytes);
  const earlier = recordOf(setup, target);
  if (!isOurs) {
    const { agent, scope, path } = target;
    const folders = [...(earlier?.folders ?? []), ...setup.files.missingFolders(path)];
    return { kind: "file", agent, scope, path, at, before: before ?? null, after: digest, folders };
  }
  if (earlier === undefined) return null;
  const isAsLeft = before !== undefined && earlier.after === setup.digest(before.bytes);
  return { ...earlier, at, after: isAsLeft ? digest : null };
}

export function textOf(path: string, { bytes }: FileImage): string {
  try {
    // A byte order mark stays: it is part of the text.
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw invalid(path, "it is not UTF-8 text");
  }
}

export function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

/** Settings are never guessed at or bent into shape. */
export function invalid(path: string, message: string, place?: TextPlace): Failure {
  const where = place === undefined ? path : `${path}:${place.line}:${place.column}`;
  return new Failure("agent_file_invalid", `${where}: ${message}`, {
    hint: "Fix the file, then run the command again. No file was changed.",
    details: { path, ...place },
  });
}

/** Undefined: there is nothing in it. Fails if the agent does not read it, or if hooks do not fit into it. */
export function settingsIn(
  { settings }: AgentSetup,
  { agent, path, layout }: { agent: AgentName; path: string; layout: SettingsLayout },
  text: string,
): unknown {
  const parsed = settings.parse(text);
  if (parsed.kind === "malformed") throw invalid(path, parsed.message, parsed.place);
  const unread = settings.unread(text, layout.reads);
  if (unread !== undefined) {
    const message = `${agentTitle(agent)} does not read files with ${unread.what}`;
    throw invalid(path, message, unread.place);
  }
  const { value } = parsed;
  const problem = value === undefined ? undefined : problemWith(value, layout);
  if (problem === undefined) return value;
  throw invalid(path, problem.message, settings.placeOf(text, problem.path));
}
