/** Checks of the machine: they need no repository. */
import { fine, problem, warning, type Finding } from "../../../domain/health.ts";
import type { HealthCheck } from "../../../ports/health-check.ts";
import { DURABLE_GIT_VERSION, gitVersion, isOlder } from "../git-version.ts";
import { MIN_GIT_VERSION } from "../run-git.ts";

/** As `engines` in package.json says. */
export const MIN_NODE_VERSION = "20.19";

export function machineChecks(): HealthCheck[] {
  return [
    { name: "git", look: async () => [gitFinding(await gitVersion())] },
    { name: "node", look: () => [nodeFinding(process.versions.node)] },
    { name: "certificates", look: () => [certificatesFinding(process.env, process.versions.node)] },
  ];
}

export function gitFinding(version: string): Finding {
  if (isOlder(version, MIN_GIT_VERSION)) {
    return problem(
      `git ${version} is too old`,
      `Install git ${MIN_GIT_VERSION} or newer and make sure that it is first on the PATH.`,
    );
  }
  if (isOlder(version, DURABLE_GIT_VERSION)) {
    return warning(
      `git ${version} does not sync refs to the disk: a power cut may lose checkpoints of the last few seconds`,
      `Install git ${DURABLE_GIT_VERSION} or newer.`,
    );
  }
  return fine(`git ${version}`);
}

export function nodeFinding(version: string): Finding {
  return isOlder(version, MIN_NODE_VERSION)
    ? problem(`Node ${version} is too old`, `Install Node ${MIN_NODE_VERSION} or newer.`)
    : fine(`Node ${version}`);
}

/** Node reads all of them at every start up to version 22, which takes longer than a checkpoint. */
export function certificatesFinding(env: NodeJS.ProcessEnv, version: string): Finding {
  if ((env["NODE_EXTRA_CA_CERTS"] ?? "") === "" || !isOlder(version, "22.0")) {
    return fine("no setting slows down startup");
  }
  return warning(
    "NODE_EXTRA_CA_CERTS is set: Node 20 reads those certificates at every start, which makes each command slower",
    "Waymark uses no network: unset it for hooks and scripts (`env -u NODE_EXTRA_CA_CERTS waymark …`), or use Node 22 or newer.",
  );
}
