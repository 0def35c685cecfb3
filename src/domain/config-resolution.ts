/** Puts the layers together: the first that has a setting wins, and each value knows where it came from. */
import { configOf } from "./config-of.ts";
import { judge, notInEffect, type ConsentAsk, type IsAgreed } from "./config-consent.ts";
import type { Surroundings } from "./consent-rules.ts";
import type { Config, FailurePolicy } from "./config.ts";
import {
  nearestKey,
  shown,
  type ConfigLayer,
  type ConfigProblem,
  type FoundSetting,
} from "./config-check.ts";
import {
  AGENT_SECTION,
  agentKey,
  ALL_KEYS,
  allowedText,
  fromText,
  isOfOneAgent,
  keyAt,
  SECTIONS,
  SHORTHANDS,
  variableOf,
  type Key,
  type SettingValue,
} from "./config-keys.ts";
import { Failure } from "./failure.ts";

export type Origin =
  | { readonly source: "default" }
  | { readonly source: "environment"; readonly variable: string }
  | { readonly source: "file"; readonly file: string; readonly line: number };

export interface ResolvedSetting {
  readonly key: string;
  readonly value: SettingValue;
  readonly origin: Origin;
}

export interface ResolvedConfig {
  /** Settings that are wrong have their defaults here. */
  readonly config: Config;
  readonly settings: readonly ResolvedSetting[];
  readonly problems: readonly ConfigProblem[];
  readonly warnings: readonly string[];
  /** Settings of other tools that have no effect. */
  readonly notes: readonly string[];
  /** Values of the project's files that need the user's consent, whether or not they have it. */
  readonly asks: readonly ConsentAsk[];
  /** Files that were read. */
  readonly files: readonly string[];
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Where settings are resolved for. */
export interface ForProject extends Pick<Surroundings, "root" | "leadsOutside"> {
  readonly isAgreed: IsAgreed;
}

const ANY_PROJECT: ForProject = {
  root: "/",
  leadsOutside: () => false,
  isAgreed: () => false,
};

/** `layers`: files, the one that counts most first. */
export function resolveConfig(
  layers: readonly ConfigLayer[],
  environment: Environment,
  { isAgreed, ...project }: ForProject = ANY_PROJECT,
): ResolvedConfig {
  const all = [...environmentLayers(environment), ...layers];
  const found = new Map<string, ResolvedSetting>();
  const asks: ConsentAsk[] = [];
  const ofUser = new Map<string, SettingValue>();
  const around = { ...project, ofUser: (key: string) => ofUser.get(key) };
  for (const layer of all) {
    // Of two in one file the later one counts, as it does for those who read the file.
    const own = new Map(layer.settings.map((setting) => [setting.key, setting]));
    for (const [key, setting] of own) {
      const row = keyAt(key);
      if (found.has(key) || row === undefined) continue;
      const isUsers = layer.owner === "user";
      const { value, ask } = isUsers
        ? { value: setting.value }
        : judge(row, setting.value, around, isAgreed);
      if (ask !== undefined) asks.push({ ...ask, file: layer.file, line: setting.line, key });
      if (value === undefined) continue;
      if (isUsers) ofUser.set(key, value);
      found.set(key, { key, value, origin: originOf(layer, setting) });
    }
  }
  const read = <Value extends SettingValue>(key: Key<Value>): Value =>
    key.read(found.get(key.path)?.value) ?? key.fallback;
  const agents = [...found.values()].filter(({ key }) => isOfOneAgent(key));
  return {
    config: configOf(read, ({ path }) => found.has(path), policiesOf(agents)),
    settings: [
      ...ALL_KEYS.map((key): ResolvedSetting => {
        const origin = found.get(key.path)?.origin ?? { source: "default" };
        return { key: key.path, value: read(key), origin };
      }),
      ...agents.toSorted((left, right) => (left.key < right.key ? -1 : 1)),
    ],
    problems: all.flatMap((layer) => layer.problems),
    warnings: [...all.flatMap((layer) => layer.warnings), ...[notInEffect(asks) ?? []].flat()],
    notes: layers.flatMap(({ notes = [] }) => notes),
    asks,
    files: layers.map((layer) => layer.file),
  };
}

function originOf(layer: ConfigLayer, setting: FoundSetting): Origin {
  return layer.source === "file"
    ? { source: "file", file: layer.file, line: setting.line }
    : { source: "environment", variable: layer.file };
}

function policiesOf(agents: readonly ResolvedSetting[]): Record<string, FailurePolicy> {
  return Object.fromEntries(
    agents.flatMap(({ key, value }) => {
      const name = key.slice(AGENT_SECTION.length + 1);
      const policy = agentKey(name)?.read(value);
      return policy === undefined ? [] : [[name, policy] as const];
    }),
  );
}

/** The settings of single keys first: they count more than a shorthand. */
function environmentLayers(environment: Environment): ConfigLayer[] {
  const layers: ConfigLayer[] = [];
  for (const key of ALL_KEYS)
    layers.push(...variableLayer(environment, variableOf(key.path), [key]));
  for (const { path, keys } of SHORTHANDS) {
    layers.push(...variableLayer(environment, variableOf(path), keys));
  }
  const known = new Set([...ALL_KEYS, ...SHORTHANDS].map(({ path }) => variableOf(path)));
  for (const variable of Object.keys(environment)) {
    if (!variable.startsWith(PREFIX) || known.has(variable)) continue;
    const path = pathOf(variable);
    if (path === undefined) continue;
    const agent = path.startsWith(`${AGENT_SECTION}.`)
      ? agentKey(path.slice(AGENT_SECTION.length + 1).replaceAll("_", "-"))
      : undefined;
    layers.push(
      ...(agent === undefined
        ? [{ ...silentLayer(variable), warnings: [unknownVariable(variable, path)] }]
        : variableLayer(environment, variable, [agent])),
    );
  }
  return layers;
}

function silentLayer(variable: string): ConfigLayer {
  const from = { source: "environment", owner: "user", file: variable } as const;
  return { ...from, settings: [], problems: [], warnings: [] };
}

function variableLayer(
  environment: Environment,
  variable: string,
  keys: readonly Key[],
): ConfigLayer[] {
  const text = environment[variable];
  const settings: FoundSetting[] = [];
  for (const key of keys) {
    // Empty is as good as not there, except that a list may well be empty.
    if (text === undefined || (text === "" && !isList(key))) return [];
    const value = key.read(fromText(key.kind, text));
    if (value === undefined) {
      const message = `${variable} cannot be ${shown(text)}; it takes ${allowedInText(key)}`;
      const where = { file: variable, line: null, column: null, key: key.path };
      return [{ ...silentLayer(variable), problems: [{ ...where, value: text, message }] }];
    }
    settings.push({ key: key.path, value, line: 0, column: 0 });
  }
  return [{ ...silentLayer(variable), settings }];
}

const PREFIX = "WAYMARK_";

/** `retention.foo` for WAYMARK_RETENTION_FOO; undefined for variables that are about something else. */
function pathOf(variable: string): string | undefined {
  const rest = variable.slice(PREFIX.length).toLowerCase();
  const section = Object.keys(SECTIONS).find((name) => rest.startsWith(`${name}_`));
  return section === undefined ? undefined : `${section}.${rest.slice(section.length + 1)}`;
}

function unknownVariable(variable: string, path: string): string {
  const nearest = nearestKey(path);
  const meant = nearest === undefined ? "" : `; did you mean ${variableOf(nearest)}?`;
  return `unknown variable ${variable}${meant}`;
}

function isList({ kind }: Key): boolean {
  return kind.type === "names" || kind.type === "patterns";
}

function allowedInText(key: Key): string {
  return isList(key) ? `${key.kind.type} with commas between them` : allowedText(key.kind);
}

/** All problems at once; the first is the message. */
/** More than that hides the first one. */
const MOST_PROBLEMS = 10;

export function configFailure(problems: readonly ConfigProblem[]): Failure {
  const more = problems.length - MOST_PROBLEMS;
  const shown = problems.slice(0, MOST_PROBLEMS).map(({ message }) => message);
  return new Failure("config_invalid", shown.join("\n"), {
    hint:
      (more > 0 ? `There ${more === 1 ? "is 1 more" : `are ${more} more`}. ` : "") +
      "`waymark config` shows every setting and everything that is wrong.",
    details: { problems },
  });
}
