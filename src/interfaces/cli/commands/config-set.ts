/** `waymark config set` and `waymark config unset` */
import { changeSetting, type ChangedSetting } from "../../../app.ts";
import { shown } from "../../../domain/config-check.ts";
import {
  allowedText,
  fromText,
  keyAt,
  SHORTHANDS,
  type Key,
  type SettingValue,
} from "../../../domain/config-keys.ts";
import { yamlText } from "../../../domain/config-template.ts";
import { Failure } from "../../../domain/failure.ts";
import { refuseAgents } from "../ask.ts";
import type { Context } from "../command-spec.ts";
import { noSuchSetting, originText } from "./config.ts";

export async function run(context: Context): Promise<void> {
  const { output, args, options, directory } = context;
  const [path, words] = args as [string, string[] | undefined];
  const isUsers = options["user"] === true;
  // What counts in all projects is the user's to decide, as consent is.
  if (isUsers) refuseAgents("waymark config set --user");
  const keys = keysOf(path);
  const value = words === undefined ? undefined : valueOf(path, keys, words);
  const change = { path, keys: keys.map((key) => key.path), value };
  const changed = await changeSetting(directory, isUsers, change);
  const own = changed.resolved?.settings.find((setting) => setting.key === keys[0]?.path);
  const needsConsent = waitsForConsent(changed, keys);
  if (needsConsent) {
    output.warn(
      `${path} has no effect yet: this value needs your consent (\`waymark config trust\`)`,
    );
  } else if (own !== undefined && value !== undefined && shown(own.value) !== shown(value)) {
    const { value: other, origin } = own;
    output.warn(`${path} stays ${yamlText(other)}: ${originText(origin)} takes precedence`);
  }
  output.result(
    "config_set",
    {
      file: changed.file,
      key: path,
      value: value ?? null,
      before: changed.before ?? null,
      changed: changed.isChanged,
      in_effect: own?.value ?? null,
      needs_consent: needsConsent,
      warnings: [],
    },
    [said(path, value, changed)],
  );
}

function keysOf(path: string): readonly Key[] {
  const key = keyAt(path);
  const keys =
    SHORTHANDS.find((each) => each.path === path)?.keys ?? (key === undefined ? [] : [key]);
  if (keys.length === 0) throw noSuchSetting(path);
  return keys;
}

function valueOf(path: string, [key]: readonly Key[], words: readonly string[]): SettingValue {
  if (key === undefined) throw noSuchSetting(path);
  const { kind, read } = key;
  const isList = kind.type === "names" || kind.type === "patterns";
  const given = words.length === 1 ? fromText(kind, words[0] ?? "") : words;
  const value = words.length > 1 && !isList ? undefined : read(given);
  if (value !== undefined) return value;
  throw new Failure("usage", `${path} cannot be ${shown(words.join(" "))}`, {
    hint: `It takes ${allowedText(kind)}. Nothing was changed.`,
  });
}

function said(
  path: string,
  value: SettingValue | undefined,
  { file, before, isChanged, isDeleted }: ChangedSetting,
): string {
  if (value !== undefined && !isChanged) return `${file} already has ${path}: ${yamlText(value)}`;
  if (value === undefined) {
    if (before === undefined) return `${file} does not set ${path}`;
    return isDeleted
      ? `removed ${path}, the last setting, and deleted ${file}`
      : `removed ${path} from ${file}`;
  }
  const was = before === undefined ? "" : ` (was ${yamlText(before)})`;
  return `set ${path}: ${yamlText(value)} in ${file}${was}`;
}

function waitsForConsent({ resolved, file }: ChangedSetting, keys: readonly Key[]): boolean {
  const asks = resolved?.asks ?? [];
  return asks.some(
    (ask) => !ask.isAgreed && ask.file === file && keys.some(({ path }) => path === ask.key),
  );
}
