/** Which files an installation changes. Every file is read and judged before the first one is written. */
import { clineScript, keptName } from "../../domain/agents/cline-script.ts";
import { absoluteHookCommand, hookCommand } from "../../domain/agents/hook-command.ts";
import { addHooks, newSettings, type CommandText } from "../../domain/agents/hook-edits.ts";
import {
  HOOK_LAYOUTS,
  type ScriptsLayout,
  type SettingsLayout,
} from "../../domain/agents/hook-table.ts";
import { opencodePlugin } from "../../domain/agents/opencode-plugin.ts";
import { ownHandlers } from "../../domain/agents/own-handlers.ts";
import { sealed, sealOf } from "../../domain/agents/sealed-text.ts";
import type { FileImage } from "../../domain/agents/install-record.ts";
import { Failure } from "../../domain/failure.ts";
import type { AgentSetup } from "./agent-setup.ts";
import {
  bytesOf,
  changeRecord,
  settingsIn,
  textOf,
  type FileChange,
  type HookTarget,
} from "./file-change.ts";

export interface InstallWish {
  /** Commands with the path of this Waymark, for agents that are started without a PATH. */
  readonly absolute: boolean;
  /** Replaces files of others that stand where ours has to be; uninstalling brings them back. */
  readonly force: boolean;
}

export function planInstall(
  setup: AgentSetup,
  target: HookTarget,
  wish: InstallWish,
): FileChange[] {
  const layout = HOOK_LAYOUTS[target.agent];
  const command: CommandText = wish.absolute
    ? (agent, event) => absoluteHookCommand(setup.program, agent, event)
    : hookCommand;
  if (layout.kind === "settings") return settingsChange(setup, target, layout, command);
  if (layout.kind === "scripts") return scriptChanges(setup, target, layout, { command, wish });
  const text = sealed(opencodePlugin(wish.absolute ? setup.program : null), setup.sha256);
  return ownFileChange(setup, target, { text, isExecutable: false, force: wish.force });
}

function settingsChange(
  setup: AgentSetup,
  target: HookTarget,
  layout: SettingsLayout,
  command: CommandText,
): FileChange[] {
  const { path, agent } = target;
  const before = setup.files.read(path);
  const wanted = { agent, layout, command };
  const text = before === undefined ? "" : textOf(path, before);
  const value = settingsIn(setup, { agent, path, layout }, text);
  if (value === undefined) {
    const body = `${JSON.stringify(newSettings(wanted), null, 2)}\n`;
    // Comments that are alone in the file stay where they are.
    const head = text === "" || /\n[ \t]*$/.test(text) ? text : `${text}\n`;
    const after = image(setup, before, head + body, false);
    return [changed(setup, target, { before, after, isOurs: false })];
  }
  const edits = addHooks(value, wanted);
  if (edits.length === 0) return [];
  const after = image(setup, before, setup.settings.edit(text, edits), false);
  const isOurs = ownHandlers(value, layout).length > 0;
  return [changed(setup, target, { before, after, isOurs })];
}

interface OwnText {
  readonly text: string;
  readonly isExecutable: boolean;
  readonly force: boolean;
}

function ownFileChange(setup: AgentSetup, target: HookTarget, own: OwnText): FileChange[] {
  const { path } = target;
  const before = setup.files.read(path);
  const seal = before === undefined ? undefined : sealOf(textOf(path, before), setup.sha256);
  if (before !== undefined && seal !== "untouched" && !own.force) throw inTheWay(path, seal);
  if (before !== undefined && textOf(path, before) === own.text) return [];
  const after = image(setup, before, own.text, own.isExecutable);
  return [changed(setup, target, { before, after, isOurs: seal === "untouched" })];
}

function scriptChanges(
  setup: AgentSetup,
  target: HookTarget,
  { events }: ScriptsLayout,
  { command, wish }: { command: CommandText; wish: InstallWish },
): FileChange[] {
  return events.flatMap((event) => {
    const path = `${target.path}/${event}`;
    const text = sealed(clineScript(event, command), setup.sha256);
    const before = setup.files.read(path);
    const seal = before === undefined ? undefined : sealOf(textOf(path, before), setup.sha256);
    const own = { text, isExecutable: true, force: wish.force };
    if (before === undefined || seal !== undefined) {
      return ownFileChange(setup, { ...target, path }, own);
    }
    return [
      ...keeping(setup, { ...target, path: `${target.path}/${keptName(event)}` }, before),
      ...ownFileChange(setup, { ...target, path }, { ...own, force: true }),
    ];
  });
}

/** The script of somebody else, beside ours. A copy of it may be there from an installation that was killed. */
function keeping(setup: AgentSetup, target: HookTarget, script: FileImage): FileChange[] {
  const there = setup.files.read(target.path);
  if (there === undefined) {
    return [changed(setup, target, { before: undefined, after: script, isOurs: false })];
  }
  if (setup.digest(there.bytes) !== setup.digest(script.bytes)) {
    throw inTheWay(target.path, undefined);
  }
  return [];
}

function changed(
  setup: AgentSetup,
  target: HookTarget,
  change: { before: FileImage | undefined; after: FileImage; isOurs: boolean },
): FileChange {
  return { ...target, ...change, record: changeRecord(setup, target, change), emptied: [] };
}

function image(
  setup: AgentSetup,
  before: FileImage | undefined,
  text: string,
  isExecutable: boolean,
): FileImage {
  const fresh = setup.files.modeOfNew(isExecutable);
  return { bytes: bytesOf(text), mode: before === undefined || isExecutable ? fresh : before.mode };
}

function inTheWay(path: string, seal: "changed" | "untouched" | undefined): Failure {
  const what =
    seal === undefined
      ? "already exists and was not written by Waymark"
      : "was changed since it was installed";
  return new Failure("already_exists", `${path} ${what}`, {
    hint: "Move it away, or use --force: it is then replaced, and uninstalling restores it. Nothing was changed.",
    details: { path },
  });
}
