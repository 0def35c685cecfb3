/** Ids, phases, sessions, paths, selectors and refs that would be options, shell words, paths out of the project or escape sequences. */
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { gitPlaces } from "../../../support/git-places.ts";
import { readRefs } from "../../../support/read-refs.ts";
import type { Attack, Prepared } from "../attack.ts";
import { type Dice } from "../dice.ts";
import { complaints } from "../in-process.ts";

const HOSTILE: readonly string[] = [
  "--output=canary",
  "--upload-pack=touch canary",
  "-x",
  "--",
  "--exec=touch canary",
  "-o",
  "$(touch canary)",
  "`touch canary`",
  ";touch canary",
  "|touch canary",
  "&touch canary",
  "'\"; touch canary #",
  "../canary",
  "../../../../etc/passwd",
  "/etc/passwd",
  "a/../../canary",
  ".git/hooks/post-commit",
  ".git/config",
  "refs/heads/main",
  "HEAD",
  "HEAD~1",
  "HEAD@{0}",
  "main:a.txt",
  ":/second",
  "@{-1}",
  "x.lock",
  "a..b",
  "a b",
  "\x1B[31mred\x1B[0m",
  "‮txt.exe",
  "new\nline",
  "\r",
  "	",
  "ünïcödé",
  "﻿",
  "𝒳",
  "\ud800",
  "x".repeat(5e3),
  "a/".repeat(500),
  "*",
  "**/*",
  "[",
  "?",
  "{a,b}",
  "!a",
  ":(exclude)a",
  ":(glob)**",
  "~",
  "%s%n",
  "${HOME}",
  "__proto__",
  "constructor",
  "toString",
  "null",
  "0",
  "-1",
  "1e9",
  "NaN",
  "latest~99999999999",
  "session:",
  "phase:",
  "session:/1",
];

/** What a terminal acts on: colours, titles, moves of the cursor, the direction of text. */
const ACTING: readonly string[] = [
  "\u001b[31mred\u001b[0m",
  "\u001b]0;title\u0007",
  "\u001b[2J",
  "\u009b2J",
  "\b\b\b",
  "\r",
  "\u202etxt.exe",
  "\u2066x\u2069",
];

const SELECTING: readonly (readonly string[])[] = [
  ["show"],
  ["validate"],
  ["diff"],
  ["pin"],
  ["unpin"],
  ["stash"],
  ["rebuild"],
  ["export"],
  ["rollback", "--dry-run"],
  ["rollback", "--yes"],
  ["delete", "--yes"],
  ["delete", "--undo"],
  ["session", "show"],
  ["session", "pause"],
  ["import"],
  ["import", "--from", "go-team"],
  ["resume", "--dry-run"],
  ["run", "--dry-run"],
];

/** What shows people the names that were taken in. */
const SHOWING: readonly (readonly string[])[] = [
  ["list", "--all"],
  ["show", "latest"],
  ["log"],
  ["session", "list"],
  ["session", "show"],
  ["diff", "latest"],
];

const OPTIONS: readonly (readonly [command: readonly string[], option: string])[] = [
  ...["--name", "--phase", "--task", "--workflow-state", "--reason", "--description"].map(
    (option) => [["create", "--force"], option] as const,
  ),
  ...[
    "--trigger",
    "--scope",
    "--expires",
    "--step",
    "--type",
    "--state-key",
    "--include-secrets",
  ].map((option) => [["create"], option] as const),
  [["create"], "--session"],
  [["list"], "--session"],
  [["list"], "--phase"],
  [["list"], "--task"],
  [["log"], "--session"],
  [["rollback", "latest", "--yes"], "--paths"],
  [["rollback", "--yes"], "--only-session"],
  [["session", "start", "--type", "t"], "--id"],
  [["session", "start"], "--type"],
  [["session", "start", "--type", "t"], "--project"],
  [["cleanup", "--dry-run"], "--older-than"],
  [["cleanup", "--dry-run"], "--keep"],
  [["create"], "--state"],
  [["create"], "--metrics"],
  [["create"], "--database"],
];

export const names: Attack = {
  id: "names",
  what: "hostile ids, selectors, phases, sessions, paths and values of options",
  weight: 2,
  async prepare(scene): Promise<Prepared> {
    const { repo } = scene;
    const refs = (): string => JSON.stringify([...(readRefs(gitPlaces(repo.root)!)?.refs ?? [])]);
    const checkpoints = (): Promise<string> => repo.storeRefs("refs/waymark/cp");
    const before = refs();
    const canaries = [process.cwd(), repo.root, repo.base].map((folder) => join(folder, "canary"));
    return {
      async attempt(dice) {
        const args = commandLine(dice);
        const around = scene.around();
        const files = scene.files();
        const list = await checkpoints();
        const called = await scene.run(...args);
        const wrong = [...complaints(called)];
        // The same for a person, and what it took in when somebody looks.
        wrong.push(...complaints(await scene.runPlain(...args)));
        wrong.push(...complaints(await scene.runPlain(...dice.one(SHOWING))));
        if (scene.around() !== around) wrong.push(`${args.join(" ")}: changed something outside`);
        for (const canary of canaries.filter((file) => existsSync(file))) {
          wrong.push(`${args.join(" ")}: made ${canary}`);
          rmSync(canary, { recursive: true });
        }
        // Those that choose or make a checkpoint are meant to change something.
        if (!args.includes("latest") && args[0] !== "create") {
          if (scene.files() !== files) wrong.push(`${args.join(" ")}: changed files`);
          if ((await checkpoints()) !== list) wrong.push(`${args.join(" ")}: changed checkpoints`);
        }
        // A stash entry is what `stash` is for.
        if (refs() !== before && args[0] !== "stash") wrong.push(`${args.join(" ")}: moved a ref`);
        if (refs() !== before) await repo.git("stash", "clear");
        return wrong;
      },
    };
  },
};

function commandLine(dice: Dice): string[] {
  const word = hostileWord(dice);
  if (dice.below(2) === 0) {
    const [command = "show", ...rest] = dice.one(SELECTING);
    return dice.below(2) === 0 ? [command, ...rest, word] : [command, ...rest, "--", word];
  }
  const [command, option] = dice.one(OPTIONS);
  return dice.below(2) === 0 ? [...command, option, word] : [...command, `${option}=${word}`];
}

/** A dash alone would read standard input; Node passes no NUL to anybody. */
function hostileWord(dice: Dice): string {
  const word = dice.one(HOSTILE);
  const longer = dice.below(3) === 0 ? word + dice.one(HOSTILE) : word;
  const made = dice.below(3) === 0 ? longer + dice.one(ACTING) : longer;
  return made === "-" ? "--" : made;
}
