/** Finds our handlers among the hooks of a settings file, and what in it is not of the kind that the agent takes. */
import { isRecord } from "../is-record.ts";
import { callsHook, ownCommand, type OwnCommand } from "./hook-command.ts";
import type { SettingsLayout } from "./hook-table.ts";
import type { JsonPath, JsonProblem } from "./json-edit.ts";

export interface FoundHandler {
  readonly event: string;
  /** Of the handler, from the root. */
  readonly path: JsonPath;
  readonly command: string;
}

export interface OwnHandler extends FoundHandler {
  readonly own: OwnCommand;
}

/** In the order of the document. What is of another kind than expected is passed over. */
export function ownHandlers(root: unknown, layout: SettingsLayout): OwnHandler[] {
  return allHandlers(root, layout).flatMap((handler) => {
    const own = ownCommand(handler.command);
    return own === undefined ? [] : [{ ...handler, own }];
  });
}

/** Those that run our hook and were written, or changed, by somebody. */
export function writtenHandlers(root: unknown, layout: SettingsLayout): FoundHandler[] {
  return allHandlers(root, layout).filter(({ command }) => callsHook(command));
}

function allHandlers(root: unknown, layout: SettingsLayout): FoundHandler[] {
  return Object.entries(hooksOf(root)).flatMap(([event, entries]) =>
    (Array.isArray(entries) ? entries : []).flatMap((entry: unknown, at) =>
      handlersIn(entry, ["hooks", event, at], layout).flatMap(({ path, handler }) => {
        const command = commandOf(handler, layout);
        return command === undefined ? [] : [{ event, path, command }];
      }),
    ),
  );
}

function hooksOf(root: unknown): Readonly<Record<string, unknown>> {
  const hooks = isRecord(root) ? root["hooks"] : undefined;
  return isRecord(hooks) ? hooks : {};
}

function handlersIn(
  entry: unknown,
  path: JsonPath,
  { entries }: SettingsLayout,
): { readonly path: JsonPath; readonly handler: unknown }[] {
  if (entries === "handlers") return [{ path, handler: entry }];
  const handlers = isRecord(entry) ? entry["hooks"] : undefined;
  if (!Array.isArray(handlers)) return [];
  return handlers.map((handler: unknown, at) => ({ path: [...path, "hooks", at], handler }));
}

function commandOf(handler: unknown, { commandField }: SettingsLayout): string | undefined {
  const command = isRecord(handler) ? handler[commandField] : undefined;
  return typeof command === "string" ? command : undefined;
}

/** What would have to be changed or guessed to install hooks: nobody's settings are bent into shape. */
export function problemWith(root: unknown, layout: SettingsLayout): JsonProblem | undefined {
  if (!isRecord(root)) return { path: [], message: "it must be an object" };
  const hooks = root["hooks"];
  if (hooks === undefined) return undefined;
  if (!isRecord(hooks)) return { path: ["hooks"], message: '"hooks" must be an object' };
  for (const { name } of layout.events) {
    const found = problemWithEvent(hooks[name], ["hooks", name], layout);
    if (found !== undefined) return found;
  }
  return undefined;
}

function problemWithEvent(
  entries: unknown,
  path: JsonPath,
  layout: SettingsLayout,
): JsonProblem | undefined {
  if (entries === undefined) return undefined;
  const name = String(path.at(-1));
  if (!Array.isArray(entries)) return { path, message: `"${name}" must be a list` };
  for (const [at, entry] of entries.entries()) {
    if (!isRecord(entry)) {
      return { path: [...path, at], message: `each entry of "${name}" must be an object` };
    }
    const handlers = entry["hooks"];
    if (layout.entries === "groups" && handlers !== undefined && !Array.isArray(handlers)) {
      return { path: [...path, at, "hooks"], message: `"hooks" of "${name}" must be a list` };
    }
  }
  return undefined;
}
