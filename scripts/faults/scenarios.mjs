// The projects that faults are tried on. Each is three shell scripts: what is committed, what is dirty when the checkpoint
// is taken, and what happens after it. `sh -eu` runs them in the project's folder.

/**
 * @typedef {object} Scenario
 * @property {string} name
 * @property {string} base commits; runs in `repo`
 * @property {string} atCheckpoint the dirty state that a rollback must bring back; runs in the project
 * @property {string} later everything that happens after the checkpoint; runs in the project
 * @property {string} project the project's folder: "repo", or a linked work tree beside it
 * @property {readonly string[]} kept ignored at the checkpoint or later: a rollback leaves these as they are
 * @property {readonly string[]} ignoredLater ignored only by what `later` adds: after a rollback they are ordinary untracked files
 * @property {readonly string[]} [createArgs] what the target checkpoint is asked to hold besides
 * @property {readonly string[]} [held] ignored, and held by another part than the work tree
 * @property {Saves} saves where concurrent writers save during a rollback
 * @property {Saves} savesAtUndo and during its undo
 */

/**
 * @typedef {object} Saves
 * @property {string} tracked a tracked file that the rollback writes
 * @property {string} untracked an untracked file that the rollback writes
 * @property {string} doomed an untracked file that the rollback deletes
 * @property {string} fresh a name that exists at no time
 * @property {string} freshInDoomed the same in a folder that the rollback deletes
 */

const ODD_NAMES = String.raw`
newline="new
line.txt"
bad=$(printf 'bad\377.txt')
`;

/** @type {Scenario} */
export const plain = {
  name: "plain",
  project: "repo",
  base: `
    printf '*.log\\n' > .gitignore
    mkdir src
    for n in app lib both gone; do echo "$n 1" > src/$n.txt; done
    echo '#!/bin/sh' > run.sh
    ln -s src/app.txt link
    git add -A; git commit -qm one
    echo "lib 2" >> src/lib.txt; git commit -qam two
  `,
  atCheckpoint: `
    echo "app edited" >> src/app.txt
    echo staged > src/staged.txt; git add src/staged.txt
    echo "both staged" >> src/both.txt; git add src/both.txt; echo "both unstaged" >> src/both.txt
    rm src/gone.txt
    chmod +x run.sh
    ln -sfn src/lib.txt link
    echo notes > notes.txt
    mkdir -p drafts/deep "with space" empty
    echo draft > drafts/deep/d.txt
    echo spaced > "with space/s p.txt"
    echo private > private.txt; chmod 600 private.txt
    echo log > app.log
  `,
  later: `
    git commit -qm three
    echo "app later" > src/app.txt
    echo "both later" > src/both.txt; git add src/both.txt
    echo "notes later" > notes.txt
    rm -r "with space"
    mkdir -p newdir/sub
    echo n1 > newdir/n1.txt; echo n2 > newdir/sub/n2.txt
    echo "log later" >> app.log
    rmdir empty
  `,
  kept: ["app.log"],
  ignoredLater: [],
  saves: {
    tracked: "src/app.txt",
    untracked: "notes.txt",
    doomed: "newdir/n1.txt",
    fresh: "fresh.txt",
    freshInDoomed: "newdir/fresh.txt",
  },
  savesAtUndo: {
    tracked: "src/app.txt",
    untracked: "notes.txt",
    doomed: "with space/s p.txt",
    fresh: "fresh.txt",
    freshInDoomed: "with space/fresh.txt",
  },
};

/** Everything that has ever been restored wrongly by somebody, in one project. @type {Scenario} */
const mixed = {
  name: "mixed",
  project: "repo",
  base: `
    ${ODD_NAMES}
    mkdir .git/info; printf '# mine\\n*.mine\\n' > .git/info/exclude
    printf '*.log\\nbuild/\\n.env\\n' > .gitignore
    printf '*.crlf text eol=crlf\\n' > .gitattributes
    mkdir -p src deep/a/b dirswap/inner flags
    for n in app lib both; do echo "$n 1" > src/$n.txt; done
    for n in gone gone-staged same moved; do echo "$n" > $n.txt; done
    seq 1 30000 > big.txt
    echo c > deep/a/b/c.txt
    echo swap > swap; echo x > dirswap/inner/x; echo y > dirswap/y
    echo assume > flags/assume.txt; echo skip > flags/skip.txt
    printf 'dos\\r\\nlines\\r\\n' > win.crlf
    echo '#!/bin/sh' > run.sh; chmod +x run.sh
    echo mode > mode.txt
    ln -s src/app.txt link; ln -s swap linkswap
    echo sp > "sp ace.txt"; echo nl > "$newline"; echo bad > "$bad"; echo dash > ./-dash.txt; echo u > "ünï.txt"
    git add -A; git commit -qm one
    echo stashed >> same.txt; git stash push -q
    echo "lib 2" >> src/lib.txt; git commit -qam two
    git branch other
  `,
  atCheckpoint: `
    ${ODD_NAMES}
    echo "app edited" >> src/app.txt
    echo "lib staged" >> src/lib.txt; git add src/lib.txt
    echo "both staged" >> src/both.txt; git add src/both.txt; echo "both unstaged" >> src/both.txt
    rm gone.txt; git rm -q gone-staged.txt
    git mv moved.txt renamed.txt
    chmod -x run.sh; chmod 600 mode.txt
    echo "nl edited" >> "$newline"; echo "bad edited" >> "$bad"
    git update-index --assume-unchanged flags/assume.txt; echo hidden >> flags/assume.txt
    git update-index --skip-worktree flags/skip.txt; echo hidden >> flags/skip.txt
    echo ita > ita.txt; git add -N ita.txt
    echo notes > notes.txt; echo private > private.txt; chmod 600 private.txt
    mkdir -p untracked/deep/er empty hollow/inner "odd names" build
    echo u > untracked/deep/er/u.txt; echo n > "odd names/$newline"; echo b > "odd names/$bad"
    : > untracked/zero
    printf '#!/bin/sh\\n' > untracked/tool; chmod 755 untracked/tool
    ln -s ../outside untracked/dangling; ln -s deep untracked/tolink
    echo o > build/out.o; echo log > app.log; echo A=1 > .env
  `,
  later: `
    ${ODD_NAMES}
    git commit -qm three
    echo four > four.txt; git add four.txt; git commit -qm four
    git branch topic
    echo "app later" > src/app.txt
    echo "both later" > src/both.txt; git add src/both.txt
    seq 5 30005 > big.txt
    rm swap; mkdir swap; echo in > swap/in.txt
    rm -r dirswap; echo file > dirswap
    rm linkswap; echo "no link" > linkswap
    ln -sfn deep link
    chmod 644 mode.txt; chmod +x run.sh; echo gone-again > gone.txt
    printf 'dos\\r\\nedited\\r\\n' > win.crlf
    git update-index --no-assume-unchanged flags/assume.txt; echo shown >> flags/assume.txt
    git update-index --no-skip-worktree flags/skip.txt
    rm ita.txt "$newline"; echo "bad later" > "$bad"
    echo "notes later" > notes.txt; chmod 644 private.txt
    rm untracked/deep/er/u.txt untracked/zero; rmdir empty; rm -r hollow untracked/tolink
    mkdir -p newdir/sub empty2
    echo n1 > newdir/n1.txt; echo n2 > newdir/sub/n2.txt; echo later > "odd names/later $bad"
    printf '*.log\\nbuild/\\n.env\\nsecret.local\\n' > .gitignore; echo s > secret.local
    echo o2 > build/out.o; echo o3 > build/new.o; echo "log later" >> app.log; echo A=2 > .env
  `,
  kept: ["build", "app.log", ".env", "secret.local"],
  ignoredLater: ["secret.local"],
  saves: {
    tracked: "src/app.txt",
    untracked: "notes.txt",
    doomed: "newdir/n1.txt",
    fresh: "fresh.txt",
    freshInDoomed: "newdir/fresh.txt",
  },
  savesAtUndo: {
    tracked: "src/app.txt",
    untracked: "notes.txt",
    doomed: "untracked/zero",
    fresh: "fresh.txt",
    freshInDoomed: "hollow/inner/fresh.txt",
  },
};

/** The checkpoint is taken in the middle of a merge with conflicts; later the merge is finished. @type {Scenario} */
const merge = {
  ...plain,
  name: "merge",
  base: `
    printf '*.log\\n' > .gitignore
    mkdir src
    for n in app lib gone; do echo "$n 1" > src/$n.txt; done
    git add -A; git commit -qm one
    git checkout -qb side
    echo "app side" > src/app.txt; echo side > both.txt; rm src/gone.txt; git add -A; git commit -qm side
    git checkout -q main
    echo "app main" > src/app.txt; echo main > both.txt; echo more >> src/gone.txt; git add -A; git commit -qm main
  `,
  atCheckpoint: `
    git merge -q side >/dev/null 2>&1 || true
    test -f "$(git rev-parse --git-path MERGE_HEAD)"
    echo "half resolved" > both.txt
    echo notes > notes.txt; echo log > app.log
    echo "lib edited" >> src/lib.txt
  `,
  later: `
    echo resolved > src/app.txt; echo resolved > both.txt; git rm -q src/gone.txt 2>/dev/null
    git add src both.txt; git commit -qm merged
    echo "app later" > src/app.txt; echo "notes later" > notes.txt
    mkdir newdir; echo n1 > newdir/n1.txt
  `,
};

/** The checkpoint is on a detached HEAD, the project later on a branch. @type {Scenario} */
const detached = {
  ...plain,
  name: "detached",
  atCheckpoint: `git checkout -q --detach HEAD~1\n${plain.atCheckpoint}`,
  later: `
    git stash push -qu; git checkout -q main; git stash drop -q
    echo "app later" > src/app.txt; echo "notes later" > notes.txt
    mkdir newdir; echo n1 > newdir/n1.txt
  `,
  // stash -u does not take ignored files along, so the log stays as it is.
};

/** The project is a linked work tree: its index and HEAD are elsewhere than its refs and objects. @type {Scenario} */
const linked = {
  ...plain,
  name: "linked",
  project: "linked",
  base: `${plain.base}\n git worktree add -q ../linked -b work`,
};

/** A checkpoint that holds more than the work tree: the workflow's state, in a file that git ignores. @type {Scenario} */
const parts = {
  ...plain,
  name: "parts",
  base: plain.base.replace("'*.log\\n'", "'*.log\\nflow.yml\\n'"),
  atCheckpoint: `${plain.atCheckpoint}\n printf '# flow\\nstep: 1\\n' > flow.yml`,
  later: `${plain.later}\n printf 'step: 2\\nmore: [1]\\n' > flow.yml; chmod 600 flow.yml`,
  createArgs: ["--state", "flow.yml"],
  held: ["flow.yml"],
};

/** What came after the checkpoint is committed: what a rollback overwrites is in the history, and nothing of ours has written it. @type {Scenario} */
const committed = {
  ...plain,
  name: "committed",
  later: `${plain.later}\n git add -A; git commit -qm later`,
};

/** @type {Readonly<Record<string, Scenario>>} */
export const scenarios = { plain, mixed, merge, detached, linked, parts, committed };
