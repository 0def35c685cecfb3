/** What the flags of `create` ask for beside the work tree. */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { Failure } from "../../domain/failure.ts";
import { readProblem } from "../../domain/system-error.ts";
import type { StateName } from "../../domain/parts.ts";
import type { CreateRequest } from "../../operations/create-checkpoint.ts";
import type { Project } from "../../operations/project.ts";
import type { Context } from "./command-spec.ts";
import { scopePatterns } from "./scope-patterns.ts";
import type { PartAsk, StateAskDocument } from "../../ports/part-keepers.ts";

export interface PartOptions {
  readonly state?: string;
  readonly stateKey?: readonly string[];
  readonly outputs?: string;
  readonly database?: readonly string[];
  readonly includeSecrets?: readonly string[];
  readonly scope?: readonly string[];
}

/** As `--include-secrets` names standard input. */
export const STANDARD_INPUT = "-";

/** As the request for a checkpoint has it. */
export function heldBesides(
  options: PartOptions,
  { directory }: Pick<Context, "directory">,
  { workTree }: Pick<Project, "workTree">,
): Pick<CreateRequest, "parts" | "scope"> {
  const parts = partAsks(options, directory);
  const { scope } = options;
  return {
    ...(parts.length === 0 ? {} : { parts }),
    ...(scope === undefined ? {} : { scope: scopePatterns(workTree.root, directory, scope) }),
  };
}

function partAsks(options: PartOptions, directory: string): PartAsk[] {
  const { state, outputs, stateKey, database = [], includeSecrets = [] } = options;
  if (stateKey !== undefined && state === undefined) {
    throw new Failure("usage", "--state-key needs --state", {
      hint: "Add `--state FILE`, or `--state -` for standard input.",
    });
  }
  const mayHoldSecrets = includeSecrets.includes(STANDARD_INPUT);
  const sources = [state, outputs].flatMap((source) => (source === undefined ? [] : [source]));
  if (mayHoldSecrets && !sources.some((source) => isStream(directory, source))) {
    throw new Failure("usage", "--include-secrets: nothing is read from standard input", {
      hint: "`-` is for `--state -` and `--outputs -`; name files by their paths. No checkpoint was created.",
    });
  }
  const read = (name: StateName, source: string): string =>
    readGiven(name, source === STANDARD_INPUT ? source : resolve(directory, source));
  const document = (name: StateName, source: string): StateAskDocument =>
    isStream(directory, source)
      ? { name, kind: "text", text: read(name, source), includeSecrets: mayHoldSecrets }
      : { name, kind: "file", path: resolve(directory, source) };
  const documents = [
    ...(state === undefined ? [] : [document("state", state)]),
    ...(outputs === undefined ? [] : [document("outputs", outputs)]),
  ];
  return [
    ...(documents.length === 0
      ? []
      : [{ type: "state_snapshot" as const, documents, keys: stateKey ?? null }]),
    ...database.map((url, at) => ({
      type: "database_savepoint" as const,
      url,
      number: at + 1,
    })),
  ];
}

/** Files that a process has open: a shell passes `<(command)` by such a name. */
const OPEN_FILES = /^\/(?:dev\/(?:fd\/|stdin$)|proc\/(?:self|\d+)\/fd\/)/;

/** Can be read once, and is no place that anything could be restored to. */
function isStream(directory: string, source: string): boolean {
  if (source === STANDARD_INPUT) return true;
  return OPEN_FILES.test(resolve(directory, source));
}

/** The text of a file that a flag names, or of standard input. */
export function readGiven(
  flag: string,
  source: string,
  afterwards = "No checkpoint was created.",
): string {
  try {
    return readFileSync(source === STANDARD_INPUT ? 0 : source, "utf8");
  } catch (error) {
    throw new Failure("usage", `--${flag}: ${source} cannot be read: ${readProblem(error)}`, {
      hint: `Name a file, or \`-\` for standard input. ${afterwards}`,
      cause: error,
    });
  }
}
