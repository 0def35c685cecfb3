/** Words of git and of similar tools that people try first, and the command that does it here. None of them runs: restoring by a guess would be rash. */
import { COMMANDS, FAMILIES } from "./command-table.ts";
import { secondWord } from "./command-spec.ts";
import { nearestNames } from "../../domain/nearest-name.ts";

const WORDS: Readonly<Record<string, string>> = {
  create: "add backup checkpoint commit new save snapshot take",
  rollback: "apply back checkout goto jump reset restore revert rewind switch",
  undo: "undo-rollback unrestore",
  list: "checkpoints history ls timeline",
  status: "st state where",
  show: "cat info inspect view",
  diff: "changes compare",
  log: "audit journal reflog",
  delete: "del drop remove rm",
  cleanup: "clean gc prune",
  validate: "check fsck verify",
  doctor: "fix health repair",
  config: "settings",
  "config set": "set",
  init: "setup",
  resume: "continue",
  observe: "attach watch",
  pin: "keep",
  "config unset": "unset",
  "hooks install": "enable install",
  "hooks uninstall": "disable uninstall",
  "session list": "sessions",
};

/** The same of words behind the name of a family. */
const SECOND_WORDS: Readonly<Record<string, string>> = {
  "hooks install": "add on set",
  "hooks uninstall": "delete off remove rm",
  "session delete": "remove rm",
  "session start": "begin create new",
  "session complete": "done end finish",
};

export const GUESSES: ReadonlyMap<string, string> = new Map(
  Object.entries(WORDS).flatMap(([command, words]) =>
    words.split(" ").map((word) => [word, command]),
  ),
);

/** What is meant by a word that no command has, in order of likelihood; `family`: the word before it. */
export function guessCommands(word: string, family?: string): readonly string[] {
  const guess = GUESSES.get(word.toLowerCase());
  const names = COMMANDS.filter(({ isHidden }) => isHidden !== true).map(({ name }) => name);
  if (family !== undefined) {
    const own = names.filter((name) => name.startsWith(`${family} `));
    const seconds = own.map((name) => secondWord({ name }) ?? name);
    const known = own.find((name) => SECOND_WORDS[name]?.split(" ").includes(word.toLowerCase()));
    if (known !== undefined) return [known];
    const near =
      guess !== undefined && seconds.includes(guess) ? [guess] : nearestNames(word, seconds);
    return near.map((second) => `${family} ${second}`);
  }
  if (guess !== undefined) return [guess];
  const firsts = names.filter((name) => !name.includes(" "));
  return nearestNames(word, [...firsts, "help", ...FAMILIES.map(({ name }) => name)]);
}
