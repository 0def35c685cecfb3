/** Shrunk failures of earlier runs, each with what went wrong: they are run every time. */
import { type Work } from "./steps.ts";

export interface Regression {
  readonly name: string;
  readonly work: Work;
}

const plain = { refreshed: false, by: "library", fsck: false } as const;

export const regressions: readonly Regression[] = [
  {
    // The rules came back with them, and were taken for rules that somebody wrote since.
    name: "undo takes away files that the rollback brought together with the rules that ignore them",
    work: {
      ...plain,
      start: "history",
      steps: [
        { do: "work", operations: [{ do: "ignore", rules: "folder" }] },
        { do: "create", kind: "plain" },
        { do: "work", operations: [{ do: "switch-forced" }] },
        { do: "rollback", to: 0, extent: "files-only", twice: false },
        { do: "undo" },
      ],
    },
  },
  {
    // The same, and here they were written since: such a file stays.
    name: "redo keeps a file that somebody wants ignored since",
    work: {
      ...plain,
      start: "a clean work tree",
      steps: [
        { do: "create", kind: "plain" },
        { do: "work", operations: [{ do: "write", name: "dir/sub/z", content: "one" }] },
        { do: "rollback", to: 0, extent: "all", twice: false },
        { do: "undo" },
        { do: "work", operations: [{ do: "ignore", rules: "folder" }] },
        { do: "redo" },
      ],
    },
  },
  {
    // No capture of the present sees such a file, so it stayed, and the undo was called a success.
    name: "undo takes away a file that the rollback brought and that git ignores by now",
    work: {
      ...plain,
      start: "a clean work tree",
      steps: [
        { do: "work", operations: [{ do: "write", name: "dir/x", content: "one" }] },
        { do: "create", kind: "scoped" },
        {
          do: "work",
          operations: [
            { do: "remove", name: "dir/x" },
            { do: "ignore", rules: "folder" },
          ],
        },
        { do: "rollback", to: 0, extent: "all", twice: false },
        { do: "undo" },
        { do: "redo" },
        { do: "undo" },
      ],
    },
  },
  {
    // It was refused, as that file was in the way.
    name: "undo puts a file in the place of a folder that the rollback brought and that git ignores by now",
    work: {
      ...plain,
      start: "a clean work tree",
      steps: [
        { do: "work", operations: [{ do: "write", name: "dir/x", content: "empty" }] },
        { do: "create", kind: "scoped" },
        {
          do: "work",
          operations: [
            { do: "write", name: "dir", content: "empty" },
            { do: "ignore", rules: "folder" },
          ],
        },
        { do: "rollback", to: 0, extent: "all", twice: false },
        { do: "undo" },
      ],
    },
  },
  {
    // Git's own `update-index` mixed an index that has folders in place of files, without flags.
    name: "undo of a rollback in part brings back the flags of a sparse index",
    work: {
      ...plain,
      start: "a clean work tree",
      steps: [
        { do: "create", kind: "plain" },
        {
          do: "work",
          operations: [
            { do: "sparse-index" },
            { do: "assume-unchanged", name: "dir/c.txt" },
            { do: "write", name: "dir/y", content: "one" },
            { do: "intend-to-add", name: "dir/y" },
          ],
        },
        { do: "rollback", to: 0, extent: "paths", twice: false },
        { do: "undo" },
      ],
    },
  },
  {
    // The index was mixed by `git update-index`, which notes a resolved conflict of its own for each one that goes.
    name: "undo of a rollback in part leaves no traces of conflicts that nobody resolved",
    work: {
      ...plain,
      start: "history",
      steps: [
        { do: "work", operations: [{ do: "cherry-pick" }] },
        { do: "create", kind: "scoped" },
        { do: "work", operations: [{ do: "reset-back" }] },
        { do: "rollback", to: 0, extent: "all", twice: false },
        { do: "undo" },
      ],
    },
  },
  {
    // The same way of mixing knew no flags, and left out what was only intended to be added.
    name: "undo of a rollback in part brings back flags and what was intended to be added",
    work: {
      ...plain,
      start: "settled",
      steps: [
        { do: "create", kind: "plain" },
        {
          do: "work",
          operations: [
            { do: "write", name: "dir/y", content: "one" },
            { do: "intend-to-add", name: "dir/y" },
            { do: "assume-unchanged", name: "dir/x" },
          ],
        },
        { do: "rollback", to: 0, extent: "paths", twice: false },
        { do: "undo" },
      ],
    },
  },
  {
    // The model took what the scope names for left alone.
    name: "a scope that git ignores brings its files back",
    work: {
      ...plain,
      start: "history",
      steps: [
        {
          do: "work",
          operations: [
            { do: "write", name: "dir/y", content: "one" },
            { do: "ignore", rules: "folder" },
          ],
        },
        { do: "create", kind: "scoped" },
        { do: "work", operations: [{ do: "write", name: "dir/y", content: "two" }] },
        { do: "rollback", to: 0, extent: "all", twice: false },
        { do: "undo" },
      ],
    },
  },
  {
    // They were announced as removed, stayed, and the rollback said that its result did not match.
    name: "files of a scope that git ignores by now are those of the checkpoint's work tree",
    work: {
      ...plain,
      start: "rules in nested .gitignore files, info/exclude and core.excludesFile, with negations",
      steps: [
        { do: "create", kind: "scoped" },
        { do: "work", operations: [{ do: "ignore", rules: "folder" }] },
        { do: "rollback", to: 0, extent: "all", twice: false },
        { do: "undo" },
      ],
    },
  },
  {
    // The model took a second rollback for one that changes nothing, also where the first brought other ignore rules back.
    name: "a file that the first rollback kept as ignored goes with the second",
    work: {
      ...plain,
      start: "a clean work tree",
      steps: [
        { do: "create", kind: "plain" },
        {
          do: "work",
          operations: [
            { do: "ignore", rules: "folder" },
            { do: "link", name: "dir/y", target: "inside" },
          ],
        },
        { do: "rollback", to: 0, extent: "files-only", twice: true },
        { do: "undo" },
      ],
    },
  },
  {
    // The model asked the rules on the disk, which a rollback of a part leaves as they are.
    name: "a rollback of a part keeps a file that the rules of then ignored",
    work: {
      ...plain,
      start: "index version 4",
      steps: [
        { do: "create", kind: "plain" },
        {
          do: "work",
          operations: [
            { do: "ignore", rules: "none" },
            { do: "write", name: "dir/ignored", content: "empty" },
          ],
        },
        { do: "rollback", to: 0, extent: "paths", twice: false },
        { do: "undo" },
      ],
    },
  },
  {
    name: "undo takes away what its rollback wrote into a folder that has become a repository",
    work: {
      ...plain,
      start: "history",
      steps: [
        { do: "work", operations: [{ do: "write", name: "in-nested", content: "empty" }] },
        { do: "create", kind: "plain" },
        {
          do: "work",
          operations: [{ do: "move", name: "in-nested", to: "a" }, { do: "nested" }],
        },
        { do: "rollback", to: 0, extent: "all", twice: false },
        { do: "undo" },
        { do: "redo" },
      ],
    },
  },
  {
    name: "undo brings back the file in whose place a folder with copied files came",
    work: {
      ...plain,
      start: "a clean work tree",
      steps: [
        { do: "work", operations: [{ do: "write", name: "dir/ignored", content: "empty" }] },
        { do: "create", kind: "scoped" },
        { do: "work", operations: [{ do: "write", name: "dir", content: "empty" }] },
        { do: "rollback", to: 0, extent: "all", twice: false },
        { do: "undo" },
        { do: "redo" },
      ],
    },
  },
  {
    // The model expected the file of now to stay.
    name: "redo brings back an ignored file that its undo had held, in the place of one that is held now",
    work: {
      ...plain,
      start: "history",
      steps: [
        { do: "create", kind: "plain" },
        {
          do: "work",
          operations: [{ do: "revert" }, { do: "write", name: "a", content: "empty" }],
        },
        { do: "rollback", to: 0, extent: "all", twice: false },
        { do: "undo" },
        {
          do: "work",
          operations: [{ do: "write", name: "ignored", content: "empty" }, { do: "stage-all" }],
        },
        { do: "redo" },
      ],
    },
  },
  {
    name: "a rollback of a folder keeps skip-worktree of a file beside it that is there, in a sparse checkout",
    work: {
      ...plain,
      start: "history",
      steps: [
        { do: "create", kind: "plain" },
        {
          do: "work",
          operations: [{ do: "sparse-index" }, { do: "skip-worktree", name: "a" }],
        },
        { do: "rollback", to: 0, extent: "paths", twice: false },
        { do: "undo" },
      ],
    },
  },
  {
    // The model counted a folder of which nothing was held.
    name: "a folder that is neither there nor held is refused the second time",
    work: {
      ...plain,
      start: "tracked files below an ignored folder, deleted at the checkpoint, back afterwards",
      steps: [
        { do: "create", kind: "plain" },
        { do: "work", operations: [{ do: "write", name: "dir", content: "empty" }] },
        { do: "rollback", to: 0, extent: "paths", twice: true },
        { do: "undo" },
      ],
    },
  },
  {
    name: "a checkpoint with a scope goes by the rules on the disk where it holds none",
    work: {
      ...plain,
      start: "a clean work tree",
      steps: [
        { do: "work", operations: [{ do: "ignore", rules: "data" }] },
        { do: "create", kind: "scoped" },
        {
          do: "work",
          operations: [
            { do: "write", name: "dir/ignored", content: "empty" },
            { do: "write", name: "a", content: "empty" },
          ],
        },
        { do: "rollback", to: 0, extent: "files-only", twice: false },
        { do: "undo" },
      ],
    },
  },
  {
    // The model expected undo to move no branch but that of HEAD.
    name: "undo moves back the branch that its rollback moved, also from another one",
    work: {
      ...plain,
      start: "a clean work tree",
      steps: [
        { do: "create", kind: "plain" },
        { do: "work", operations: [{ do: "reset-back" }, { do: "new-branch" }] },
        { do: "rollback", to: 0, extent: "all", twice: false },
        { do: "undo" },
        { do: "rollback", to: 0, extent: "all", twice: false },
        { do: "work", operations: [{ do: "attributes", rules: "auto" }] },
        { do: "undo" },
      ],
    },
  },
  {
    name: "an empty folder comes back in the place of a link behind which there is one of the same name",
    work: {
      ...plain,
      start: "a branch, with another one checked out afterwards",
      steps: [
        { do: "create", kind: "plain" },
        {
          do: "work",
          operations: [
            { do: "link", name: "dir", target: "outside" },
            { do: "stage", name: "a" },
          ],
        },
        { do: "rollback", to: 0, extent: "all", twice: false },
        { do: "undo" },
        {
          do: "work",
          operations: [
            { do: "move", name: "a", to: "nested-deep" },
            { do: "write", name: "a", content: "empty" },
          ],
        },
        { do: "redo" },
      ],
    },
  },
];
