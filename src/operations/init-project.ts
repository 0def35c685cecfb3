/** Sets a project up: a file with the settings. */
import { configTemplate } from "../domain/config-template.ts";
import { Failure } from "../domain/failure.ts";
import type { DetectedProject, ProjectSetup } from "../ports/project-setup.ts";
import { audited, type AuditOutcome } from "./audited.ts";
import type { Project } from "./project.ts";

export interface InitRequest {
  /** Replace a file with settings; the old one is kept. */
  readonly force: boolean;
  readonly dryRun: boolean;
}

export interface InitResult {
  readonly configFile: string;
  readonly configWritten: boolean;
  /** Where the file that was replaced is now. */
  readonly keptCopy: string | null;
  readonly detected: DetectedProject;
}

const NAME = "waymark.yml";

export async function initProject(
  /** Not opened where nothing is to be changed: there may be none yet. */
  open: () => Promise<Project>,
  setup: ProjectSetup,
  request: InitRequest,
): Promise<InitResult> {
  if (request.dryRun) return setUp(setup, request);
  const audit = { operation: "init", outcome: initOutcome } as const;
  return audited(await open(), audit, () => setUp(setup, request));
}

function initOutcome({ configFile, configWritten, keptCopy }: InitResult): AuditOutcome {
  return {
    checkpointIds: [],
    details: { config_file: configFile, config_written: configWritten, kept_copy: keptCopy },
  };
}

async function setUp(setup: ProjectSetup, request: InitRequest): Promise<InitResult> {
  const detected = await setup.detect();
  const existing = setup.configFile();
  if (request.force && existing?.isPlainFile === false) {
    throw new Failure(
      "already_exists",
      `${existing.name} is not a regular file; it was not changed`,
      {
        hint: "Move it away and run `waymark init` again.",
      },
    );
  }
  const configFile = existing?.name ?? NAME;
  if (request.dryRun) {
    const configWritten = existing === undefined || request.force;
    return { configFile, configWritten, keptCopy: null, detected };
  }
  if (existing !== undefined && request.force) {
    const keptCopy = setup.replaceConfig(configFile, configTemplate());
    return { configFile, configWritten: true, keptCopy, detected };
  }
  const configWritten = existing === undefined && setup.createConfig(configFile, configTemplate());
  return { configFile, configWritten, keptCopy: null, detected };
}
