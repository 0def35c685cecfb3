/** What there is to say after hooks were installed: what keeps them from working, and what to do next. */
import type { AgentSetup } from "../../operations/agent-hooks/agent-setup.ts";
import type { InstalledAgent, InstallRequest } from "../../operations/agent-hooks/install-hooks.ts";
import { hooksStatus } from "../../operations/agent-hooks/hooks-status.ts";
import { agentTitle } from "../../domain/agents/agents.ts";
import { shownPath, uninstallCommand } from "./hooks-command.ts";

export interface InstallNotes {
  readonly warnings: readonly string[];
  readonly tips: readonly string[];
}

export function installNotes(
  setup: AgentSetup,
  request: InstallRequest,
  installed: readonly InstalledAgent[],
  /** Which of the files git ignores. */
  ignored: ReadonlySet<string>,
): InstallNotes {
  const paths = installed.flatMap(({ changes }) => changes.map(({ path }) => path));
  const isOpen = (path: string): boolean => request.scope === "local" && !ignored.has(path);
  const isHidden = (path: string): boolean => request.scope === "project" && ignored.has(path);
  const status = hooksStatus(setup, request.dryRun ? [] : request.agents, undefined);
  const untrusted = request.dryRun
    ? []
    : status.agents.filter(({ trust }) => trust.state !== "trusted" && trust.why !== null);
  const needsPath = !request.absolute && !status.isOnPath;
  return {
    warnings: [
      ...(needsPath
        ? [
            "`waymark` is not on the PATH, so these hooks do nothing yet: `npm install -g waymark`, or use --absolute with --scope user",
          ]
        : []),
      ...paths
        .filter(isHidden)
        .map((path) => `${shownPath(setup, path)} is ignored by git: only this work tree has it`),
      ...paths
        .filter(isOpen)
        .map(
          (path) =>
            `${shownPath(setup, path)} is not ignored by git, although ${request.absolute ? "it contains paths of this machine" : "--scope local is for this work tree only"}`,
        ),
      ...untrusted.map(({ agent, trust }) =>
        trust.state === "off"
          ? `${agentTitle(agent)} runs no hooks: ${trust.why}`
          : `${agentTitle(agent)} does not run them yet: ${trust.why}`,
      ),
      ...(request.dryRun ? [] : status.agents).flatMap(({ agent, doubled }) =>
        doubled === null ? [] : [`${agentTitle(agent)} runs the hooks more than once: ${doubled}`],
      ),
    ],
    tips: tips(
      request,
      paths.filter((path) => !isHidden(path)),
    ),
  };
}

function tips({ scope, dryRun }: InstallRequest, paths: readonly string[]): string[] {
  if (dryRun || paths.length === 0) return [];
  return [
    ...(scope === "project"
      ? ["commit these files to protect everyone who has Waymark; they have no effect for others"]
      : []),
    `\`waymark hooks status\` shows whether they work, \`${uninstallCommand(scope)}\` removes them`,
  ];
}
