/** Settings of a project that count only with the user's consent: which they are, what counts without it, and what is said about them. */
import type { Key, SettingValue } from "./config-keys.ts";
import type { Surroundings } from "./consent-rules.ts";

/** A value, or of a list the items, that a project may not decide alone. */
export interface ConsentAsk {
  /** From the root of the project. */
  readonly file: string;
  readonly line: number;
  readonly key: string;
  readonly value: SettingValue;
  /** What happens with it, as a clause. */
  readonly effect: string;
  readonly isAgreed: boolean;
}

/** What the user has agreed to for this project. */
export type IsAgreed = (key: string, value: SettingValue) => boolean;

interface Judged {
  /** What counts; undefined: nothing of it, and the next source is asked. */
  readonly value: SettingValue | undefined;
  readonly ask?: Pick<ConsentAsk, "value" | "effect" | "isAgreed">;
}

export function judge(
  { path, consent }: Key,
  value: SettingValue,
  around: Surroundings,
  isAgreed: IsAgreed,
): Judged {
  if (consent === undefined) return { value };
  const { applies, effect, restrict } = consent;
  if (typeof value !== "object") {
    if (!applies(value, around)) return { value };
    const agreed = isAgreed(path, value);
    return { value: agreed ? value : undefined, ask: { value, effect, isAgreed: agreed } };
  }
  const asked = askedItems(value, (items) => applies(items, around));
  const agreed = asked.length > 0 && isAgreed(path, asked);
  const counts = value.flatMap((item) => {
    if (agreed && asked.includes(item)) return [item];
    if (restrict !== undefined) return [restrict(item, around)];
    return asked.includes(item) ? [] : [item];
  });
  if (asked.length === 0) return { value: counts };
  return {
    value: counts.length > 0 ? counts : undefined,
    ask: { value: asked, effect, isAgreed: agreed },
  };
}

/** Those that are too much alone; where the others still are together, all of them. */
function askedItems(
  items: readonly string[],
  applies: (items: readonly string[]) => boolean,
): readonly string[] {
  if (!applies(items)) return [];
  const alone = items.filter((item) => applies([item]));
  return applies(items.filter((item) => !alone.includes(item))) ? items : alone;
}

/** More than these are in `waymark config trust`. */
const MOST_NAMED = 3;

/** One line for people and agents. Items of lists are the project's words, which nobody passes on to an agent. */
function named(asks: readonly ConsentAsk[]): string {
  const shown = asks.slice(0, MOST_NAMED).map(({ file, line, key, value, effect }) => {
    const setting = typeof value === "object" ? key : `${key}: ${String(value)}`;
    return `${file}:${line} ${setting} (${effect})`;
  });
  const more = asks.length - shown.length;
  return [...shown, ...(more > 0 ? [`${more} more`] : [])].join("; ");
}

/** Undefined: nothing to say. */
export function notInEffect(asks: readonly ConsentAsk[]): string | undefined {
  const open = asks.filter(({ isAgreed }) => !isAgreed);
  if (open.length === 0) return undefined;
  return `not in effect without your consent: ${named(open)}; review with \`waymark config trust\``;
}

/** For the user of an agent, who may not be the one who agreed, or may have forgotten it. */
export function inEffect(asks: readonly ConsentAsk[]): string | undefined {
  const agreed = asks.filter(({ isAgreed }) => isAgreed);
  if (agreed.length === 0) return undefined;
  return `in effect with your consent: ${named(agreed)}; withdraw it with \`waymark config trust --revoke\``;
}
