/** Finds hooks of ours, however they came there: installed here, by a colleague who committed them, or by hand. */
import { type AgentName } from "../../domain/agents/agents.ts";
import { isCurrent } from "../../domain/agents/hook-edits.ts";
import { hookCommand } from "../../domain/agents/hook-command.ts";
import { agentFolder, hookPlace } from "../../domain/agents/hook-places.ts";
import { HOOK_SCOPES, type HookScope } from "../../domain/agents/hook-scope.ts";
import { HOOK_LAYOUTS, type SettingsLayout } from "../../domain/agents/hook-table.ts";
import { ownHandlers, writtenHandlers } from "../../domain/agents/own-handlers.ts";
import { sealOf } from "../../domain/agents/sealed-text.ts";
import { Failure } from "../../domain/failure.ts";
import { isRecord } from "../../domain/is-record.ts";
import { asFailure } from "../../domain/system-error.ts";
import type { AgentSetup } from "./agent-setup.ts";
import { settingsIn, textOf } from "./file-change.ts";
import { pluginRecord } from "./plugin-route.ts";

export type WayState = "current" | "older" | "partly" | "written" | "changed" | "unreadable";

/** One place from which an agent gets our hooks. */
export interface InstalledWay {
  readonly scope: HookScope;
  readonly via: "file" | "plugin";
  /** The file, or the folder of scripts; of a plugin where the agent keeps it. */
  readonly path: string;
  /** `partly`: not for all events; `written`: somebody wrote them, and nobody knows more; `changed`: somebody edited a file of ours; `unreadable`: the agent does not read this file, or hooks do not fit into it. */
  readonly state: WayState;
  readonly problem: string | null;
  /** An event has more than one hook of ours in this file. */
  readonly isTwice: boolean;
}

export function ownWays(
  setup: AgentSetup,
  agent: AgentName,
  scopes: readonly HookScope[] = HOOK_SCOPES,
): InstalledWay[] {
  const plugin = scopes.includes("user") ? pluginWay(setup, agent) : undefined;
  return [
    ...scopes.flatMap((scope) => fileWay(setup, agent, scope) ?? []),
    ...(plugin === undefined ? [] : [plugin]),
  ];
}

/** The file of another agent whose hooks this one runs as well; undefined: none has ours. `others` are about to be installed. */
export function coveredBy(
  setup: AgentSetup,
  agent: AgentName,
  scope: HookScope,
  others: readonly AgentName[],
): string | undefined {
  if (agent !== "copilot" || scope === "user") return undefined;
  const [way] = coveringWays(setup, agent);
  if (way !== undefined) return way.path;
  return others.includes("claude") ? hookPlace("claude", scope, setup.around) : undefined;
}

/** Copilot runs the hooks of Claude's files in a project as well. */
export function coveringWays(setup: AgentSetup, agent: AgentName): InstalledWay[] {
  return agent === "copilot" ? ownWays(setup, "claude", ["project", "local"]).filter(isRead) : [];
}

export const isRead = ({ state }: InstalledWay): boolean => state !== "unreadable";

function fileWay(setup: AgentSetup, agent: AgentName, scope: HookScope): InstalledWay | undefined {
  const path = hookPlace(agent, scope, setup.around);
  if (path === undefined) return undefined;
  const head = { scope, via: "file", path, problem: null, isTwice: false } as const;
  try {
    const found = look(setup, agent, path);
    return found === undefined ? undefined : { ...head, ...found };
  } catch (error) {
    const failure = asFailure(error);
    if (!(failure instanceof Failure)) throw error;
    return { ...head, state: "unreadable", problem: failure.message };
  }
}

type Look = Pick<InstalledWay, "state"> & Partial<Pick<InstalledWay, "isTwice">>;

function look(setup: AgentSetup, agent: AgentName, path: string): Look | undefined {
  const layout = HOOK_LAYOUTS[agent];
  if (layout.kind === "settings") return lookAtSettings(setup, agent, path, layout);
  const paths =
    layout.kind === "plugin_file" ? [path] : layout.events.map((event) => `${path}/${event}`);
  const seals = paths.map((file) => {
    const found = setup.files.read(file);
    return found === undefined ? undefined : sealOf(textOf(file, found), setup.sha256);
  });
  if (seals.every((seal) => seal === undefined)) return undefined;
  if (seals.includes("changed")) return { state: "changed" };
  return { state: seals.includes(undefined) ? "partly" : "current" };
}

function lookAtSettings(
  setup: AgentSetup,
  agent: AgentName,
  path: string,
  layout: SettingsLayout,
): Look | undefined {
  const found = setup.files.read(path);
  if (found === undefined) return undefined;
  const value = settingsIn(setup, { agent, path, layout }, textOf(path, found));
  const own = ownHandlers(value, layout);
  const written = writtenHandlers(value, layout);
  if (own.length + written.length === 0) return undefined;
  const events = [...own, ...written].map(({ event }) => event);
  const isTwice = new Set(events).size < events.length;
  if (own.length === 0) return { state: "written", isTwice };
  const wanted = { agent, layout, command: hookCommand };
  if (!own.every((handler) => isCurrent(handler, wanted))) return { state: "older", isTwice };
  const isWhole = layout.events.every(({ name }) => events.includes(name));
  return { state: isWhole ? "current" : "partly", isTwice };
}

/** A plugin that the user installed by hand counts, too. */
function pluginWay(setup: AgentSetup, agent: AgentName): InstalledWay | undefined {
  const path = pluginPlace(setup, agent);
  if (path === undefined && pluginRecord(setup, agent) === undefined) return undefined;
  const place = path ?? agentFolder(agent, setup.around);
  return {
    scope: "user",
    via: "plugin",
    path: place,
    state: "current",
    problem: null,
    isTwice: false,
  };
}

/** Where the agent says that our plugin is switched on. */
function pluginPlace(setup: AgentSetup, agent: AgentName): string | undefined {
  const folder = agentFolder(agent, setup.around);
  if (agent === "gemini") {
    const path = `${folder}/extensions/waymark`;
    return setup.files.isThere(path) ? path : undefined;
  }
  if (agent === "codex") {
    const path = `${folder}/config.toml`;
    const text = readText(setup, path);
    return /^\[plugins\."waymark@[^"]*"\]\s*^enabled\s*=\s*true/m.test(text) ? path : undefined;
  }
  if (agent !== "claude" && agent !== "copilot") return undefined;
  const path = `${folder}/settings.json`;
  const enabled = settingsValue(setup, path)["enabledPlugins"];
  const isOn =
    isRecord(enabled) &&
    Object.entries(enabled).some(([name, on]) => name.startsWith("waymark@") && on === true);
  return isOn ? path : undefined;
}

/** Empty where it cannot be read: then nothing is known. */
export function readText(setup: AgentSetup, path: string): string {
  try {
    const found = setup.files.read(path);
    return found === undefined ? "" : textOf(path, found);
  } catch (error) {
    if (asFailure(error) instanceof Failure) return "";
    throw error;
  }
}

export function settingsValue(setup: AgentSetup, path: string): Readonly<Record<string, unknown>> {
  const parsed = setup.settings.parse(readText(setup, path));
  return parsed.kind === "value" && isRecord(parsed.value) ? parsed.value : {};
}
