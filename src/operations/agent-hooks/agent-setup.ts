/** What installing hooks works with. A project is not needed for hooks of the user. */
import type { WaymarkProgram } from "../../domain/agents/hook-command.ts";
import type { Surroundings } from "../../domain/agents/hook-places.ts";
import type { HookScope } from "../../domain/agents/hook-scope.ts";
import type { AgentFiles } from "../../ports/agent-files.ts";
import type { AgentPrograms } from "../../ports/agent-programs.ts";
import type { Clock } from "../../ports/clock.ts";
import type { InstallRecords } from "../../ports/install-records.ts";
import type { SettingsText } from "../../ports/settings-text.ts";

export interface AgentSetup {
  readonly around: Surroundings;
  readonly files: AgentFiles;
  readonly settings: SettingsText;
  readonly programs: AgentPrograms;
  /** Hooks of the user are remembered in the home folder, others in the repository. */
  readonly records: (scope: HookScope) => InstallRecords;
  /** Which of these paths git ignores; they are absolute, and in the project. */
  readonly ignored: (paths: readonly string[]) => Promise<ReadonlySet<string>>;
  readonly digest: (bytes: Uint8Array) => string;
  readonly sha256: (text: string) => string;
  readonly clock: Pick<Clock, "now">;
  /** This installation of Waymark. */
  readonly program: WaymarkProgram;
  /** The folder of its package, where the plugins are. */
  readonly packageFolder: string;
}
