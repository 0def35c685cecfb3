/** Whether a real agent is there; where it is not, its tests are skipped and say why. */
import { problemWith, type RealAgent } from "../../../scripts/agent-packages.mjs";

export interface Availability {
  readonly isMissing: boolean;
  /** For the name of the tests. */
  readonly title: string;
}

/** To find out an agent is started, which takes a while. */
const problems = new Map<RealAgent, string | undefined>();

/** Says on stderr, too, that tests are skipped: nobody shall take them for passed. */
export function realAgent(name: RealAgent, what: string): Availability {
  if (!problems.has(name)) problems.set(name, problemWith(name));
  const problem = problems.get(name);
  if (problem === undefined) return { isMissing: false, title: `${name}: ${what}` };
  process.stderr.write(`tests of ${name} (${what}) ARE SKIPPED: ${problem}\n`);
  return { isMissing: true, title: `${name}: ${what} (SKIPPED: ${problem})` };
}
