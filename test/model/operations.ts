/**
 * Random things that people, agents and git do to a project. Every operation copes with any state: what git refuses is
 * skipped, what stands in the way of a file is replaced.
 */
import fc from "fast-check";
import { lstat } from "node:fs/promises";
import { parentsOf, toKey } from "../support/byte-path.ts";
import { type TempRepository } from "../support/temp-repository.ts";

/** Short on purpose, so that operations meet: a file and a folder of one name, ignored, odd and not UTF-8 names. */
const names = {
  a: "a",
  b: "b",
  spaced: " b c ",
  newline: "new\nline",
  umlaut: "ü",
  "not-utf8": Buffer.from("bad\xff", "latin1"),
  dir: "dir",
  "dir/x": "dir/x",
  "dir/y": "dir/y",
  "dir/sub/z": "dir/sub/z",
  "dir/ignored": "dir/i.log",
  ignored: "i.log",
  data: "k.dat",
  dash: "-n",
  // What the states of the catalogue are made of.
  "a.txt": "a.txt",
  "b.txt": "b.txt",
  "dir/c.txt": "dir/c.txt",
  "run.sh": "run.sh",
  "in-nested": "nested/file.txt",
  "in-module": "module/a.txt",
  "nested-deep": "dir/deep/d.bin",
} as const;

const contents = {
  empty: "",
  one: "content 1\n",
  two: "content 2\n",
  crlf: "one\r\ntwo\r\n",
  binary: Buffer.from([0, 255, 10, 13, 10, 0]),
  large: Buffer.alloc(70_000, "large "),
} as const;

const targets = { inside: "a", folder: "dir", outside: "../outside", dangling: "nowhere" } as const;

const ignoreRules = { logs: "*.log\n", data: "*.dat\n", folder: "dir/\n", none: "" } as const;

const attributes = {
  auto: "* text=auto\n",
  crlf: "* text eol=crlf\n",
  filter: "* filter=swap\n",
  none: "",
} as const;

type Name = keyof typeof names;

export type Operation =
  | { readonly do: "write"; readonly name: Name; readonly content: keyof typeof contents }
  | { readonly do: "link"; readonly name: Name; readonly target: keyof typeof targets }
  | { readonly do: "chmod"; readonly name: Name; readonly mode: number }
  | { readonly do: "remove" | "folder"; readonly name: Name }
  | { readonly do: "move"; readonly name: Name; readonly to: Name }
  | { readonly do: "ignore"; readonly rules: keyof typeof ignoreRules }
  | { readonly do: "attributes"; readonly rules: keyof typeof attributes }
  | { readonly do: PathCommand; readonly name: Name }
  | { readonly do: Command };

/** Git commands on one path, which comes by standard input. */
const pathCommands = {
  stage: ["add", "-A"],
  "stage-ignored": ["add", "-f"],
  "intend-to-add": ["add", "-N"],
  unstage: ["rm", "-q", "-r", "--cached"],
  restore: ["checkout", "-q"],
} as const;

const flagCommands = {
  "assume-unchanged": "--assume-unchanged",
  "skip-worktree": "--skip-worktree",
  "no-skip-worktree": "--no-skip-worktree",
} as const;

type PathCommand = keyof typeof pathCommands | keyof typeof flagCommands;

/** Git commands on the whole project, one after the other; a failing one does not stop the next. */
const commands = {
  "stage-all": [["add", "-A"]],
  commit: [["commit", "-q", "-m", "model"]],
  "commit-all": [
    ["add", "-A"],
    ["commit", "-q", "--allow-empty", "-m", "model"],
  ],
  amend: [["commit", "-q", "--amend", "--allow-empty", "-m", "amended"]],
  "new-branch": [["checkout", "-q", "-B", "made"]],
  orphan: [["checkout", "-q", "--orphan", "fresh"]],
  "switch-forced": [["checkout", "-q", "-f", "topic"]],
  "delete-main": [
    ["checkout", "-q", "--detach"],
    ["branch", "-q", "-D", "main"],
  ],
  detach: [["checkout", "-q", "--detach"]],
  "reset-hard": [["reset", "-q", "--hard"]],
  "reset-back": [["reset", "-q", "--hard", "HEAD~1"]],
  "reset-mixed": [["reset", "-q", "HEAD~1"]],
  clean: [["clean", "-q", "-f", "-d"]],
  "clean-ignored": [["clean", "-q", "-f", "-d", "-x"]],
  merge: [["merge", "-q", "topic"]],
  "merge-no-commit": [["merge", "-q", "--no-commit", "--no-ff", "quiet"]],
  "cherry-pick": [["cherry-pick", "topic"]],
  revert: [["revert", "--no-edit", "HEAD~1"]],
  rebase: [["rebase", "-q", "topic"]],
  "rebase-apply": [["rebase", "-q", "--apply", "topic"]],
  bisect: [["bisect", "start", "HEAD", "HEAD~1"]],
  abort: [
    ["merge", "--abort"],
    ["cherry-pick", "--abort"],
    ["revert", "--abort"],
    ["rebase", "--abort"],
    ["bisect", "reset"],
    ["am", "--abort"],
  ],
  finish: [
    ["add", "-A"],
    ["commit", "-q", "--no-edit"],
    ["rebase", "--continue"],
    ["cherry-pick", "--continue"],
  ],
  stash: [["stash", "push", "-q", "-u"]],
  "stash-pop": [["stash", "pop", "-q"]],
  "index-v4": [["update-index", "--index-version", "4"]],
  "split-index": [["update-index", "--split-index"]],
  refresh: [["status"]],
  am: [["am", "-q", "-3", "../mbox"]],
  "rebase-edit": [["rebase", "-q", "-i", "--autostash", "HEAD~1"]],
  "merge-other": [["merge", "-q", "other"]],
  "switch-other": [["checkout", "-q", "-f", "other"]],
  "pack-refs": [["pack-refs", "--all"]],
  nested: [["init", "-q", "nested"]],
  "work-tree": [["worktree", "add", "-q", "-f", "trees/one"]],
  sparse: [["sparse-checkout", "set", "--cone", "dir"]],
  "sparse-index": [["sparse-checkout", "set", "--cone", "--sparse-index", "dir"]],
  "no-sparse": [["sparse-checkout", "disable"]],
  "own-config": [
    ["config", "extensions.worktreeConfig", "true"],
    ["config", "--worktree", "core.autocrlf", "false"],
  ],
  gc: [
    ["reflog", "expire", "--expire=now", "--all"],
    ["gc", "-q", "--prune=now"],
  ],
} as const;

type Command = keyof typeof commands;

const keysOf = <T extends object>(table: T): (keyof T)[] => Object.keys(table) as (keyof T)[];

const name = fc.constantFrom(...keysOf(names));

/** Writing is the most frequent, as in life; the rest is spread evenly. */
export const operation: fc.Arbitrary<Operation> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant("write" as const),
      name,
      content: fc.constantFrom(...keysOf(contents)),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constantFrom("remove" as const, "folder" as const), name }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("link" as const),
      name,
      target: fc.constantFrom(...keysOf(targets)),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("chmod" as const),
      name,
      mode: fc.constantFrom(0o400, 0o600, 0o644, 0o755),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("move" as const), name, to: name }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant("ignore" as const),
      rules: fc.constantFrom(...keysOf(ignoreRules)),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant("attributes" as const),
      rules: fc.constantFrom(...keysOf(attributes)),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constantFrom(...keysOf(pathCommands), ...keysOf(flagCommands)),
      name,
    }),
  },
  { weight: 8, arbitrary: fc.record({ do: fc.constantFrom(...keysOf(commands)) }) },
);

export async function perform(
  repo: TempRepository,
  operations: readonly Operation[],
): Promise<void> {
  for (const one of operations) {
    await performOne(repo, one);
  }
}

async function performOne(repo: TempRepository, operation: Operation): Promise<void> {
  switch (operation.do) {
    case "write":
      await clearTheWay(repo, operation.name);
      await repo.write(names[operation.name], contents[operation.content]);
      return;
    case "link":
      await clearTheWay(repo, operation.name);
      await repo.link(names[operation.name], targets[operation.target]);
      return;
    case "folder":
      await clearTheWay(repo, operation.name);
      await repo.folder(names[operation.name]);
      return;
    case "remove":
      await repo.remove(names[operation.name]).catch(() => undefined);
      return;
    case "move":
      await repo.move(names[operation.name], names[operation.to]).catch(() => undefined);
      return;
    case "chmod":
      await chmodFile(repo, operation.name, operation.mode);
      return;
    case "ignore":
      await repo.write(".gitignore", ignoreRules[operation.rules]).catch(() => undefined);
      return;
    case "attributes":
      await repo.write(".gitattributes", attributes[operation.rules]).catch(() => undefined);
      return;
    default:
      await performGit(repo, operation);
  }
}

/** An interactive rebase stops at its first commit. */
const editsFirst = { GIT_SEQUENCE_EDITOR: "sed -i -e '0,/^pick/s//edit/'" };

async function performGit(
  repo: TempRepository,
  operation: Extract<Operation, { do: PathCommand | Command }>,
): Promise<void> {
  if (!("name" in operation)) {
    for (const args of commands[operation.do]) {
      // With intent-to-add entries outside of the cone git 2.39 never ends.
      const isEndless = operation.do === "sparse-index";
      await repo.tryGit(args, { env: editsFirst, ...(isEndless ? { timeoutMs: 10_000 } : {}) });
    }
    return;
  }
  const path = Buffer.concat([Buffer.from(names[operation.name]), Buffer.from([0])]);
  const args =
    operation.do in flagCommands
      ? ["update-index", flagCommands[operation.do as keyof typeof flagCommands], "-z", "--stdin"]
      : [
          ...pathCommands[operation.do as keyof typeof pathCommands],
          "--pathspec-from-file=-",
          "--pathspec-file-nul",
        ];
  await repo.tryGit(args, { input: path, env: { GIT_LITERAL_PATHSPECS: "1" } });
}

/** A file or link where a folder is needed, or anything where the file goes, is replaced; links are never walked through. */
async function clearTheWay(repo: TempRepository, which: Name): Promise<void> {
  for (const parent of parentsOf(toKey(names[which])).reverse()) {
    const stats = await lstat(repo.path(parent)).catch(() => undefined);
    if (stats !== undefined && !stats.isDirectory()) {
      await repo.remove(parent);
    }
  }
  await repo.remove(names[which]);
}

/** Only plain files: through a link it would reach out of the project, and folder modes are not kept. */
async function chmodFile(repo: TempRepository, which: Name, mode: number): Promise<void> {
  const links = await Promise.all(
    parentsOf(toKey(names[which])).map(
      async (parent) =>
        (await lstat(repo.path(parent)).catch(() => undefined))?.isDirectory() !== true,
    ),
  );
  const stats = await lstat(repo.path(names[which])).catch(() => undefined);
  if (stats?.isFile() === true && !links.includes(true)) {
    await repo.chmod(names[which], mode);
  }
}
