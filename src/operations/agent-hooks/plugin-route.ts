/** Lets an agent install our plugin itself, and takes it away again: nothing of the user's is edited by us then. */
import { agentTitle, type AgentName } from "../../domain/agents/agents.ts";
import { agentFolder } from "../../domain/agents/hook-places.ts";
import type { FileImage, PluginRecord, TouchedFile } from "../../domain/agents/install-record.ts";
import { Failure } from "../../domain/failure.ts";
import { commandLine } from "../../domain/shell-quote.ts";
import type { AgentSetup } from "./agent-setup.ts";

interface Route {
  readonly program: string;
  /** The folder in our package that has to be there. */
  readonly folder: string;
  readonly add: (folder: string) => readonly (readonly string[])[];
  readonly remove: readonly (readonly string[])[];
  /** Files of the agent's own that these commands change. */
  readonly touches: readonly string[];
}

const NAME = "waymark@waymark";
const MARKETPLACE = ["plugin", "marketplace"];

const ROUTES: Readonly<Partial<Record<AgentName, Route>>> = {
  claude: {
    program: "claude",
    folder: ".claude-plugin",
    add: (folder) => [
      [...MARKETPLACE, "add", folder],
      ["plugin", "install", NAME, "--scope", "user"],
    ],
    remove: [
      ["plugin", "uninstall", NAME, "--scope", "user"],
      [...MARKETPLACE, "remove", "waymark"],
    ],
    touches: ["settings.json"],
  },
  codex: {
    program: "codex",
    folder: ".claude-plugin",
    add: (folder) => [
      [...MARKETPLACE, "add", folder],
      ["plugin", "add", NAME],
    ],
    remove: [
      ["plugin", "remove", NAME],
      [...MARKETPLACE, "remove", "waymark"],
    ],
    touches: ["config.toml"],
  },
  copilot: {
    program: "copilot",
    folder: ".claude-plugin",
    add: (folder) => [
      [...MARKETPLACE, "add", folder],
      ["plugin", "install", NAME],
    ],
    remove: [
      ["plugin", "uninstall", NAME],
      [...MARKETPLACE, "remove", "waymark"],
    ],
    touches: ["settings.json"],
  },
  gemini: {
    program: "gemini",
    folder: "gemini-extension",
    add: (folder) => [["extensions", "link", "--consent", `${folder}/gemini-extension`]],
    remove: [["extensions", "uninstall", "waymark"]],
    // It trusts the folder in which it is told to.
    touches: ["trustedFolders.json", "extensions/extension-enablement.json"],
  },
};

/** Why the agent cannot be told to install it; undefined: it can. */
export function noPluginBecause(setup: AgentSetup, agent: AgentName): string | undefined {
  const route = ROUTES[agent];
  if (route === undefined) return `${agentTitle(agent)} has no plugins that Waymark supports`;
  if (!setup.programs.isFound(route.program)) {
    return `the command of ${agentTitle(agent)} is not on the PATH`;
  }
  const folder = `${setup.packageFolder}/${route.folder}`;
  return setup.files.isThere(folder)
    ? undefined
    : `${folder} is missing from this installation of Waymark`;
}

export function pluginRecord(setup: AgentSetup, agent: AgentName): PluginRecord | undefined {
  return setup
    .records("user")
    .all()
    .filter((record) => record.kind === "plugin")
    .find((record) => record.agent === agent);
}

/** The commands that would be run, for a dry run. */
export function pluginCommands(
  setup: AgentSetup,
  agent: AgentName,
  what: "add" | "remove",
): string[] {
  const route = routeOf(agent);
  return words(setup, route, what).map((each) => commandLine([route.program, ...each]));
}

function words(setup: AgentSetup, route: Route, what: "add" | "remove") {
  return what === "add" ? route.add(setup.packageFolder) : route.remove;
}

export async function addPlugin(setup: AgentSetup, agent: AgentName): Promise<void> {
  const route = routeOf(agent);
  const images = touchedBefore(setup, agent, route);
  try {
    await runAll(setup, agent, "add");
  } catch (error) {
    // What was done of it is taken back as far as the agent lets us.
    for (const each of route.remove)
      await setup.programs.run([route.program, ...each], setup.packageFolder);
    putBack(
      setup,
      images.map((file) => ({ ...file, after: digestOf(setup, file.path) })),
    );
    throw error;
  }
  const at = setup.clock.now().toISOString();
  const touched = images.map((file) => ({ ...file, after: digestOf(setup, file.path) }));
  setup.records("user").save({ kind: "plugin", agent, scope: "user", at, touched });
}

/** Files that nobody changed since are given back as they were: agents leave empty members behind. */
export async function removePlugin(setup: AgentSetup, record: PluginRecord): Promise<void> {
  const { agent } = record;
  const untouched = record.touched.filter(({ path, after }) => digestOf(setup, path) === after);
  await runAll(setup, agent, "remove");
  putBack(
    setup,
    untouched.map((file) => ({ ...file, after: digestOf(setup, file.path) })),
  );
  setup.records("user").forget(record);
}

async function runAll(setup: AgentSetup, agent: AgentName, what: "add" | "remove"): Promise<void> {
  const route = routeOf(agent);
  for (const each of words(setup, route, what)) {
    const command = [route.program, ...each];
    // In a folder of ours: an agent may come to trust the one that it is run in.
    const { ok, said } = await setup.programs.run(command, setup.packageFolder);
    if (!ok) throw refused(agent, command, said);
  }
}

function routeOf(agent: AgentName): Route {
  const route = ROUTES[agent];
  if (route === undefined) throw new Error(`${agent} has no plugins`);
  return route;
}

function touchedBefore(setup: AgentSetup, agent: AgentName, { touches }: Route): TouchedFile[] {
  const folder = agentFolder(agent, setup.around);
  return touches.map((name) => {
    const path = `${folder}/${name}`;
    return { path, before: setup.files.read(path) ?? null, after: null };
  });
}

function digestOf(setup: AgentSetup, path: string): string | null {
  const found = setup.files.read(path);
  return found === undefined ? null : setup.digest(found.bytes);
}

function putBack(setup: AgentSetup, touched: readonly TouchedFile[]): void {
  for (const { path, before } of touched) {
    const now: FileImage | undefined = setup.files.read(path);
    const isSame = digestOf(setup, path) === (before === null ? null : setup.digest(before.bytes));
    if (isSame) continue;
    if (before !== null) setup.files.write({ path, before: now, after: before });
    else if (now !== undefined) setup.files.remove(path, now);
  }
}

function refused(agent: AgentName, command: readonly string[], said: string): Failure {
  const line = commandLine(command);
  return new Failure(
    "agent_command_failed",
    `${agentTitle(agent)} failed at \`${line}\`: ${said}`,
    {
      hint: "Run that command yourself to see more, or use --via file. What was installed before the failure was removed again.",
      details: { command: line, output: said },
    },
  );
}
