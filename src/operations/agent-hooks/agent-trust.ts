/** Whether an agent will run hooks, as far as its own files say so. */
import type { AgentName } from "../../domain/agents/agents.ts";
import { agentFolder, hookPlace } from "../../domain/agents/hook-places.ts";
import { HOOK_LAYOUTS } from "../../domain/agents/hook-table.ts";
import { ownHandlers } from "../../domain/agents/own-handlers.ts";
import { isRecord } from "../../domain/is-record.ts";
import type { AgentSetup } from "./agent-setup.ts";
import { readText, settingsValue, type InstalledWay } from "./installed-ways.ts";

export interface Trust {
  /** `off`: hooks are switched off; `unknown`: its files do not say. */
  readonly state: "trusted" | "not_trusted" | "off" | "unknown";
  /** What makes it so, or what to do about it. */
  readonly why: string | null;
}

const UNKNOWN: Trust = { state: "unknown", why: null };
const TRUSTED: Trust = { state: "trusted", why: null };

export function trustOf(setup: AgentSetup, agent: AgentName, ways: readonly InstalledWay[]): Trust {
  if (ways.length === 0) return UNKNOWN;
  if (agent === "claude") return trustOfClaude(setup);
  if (agent === "codex") return trustOfCodex(setup, ways);
  if (agent === "gemini") return trustOfGemini(setup, ways);
  if (agent === "copilot") return trustOfCopilot(setup, ways);
  return UNKNOWN;
}

const MANAGED = "/etc/claude-code/managed-settings.json";

function trustOfClaude(setup: AgentSetup): Trust {
  const files = (["user", "project", "local"] as const).flatMap(
    (scope) => hookPlace("claude", scope, setup.around) ?? [],
  );
  const off = [...files, MANAGED].find(
    (path) => settingsValue(setup, path)["disableAllHooks"] === true,
  );
  if (off !== undefined) return { state: "off", why: `disableAllHooks is true in ${off}` };
  if (settingsValue(setup, MANAGED)["allowManagedHooksOnly"] === true) {
    return { state: "off", why: `allowManagedHooksOnly is true in ${MANAGED}` };
  }
  const { root, home } = setup.around;
  const projects = settingsValue(setup, `${home}/.claude.json`)["projects"];
  const project = root !== null && isRecord(projects) ? projects[root] : undefined;
  const isTrusted = isRecord(project) && project["hasTrustDialogAccepted"] === true;
  return isTrusted ? TRUSTED : UNKNOWN;
}

/** It runs no hook that its user has not looked at, and says nothing about it. */
function trustOfCodex(setup: AgentSetup, ways: readonly InstalledWay[]): Trust {
  const path = `${agentFolder("codex", setup.around)}/config.toml`;
  const sections = tomlSections(readText(setup, path));
  const { root, mainRoot } = setup.around;
  const isProject = ways.some(({ scope }) => scope === "project");
  const isTrusted = [root, mainRoot].some((folder) => {
    const level = sections.get(`projects.${JSON.stringify(folder ?? "")}`) ?? "";
    return /^trust_level\s*=\s*"trusted"/m.test(level);
  });
  const main = hookPlace("codex", "project", { ...setup.around, root: mainRoot ?? root });
  // In a linked work tree it runs the hooks of the main one, and only if the linked one has some, too.
  const runs = (way: InstalledWay): string =>
    way.scope === "project" && main !== undefined ? main : way.path;
  if (isProject && mainRoot !== undefined && ownHooksIn(setup, main) === 0) {
    return {
      state: "not_trusted",
      why: `in a linked work tree it runs the hooks of ${mainRoot}: run \`waymark hooks install codex\` there, too`,
    };
  }
  if (isProject && !isTrusted) {
    return { state: "not_trusted", why: "start `codex` in this project and trust the folder" };
  }
  const trusted = [...sections].flatMap(([name, body]) =>
    /^trusted_hash\s*=/m.test(body) ? [name] : [],
  );
  // Each hook is looked at by itself.
  const layout = HOOK_LAYOUTS.codex;
  if (layout.kind !== "settings") return UNKNOWN;
  const events = layout.events.map(({ name }) => inKey(name));
  const isKnown = (way: InstalledWay): boolean => {
    if (way.via === "plugin") {
      const isOwn = (name: string): boolean => name.startsWith('hooks.state."waymark@');
      return events.every((event) =>
        trusted.some((name) => isOwn(name) && name.includes(`:${event}:`)),
      );
    }
    const file = runs(way);
    const own = ownHandlers(settingsValue(setup, file), layout);
    return own.every(({ event, path }) =>
      trusted.includes(`hooks.state."${file}:${inKey(event)}:${path[2] ?? ""}:${path[4] ?? ""}"`),
    );
  };
  if (ways.every(isKnown)) return TRUSTED;
  return {
    state: "not_trusted",
    why: "start `codex`, review the hooks with `/hooks` and trust them",
  };
}

function ownHooksIn(setup: AgentSetup, path: string | undefined): number {
  const layout = HOOK_LAYOUTS.codex;
  if (path === undefined || layout.kind !== "settings") return 0;
  return ownHandlers(settingsValue(setup, path), layout).length;
}

/** UserPromptSubmit is user_prompt_submit in the keys of its settings. */
function inKey(event: string): string {
  return event.replaceAll(/(?<=[a-z])(?=[A-Z])/g, "_").toLowerCase();
}

/** As much of TOML as is needed: the text of each section, by its name. */
function tomlSections(text: string): Map<string, string> {
  const sections = new Map<string, string>();
  for (const part of text.split(/^(?=\[)/m)) {
    const name = /^\[([^\n]*)\][ \t\r]*(?:#.*)?$/m.exec(part)?.[1];
    if (name !== undefined) sections.set(name.trim(), part);
  }
  return sections;
}

/** It runs hooks of a project only in folders that its user trusts, and says nothing about it. */
function trustOfCopilot(setup: AgentSetup, ways: readonly InstalledWay[]): Trust {
  const { root } = setup.around;
  if (root === null || ways.every(({ scope }) => scope === "user")) return UNKNOWN;
  const path = `${agentFolder("copilot", setup.around)}/config.json`;
  const folders: unknown = settingsValue(setup, path)["trustedFolders"];
  const isTrusted =
    Array.isArray(folders) &&
    folders.some(
      (each) => typeof each === "string" && (root === each || root.startsWith(`${each}/`)),
    );
  if (isTrusted) return TRUSTED;
  return { state: "not_trusted", why: "start `copilot` in this project and trust the folder" };
}

function trustOfGemini(setup: AgentSetup, ways: readonly InstalledWay[]): Trust {
  const { root } = setup.around;
  if (root === null || ways.every(({ scope }) => scope === "user")) return UNKNOWN;
  const folder = agentFolder("gemini", setup.around);
  const rules = Object.entries(settingsValue(setup, `${folder}/trustedFolders.json`));
  const isIn = (parent: string): boolean => root === parent || root.startsWith(`${parent}/`);
  const matching = rules.filter(([path, rule]) =>
    isIn(rule === "TRUST_PARENT" ? path.slice(0, path.lastIndexOf("/")) : path),
  );
  if (matching.some(([path, rule]) => rule === "DO_NOT_TRUST" && path === root)) {
    return {
      state: "not_trusted",
      why: "this folder is set to untrusted; `/permissions` in `gemini` changes that",
    };
  }
  const isTrusted = matching.some(([, rule]) => rule === "TRUST_FOLDER" || rule === "TRUST_PARENT");
  if (isTrusted) return TRUSTED;
  return { state: "not_trusted", why: "start `gemini` in this project and trust the folder" };
}
