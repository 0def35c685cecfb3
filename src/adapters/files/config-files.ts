/**
 * Finds and reads the files that settings come from: the user's own, waymark.yml at the project's root, and those of other tools.
 *
 * Nothing in them is run, no link of a project leads out of it, and a file that is too large is not read. What was read is
 * remembered in the git folder until one of the files changes, so that a checkpoint does not pay for YAML.
 */
import { realpathSync } from "node:fs";
import { createHash } from "node:crypto";
import { dirname, isAbsolute, join, sep } from "node:path";
import { checkOwnFile, type ConfigLayer, type ConfigProblem } from "../../domain/config-check.ts";
import { OWN_FILES, USER_FILE, userSettingsFolder } from "../../domain/config-places.ts";
import { resolveConfig, type ResolvedConfig } from "../../domain/config-resolution.ts";
import { ALL_KEYS, SHORTHANDS } from "../../domain/config-keys.ts";
import {
  checkForeignFile,
  FOREIGN_FORMATS,
  type ForeignFile,
  type ForeignFormat,
} from "../../domain/foreign-config.ts";
import { placesOf } from "./backup/pattern-places.ts";
import { isTrusted } from "./trusted-settings.ts";
import { MOST_TEXT_BYTES, readText, TOO_LARGE } from "./read-text.ts";
import { writeDurably } from "./durable-write.ts";
import { DiskClock } from "./disk-clock.ts";
import { statKey, statOf } from "./file-stat.ts";
import type { YamlError } from "./config-yaml.ts";
import { machineAndUser } from "./machine-and-user.ts";
import { readRegular } from "./regular-file.ts";

interface Candidate {
  /** From the root of the project; absolute: the user's own. */
  readonly path: string;
  /** Undefined: in our own format. */
  readonly foreign?: { readonly format: ForeignFormat; readonly file: ForeignFile };
}

/** Of the project, the one that counts most first. */
const CANDIDATES: readonly Candidate[] = [
  ...OWN_FILES.map((path) => ({ path })),
  ...FOREIGN_FORMATS.flatMap((format) =>
    format.files.map((file) => ({ path: file.path, foreign: { format, file } })),
  ),
];

type Look =
  | { readonly kind: "absent" }
  | {
      readonly kind: "file";
      readonly path: string;
      readonly key: string;
      readonly changedMs: number;
    }
  | { readonly kind: "unusable"; readonly why: string };

/** Every setting of a project, and where it came from. `mainRoot`: what consent is kept for, which linked work trees share. */
export async function readSettings(
  root: string,
  cachePath: string,
  environment: NodeJS.ProcessEnv,
  mainRoot = root,
): Promise<ResolvedConfig> {
  const layers = await readConfigFiles(root, cachePath, environment);
  return resolveConfig(layers, environment, {
    root,
    leadsOutside: (pattern) => placesOf(root, [pattern]).outside.length > 0,
    isAgreed: (key, value) => isTrusted(mainRoot, environment, { key, value }),
  });
}

/** One layer for each file that is there. */
export async function readConfigFiles(
  root: string,
  cachePath: string,
  environment: NodeJS.ProcessEnv,
  clock = new DiskClock(dirname(cachePath), root),
): Promise<readonly ConfigLayer[]> {
  const folder = userSettingsFolder(environment);
  const own = folder === undefined ? [] : [{ path: join(folder, USER_FILE) }];
  const looks = [...own, ...CANDIDATES].map((candidate: Candidate) => ({
    candidate,
    look: lookAt(root, candidate),
  }));
  const present = looks.filter(({ look }) => look.kind !== "absent");
  if (present.length === 0) return [];
  const key = cacheKey(present.map(({ look }) => look));
  const candidates = present.map(({ candidate }) => candidate);
  const remembered = key === undefined ? undefined : readCache(cachePath, key, candidates);
  if (remembered !== undefined) return remembered;
  const layers: ConfigLayer[] = [];
  for (const { candidate, look } of present) layers.push(await readLayer(candidate, look));
  const checked = refuseTwo(layers);
  const isSettled = present.every(
    ({ look }) => look.kind === "file" && clock.isSettled(look.changedMs),
  );
  if (key !== undefined && isSettled) writeCache(cachePath, key, checked);
  return checked;
}

const isUsers = ({ path }: Pick<Candidate, "path">): boolean => isAbsolute(path);

const ownerOf = (candidate: Candidate): ConfigLayer["owner"] =>
  isUsers(candidate) ? "user" : "project";

function lookAt(root: string, { path }: Candidate): Look {
  const isUsersOwn = isUsers({ path });
  const full = isUsersOwn ? path : join(root, path);
  try {
    const stat = statOf(full);
    if (stat === undefined) return { kind: "absent" };
    const real = realpathSync(full);
    if (real.startsWith(realpathSync(root) + sep) === isUsersOwn) {
      // Whoever wrote the project could have written the user's settings, too.
      const why = isUsersOwn
        ? "it is in the project itself; set XDG_CONFIG_HOME to a folder outside"
        : "it is a link to a place outside the project";
      return { kind: "unusable", why };
    }
    const target = statOf(real);
    if (target?.isFile() !== true) return { kind: "unusable", why: "it is not a file" };
    if (target.size > BigInt(MOST_TEXT_BYTES)) return { kind: "unusable", why: TOO_LARGE };
    return {
      kind: "file",
      path: real,
      key: `${path}\n${real}\n${statKey(target)}`,
      changedMs: Number(target.mtimeMs > target.ctimeMs ? target.mtimeMs : target.ctimeMs),
    };
  } catch (error) {
    return { kind: "unusable", why: `it cannot be read: ${(error as Error).message}` };
  }
}

async function readLayer(candidate: Candidate, look: Look): Promise<ConfigLayer> {
  const { path, foreign } = candidate;
  if (look.kind !== "file") {
    const why = look.kind === "unusable" ? [{ ...START, message: look.why }] : [];
    return unusable(candidate, why, true);
  }
  let text: string;
  try {
    text = readText(look.path);
  } catch (error) {
    const why = { ...START, message: `it cannot be read: ${(error as Error).message}` };
    return unusable(candidate, [why], true);
  }
  const { parseYaml } = await import("./config-yaml.ts");
  const parsed = parseYaml(text, foreign === undefined ? undefined : "checkpoint");
  if (parsed.kind === "wrong") return unusable(candidate, parsed.errors);
  if (foreign !== undefined) return checkForeignFile(foreign.format, foreign.file, parsed.root);
  const layer = withOddities(path, checkOwnFile(path, parsed.root), parsed.oddities);
  return { ...layer, owner: ownerOf(candidate) };
}

const START = { line: 1, column: 1 };

/**
 * A file in our format is an error. Another tool's file may be anything, and then it has no settings for us. The user's own file that is out of
 * reach (HOME of another user, as with sudo) is a warning, as it is with git.
 */
function unusable(
  candidate: Candidate,
  errors: readonly YamlError[],
  isOutOfReach = false,
): ConfigLayer {
  const { path, foreign } = candidate;
  const problems = errors.map((error) => problemOf(path, error));
  const owner = ownerOf(candidate);
  const layer = { source: "file", owner, file: path, settings: [] } as const;
  return foreign === undefined && !(isOutOfReach && owner === "user")
    ? { ...layer, problems, warnings: [] }
    : {
        ...layer,
        problems: [],
        warnings: problems
          .slice(0, 1)
          .map(({ message }) => `${message}; its settings are not used`),
      };
}

function problemOf(file: string, { line, column, message }: YamlError): ConfigProblem {
  return {
    file,
    line,
    column,
    key: null,
    value: null,
    message: `${file}:${line}:${column}: ${message}`,
  };
}

/** Tags that nobody knows: what they would make of the value is anybody's guess. */
function withOddities(
  file: string,
  layer: ConfigLayer,
  oddities: readonly YamlError[],
): ConfigLayer {
  return {
    ...layer,
    problems: [...oddities.map((oddity) => problemOf(file, oddity)), ...layer.problems],
  };
}

function refuseTwo(layers: readonly ConfigLayer[]): ConfigLayer[] {
  const own = layers.filter((layer) => OWN_FILES.some((name) => name === layer.file));
  if (own.length < 2) return [...layers];
  const second = own[1]?.file ?? "";
  const message = `${OWN_FILES.join(" and ")} both exist; keep one of them`;
  const refused = unusable({ path: second }, [{ ...START, message }]);
  return layers.map((layer) => (layer.file === second ? refused : layer));
}

interface Cache {
  readonly key: string;
  readonly digest: string;
  readonly layers: readonly ConfigLayer[];
}

/**
 * Changes with every file, with the machine and the user, and with the table of keys: another Waymark may know others.
 *
 * Undefined: one of them cannot be used. Whatever is in the way may go without a trace, and the key would be known beforehand.
 */
function cacheKey(looks: readonly Look[]): string | undefined {
  const files = looks.flatMap((look) => (look.kind === "file" ? [look.key] : []));
  if (files.length < looks.length) return undefined;
  return digestOf([machineAndUser(), files, ALL_KEYS, SHORTHANDS, FOREIGN_FORMATS]);
}

function digestOf(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("hex");
}

/** A copied git folder can bring one along: which file a layer is of, and whose it is, is never taken from it. */
function readCache(
  path: string,
  key: string,
  candidates: readonly Candidate[],
): readonly ConfigLayer[] | undefined {
  try {
    const cache = JSON.parse(readRegular(path, "utf8")) as Cache | null;
    if (cache?.key !== key || cache.digest !== digestOf(cache.layers)) return undefined;
    if (cache.layers.length !== candidates.length) return undefined;
    return cache.layers.map(({ settings, problems, warnings, notes = [] }, at) => {
      const candidate = candidates[at] as Candidate;
      const owner = ownerOf(candidate);
      return { source: "file", owner, file: candidate.path, settings, problems, warnings, notes };
    });
  } catch {
    return undefined;
  }
}

function writeCache(path: string, key: string, layers: readonly ConfigLayer[]): void {
  try {
    const cache: Cache = { key, digest: digestOf(layers), layers };
    writeDurably(path, JSON.stringify(cache), false);
  } catch {
    // The next command reads the files again.
  }
}
