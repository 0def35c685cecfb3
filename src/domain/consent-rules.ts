/**
 * Which values a project's file may not decide alone, because they reach out of the project or switch protection off. Rows of
 * `config-keys.ts` are made with these.
 */
import { asBytePath } from "./byte-path.ts";
import type { SettingValue } from "./config-keys.ts";
import { durationMs, showDuration } from "./duration.ts";
import { exactPath, hasNegatedClass, pathMatcher } from "./path-pattern.ts";

export interface ConsentRule {
  /** The values, for the table in the docs. */
  readonly values: string;
  /** What happens with such a value, as a clause. */
  readonly effect: string;
  /** To a list as a whole: also when none of its items alone is too much. */
  readonly applies: (value: SettingValue, around: Surroundings) => boolean;
  /** What an item of a list means without consent; without this, such an item is left out. */
  readonly restrict?: (item: string, around: Surroundings) => string;
}

export interface Surroundings {
  /** Of the project. */
  readonly root: string;
  /** Whether a pattern names a file outside the project, as the disk is now. */
  readonly leadsOutside: (pattern: string) => boolean;
  /** What the user's own settings say; undefined: nothing. */
  readonly ofUser: (key: string) => SettingValue | undefined;
}

export function exactly(refused: SettingValue, effect: string): ConsentRule {
  return { values: `\`${String(refused)}\``, effect, applies: (value) => value === refused };
}

export function anyOf(refused: readonly SettingValue[], effect: string): ConsentRule {
  const values = refused.map((value) => `\`${String(value)}\``).join(", ");
  return { values, effect, applies: (value) => refused.includes(value) };
}

export function below(least: number, effect: string): ConsentRule {
  return {
    values: `less than ${least}`,
    effect,
    applies: (value) => typeof value === "number" && value < least,
  };
}

export function shorterThan(leastMs: number, effect: string): ConsentRule {
  return {
    values: `less than ${showDuration(leastMs)}`,
    effect,
    applies: (value) => (durationMs(String(value)) ?? leastMs) < leastMs,
  };
}

/** Also when they were called by the name of one agent: the user's own choice for all of them is the stricter one. */
export function weakerThanUsers(general: string, strict: string, effect: string): ConsentRule {
  return {
    values: `other than \`${strict}\` where your own settings have \`${general}: ${strict}\``,
    effect,
    applies: (value, { ofUser }) => ofUser(general) === strict && value !== strict,
  };
}

/** In the form of `.gitignore` an absolute path is one of the project, too: that is what it means without consent. */
export const OUTSIDE: ConsentRule = {
  values: "absolute paths of files outside the project",
  effect: "checkpoints copy files outside the project, and a rollback changes them",
  applies: (value, { leadsOutside }) => itemsOf(value).some(leadsOutside),
  restrict: (item, { root }) => {
    const isAbsolute = item.startsWith("/") && !item.startsWith(`${root}/`);
    // A single name keeps its slash: without it, it would match at any depth.
    const isPath = exactPath(item)?.includes("/") === true;
    return isAbsolute && isPath ? item.slice(1) : item;
  },
};

export function broad(effect: string): ConsentRule {
  return {
    values:
      "patterns that match arbitrary names, all files of a programming language or, together, several ordinary names; `[!…]`",
    effect,
    applies: (value) => {
      const items = itemsOf(value);
      if (items.some(hasNegatedClass)) return true;
      const matches = pathMatcher(items.filter(mayMatchProbe), { ignoreCase: true });
      const isMatched = (path: string): boolean => matches(asBytePath(path), false);
      return PROBES.some(isMatched) || ORDINARY.filter(isMatched).length >= SEVERAL;
    },
  };
}

function itemsOf(value: SettingValue): readonly string[] {
  return typeof value === "object" ? value : [];
}

/** Every letter, in an order in which no two neighbours are likely to be in a pattern: what matches this names nothing. */
const LETTERS = "qjzxkvwbfpgymdhuclotsnraie".split("");
const NONSENSE = LETTERS.join("");

/** Languages that people and agents write by hand; data, prose and what compilers make are not among them. */
const SOURCE_ENDINGS =
  "c cc cpp cs css dart ex go h hpp hs html java jl js jsx kt lua mjs php pl py rb rs scala sh sql svelte swift ts tsx vue zig".split(
    " ",
  );

/** Paths that no careful pattern matches. */
const PROBES: readonly string[] = [
  // `[a-m]*`, `*e*`, `*/`: whatever the name begins with.
  ...LETTERS.flatMap((letter) => [letter + NONSENSE, `${letter}${NONSENSE}/${NONSENSE}`]),
  // `????`: however long it is.
  ...LETTERS.map((_, at) => NONSENSE.slice(0, at + 1)),
  ...["", `${NONSENSE}/`, "src/"].flatMap((folder) =>
    SOURCE_ENDINGS.map((ending) => `${folder}${NONSENSE}.${ending}`),
  ),
];

/** Names that many projects have. A careful list may have one of them; whoever knows the nonsense above can still not spare all of these. */
const ORDINARY: readonly string[] = [
  ..."main.py index.ts readme.md app.js lib.rs main.go main.java package.json makefile dockerfile".split(
    " ",
  ),
  ..."utils.py server.ts config.js index.html style.css user.rb program.cs helper.php setup.sh".split(
    " ",
  ),
  ..."test_main.py types.h vector.cpp schema.sql button.tsx handler.go cargo.toml pom.xml".split(
    " ",
  ),
  ..."app/views.py lib/parser.js cmd/root.go pkg/client.go api/routes.ts core/engine.rs".split(" "),
  ..."tests/test_app.py scripts/deploy.sh web/home.vue internal/store.go".split(" "),
];
const SEVERAL = 3;

const PROBE_TEXT = [...PROBES, ...ORDINARY].join("\n");

/** Most patterns name something, and need not be tried on every path: a checkpoint waits for this. */
function mayMatchProbe(pattern: string): boolean {
  if (/[[\\]/.test(pattern)) return true;
  const literals = pattern.toLowerCase().split(/[*?/]+/);
  return literals.every((literal) => PROBE_TEXT.includes(literal));
}
