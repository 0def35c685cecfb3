/**
 * Settings of projects that the user has agreed to: `trusted.json` beside the user's own settings. It is a file of its own, so that comments in
 * config.yml stay as they are (docs/decisions/0026-consent.md), and it has the values themselves: another value is another question.
 */
import { join, sep } from "node:path";
import type { SettingValue } from "../../domain/config-keys.ts";
import { userSettingsFolder } from "../../domain/config-places.ts";
import { Failure } from "../../domain/failure.ts";
import { isRecord } from "../../domain/is-record.ts";
import { asFailure } from "../../domain/system-error.ts";
import { writeDurably } from "./durable-write.ts";
import { isMissing } from "./errors.ts";
import { realOrSame, whereItLeads } from "./real-path.ts";
import { readRegular } from "./regular-file.ts";

interface Trusted {
  readonly key: string;
  readonly value: SettingValue;
}

interface TrustedFile {
  readonly schema_version: 1;
  /** By the root of the project. */
  readonly projects: Readonly<Record<string, readonly Trusted[]>>;
}

const NAME = "trusted.json";

export function isTrusted(root: string, env: NodeJS.ProcessEnv, { key, value }: Trusted): boolean {
  const path = placeOf(root, env);
  if (typeof path !== "string") return false;
  const wanted = JSON.stringify(value);
  const trusted = read(path);
  // A file that cannot be understood is no consent; whoever gives it again is told.
  if (typeof trusted === "string" || !Object.hasOwn(trusted.projects, root)) return false;
  const own = trusted.projects[root];
  return (
    Array.isArray(own) &&
    own.some((each) => isRecord(each) && each.key === key && JSON.stringify(each.value) === wanted)
  );
}

/** These and no others are trusted from now on. Returns the file. */
export function writeTrusted(
  root: string,
  env: NodeJS.ProcessEnv,
  settings: readonly Trusted[],
): string {
  const path = placeOf(root, env);
  if (typeof path !== "string") {
    throw new Failure("no_permission", `your consent cannot be stored: ${path.why}`, {
      hint: "Set XDG_CONFIG_HOME (or HOME) to a folder of yours outside the project. Nothing was changed.",
    });
  }
  const trusted = read(path);
  if (typeof trusted === "string") {
    throw new Failure("obstructed", `${path} cannot be used: ${trusted}`, {
      hint: "Move it away; it also contains your consent to settings of other projects. Nothing was changed.",
      details: { path },
    });
  }
  if (settings.length === 0 && !Object.hasOwn(trusted.projects, root)) return path;
  const { [root]: _, ...others } = trusted.projects;
  const own = settings.map(({ key, value }) => ({ key, value }));
  const projects = own.length === 0 ? others : { ...others, [root]: own };
  const file: TrustedFile = { schema_version: 1, projects };
  try {
    writeDurably(path, `${JSON.stringify(file, null, 2)}\n`, true);
  } catch (error) {
    throw asFailure(error, "storing your consent");
  }
  return path;
}

/** A folder in the project is not the user's: a repository could bring it along. */
function placeOf(root: string, env: NodeJS.ProcessEnv): string | { readonly why: string } {
  const folder = userSettingsFolder(env);
  if (folder === undefined) return { why: "neither HOME nor XDG_CONFIG_HOME is set to a folder" };
  const path = join(folder, NAME);
  const isInProject = whereItLeads(path).startsWith(realOrSame(root) + sep);
  return isInProject ? { why: `${folder} is in the project itself` } : path;
}

/** The file, or why it is none. */
function read(path: string): TrustedFile | string {
  try {
    const file: unknown = JSON.parse(readRegular(path, "utf8"));
    const isKnown =
      isRecord(file) && file["schema_version"] === 1 && isRecord(file["projects"] ?? null);
    return isKnown ? (file as unknown as TrustedFile) : "its format is unknown";
  } catch (error) {
    if (isMissing(error)) return { schema_version: 1, projects: {} };
    return (error as Error).message;
  }
}
