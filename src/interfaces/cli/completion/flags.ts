/** Option flags as commander writes them, `-m, --reason <text>`, taken apart. */
import type { OptionSpec } from "../command-spec.ts";

export interface Flags {
  /** `-m`, `--reason` */
  readonly names: readonly string[];
  /** `<text>`, `[text]`; undefined: it takes no value. */
  readonly value: string | undefined;
  /** Takes several values, up to the next option. */
  readonly isVariadic: boolean;
}

export function readFlags({ flags }: OptionSpec): Flags {
  const words = flags.split(/[ ,|]+/);
  const value = words.find((word) => /^[<[]/.test(word));
  return {
    names: words.filter((word) => word.startsWith("-")),
    value,
    isVariadic: value?.includes("...") ?? false,
  };
}
