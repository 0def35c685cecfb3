/** Which changes put our hooks into a settings file, and which take them out again. */
import { isRecord } from "../is-record.ts";
import type { AgentName } from "./agents.ts";
import { hookCommand } from "./hook-command.ts";
import type { HookEvent, SettingsLayout } from "./hook-table.ts";
import type { JsonEdit, JsonPath } from "./json-edit.ts";
import {
  ownHandlers,
  writtenHandlers,
  type FoundHandler,
  type OwnHandler,
} from "./own-handlers.ts";

/** Gives the command of an agent's event. */
export type CommandText = (agent: AgentName, event?: string) => string;

export interface WantedHooks {
  readonly agent: AgentName;
  readonly layout: SettingsLayout;
  readonly command: CommandText;
}

/** A file that has nothing else in it. */
export function newSettings(wanted: WantedHooks): Readonly<Record<string, unknown>> {
  return { ...wanted.layout.head, hooks: allEntries(wanted) };
}

/**
 * New entries come last and nothing is reordered: an agent may know the hooks of others by their position. An entry that is there keeps what its user changed
 * in it; only a command of an older form is brought up to date. Of a document without a problem (`problemWith`).
 */
export function addHooks(root: unknown, wanted: WantedHooks): JsonEdit[] {
  const { layout } = wanted;
  const hooks = isRecord(root) ? root["hooks"] : undefined;
  if (!isRecord(hooks)) return [{ kind: "set", path: ["hooks"], value: allEntries(wanted) }];
  const own = ownHandlers(root, layout);
  const written = new Set(writtenHandlers(root, layout).map(({ event }) => event));
  const ofWanted = new Set(layout.events.map(({ name }) => name));
  return [
    ...layout.events.flatMap((event) => {
      const there = own.filter((handler) => handler.event === event.name);
      if (there.length > 0) return there.flatMap((handler) => upToDate(handler, wanted));
      // What somebody wrote does it already.
      return written.has(event.name) ? [] : [adding(hooks, event, wanted)];
    }),
    ...eventRemovals(
      hooks,
      layout,
      own.filter(({ event }) => !ofWanted.has(event)),
      undefined,
    ).edits,
  ];
}

function adding(
  hooks: Readonly<Record<string, unknown>>,
  event: HookEvent,
  wanted: WantedHooks,
): JsonEdit {
  const path = ["hooks", event.name];
  const entry = entryOf(event, wanted);
  return hooks[event.name] === undefined
    ? { kind: "set", path, value: [entry] }
    : { kind: "append", path, value: entry };
}

function upToDate({ path, event, command }: OwnHandler, wanted: WantedHooks): JsonEdit[] {
  const value = commandText(event, wanted);
  if (command === value) return [];
  return [{ kind: "set", path: [...path, wanted.layout.commandField], value }];
}

function allEntries(wanted: WantedHooks): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    wanted.layout.events.map((event) => [event.name, [entryOf(event, wanted)]]),
  );
}

function entryOf(event: HookEvent, wanted: WantedHooks): unknown {
  const { layout } = wanted;
  const timeout = event.timeout ?? layout.timeout;
  const handler = {
    ...(layout.isTyped ? { type: "command" } : {}),
    [layout.commandField]: commandText(event.name, wanted),
    ...(layout.timeoutField === null ? {} : { [layout.timeoutField]: timeout }),
  };
  if (layout.entries === "handlers") return handler;
  return {
    ...(event.matcher === undefined ? {} : { matcher: event.matcher }),
    hooks: [handler],
  };
}

function commandText(event: string, { agent, layout, command }: WantedHooks): string {
  return layout.namesEvent ? command(agent, event) : command(agent);
}

/** Whether a command is what would be installed now, here or with an absolute path. */
export function isCurrent({ command, event, own }: OwnHandler, wanted: WantedHooks): boolean {
  if (own.form === "absolute") return true;
  return command === commandText(event, { ...wanted, command: hookCommand });
}

/**
 * Takes our handlers out, and the containers that have nothing left in them then, unless they were there before us. `before`: the document as it was then;
 * undefined: nobody knows. `andWritten`: also those that somebody wrote.
 */
export function removeHooks(
  root: unknown,
  layout: SettingsLayout,
  { before, andWritten }: { readonly before: unknown; readonly andWritten: boolean },
): JsonEdit[] {
  const hooks = isRecord(root) ? root["hooks"] : undefined;
  const own = [...ownHandlers(root, layout), ...(andWritten ? writtenHandlers(root, layout) : [])];
  if (!isRecord(hooks) || own.length === 0) return [];
  const earlier = isRecord(before) ? before["hooks"] : undefined;
  const { edits, emptied } = eventRemovals(hooks, layout, own, earlier);
  const isEmpty = Object.keys(hooks).every((event) => emptied.has(event));
  return isEmpty && earlier === undefined ? [removal(["hooks"])] : edits;
}

function eventRemovals(
  hooks: Readonly<Record<string, unknown>>,
  layout: SettingsLayout,
  own: readonly FoundHandler[],
  earlier: unknown,
): { readonly edits: JsonEdit[]; readonly emptied: ReadonlySet<string> } {
  const wasThere = (event: string): boolean => isRecord(earlier) && earlier[event] !== undefined;
  const emptied = new Set<string>();
  const edits = [...new Set(own.map(({ event }) => event))].flatMap((event) => {
    const gone = own.filter((handler) => handler.event === event);
    const entries = emptiedEntries(hooks[event], gone, layout);
    if (entries.size === lengthOf(hooks[event]) && !wasThere(event)) {
      emptied.add(event);
      return [removal(["hooks", event])];
    }
    const handlers = gone.filter(({ path }) => !entries.has(Number(path[2])));
    // The last one first: the others keep their positions until it is their turn.
    const paths = [
      ...handlers.map(({ path }) => path),
      ...[...entries].map((at) => ["hooks", event, at]),
    ];
    return paths.toSorted(lastFirst).map(removal);
  });
  return { edits, emptied };
}

/** Which entries of an event have nothing in them any more. */
function emptiedEntries(
  entries: unknown,
  gone: readonly FoundHandler[],
  layout: SettingsLayout,
): Set<number> {
  const positions = gone.map(({ path }) => Number(path[2]));
  if (layout.entries === "handlers") return new Set(positions);
  return new Set(
    positions.filter((at) => {
      const entry: unknown = Array.isArray(entries) ? entries[at] : undefined;
      const left = lengthOf(isRecord(entry) ? entry["hooks"] : undefined);
      return positions.filter((position) => position === at).length === left;
    }),
  );
}

function lengthOf(list: unknown): number {
  return Array.isArray(list) ? list.length : 0;
}

const removal = (path: JsonPath): JsonEdit => ({ kind: "remove", path });

function lastFirst(left: JsonPath, right: JsonPath): number {
  const [entry, handler] = [2, 4].map((at) => Number(right[at] ?? 0) - Number(left[at] ?? 0));
  return entry === 0 ? (handler ?? 0) : (entry ?? 0);
}

/** Nothing is left in it but what a new file has, so that a file which we made can be removed. Agents bring their versions up to date. */
export function isOnlyHead(root: unknown, { head }: SettingsLayout): boolean {
  return isRecord(root) && Object.keys(root).every((name) => Object.hasOwn(head, name));
}
