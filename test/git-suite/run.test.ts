// The script on a tiny source tree: two test files in git's form, and the git of this machine in the place of a built one.
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";
import { run } from "../../scripts/faults/process.mjs";

const SCRIPT = fileURLToPath(new URL("../../scripts/git-suite/run.mjs", import.meta.url));

/** As far as run.mjs uses it. */
const TEST_LIB = `
root=\${1#--root=}
PATH=$GIT_TEST_INSTALLED:$PATH; export PATH
HOME="$root/trash directory.$(basename "$0" .sh)"; export HOME
GIT_AUTHOR_NAME=A GIT_AUTHOR_EMAIL=a@example.invalid GIT_COMMITTER_NAME=A GIT_COMMITTER_EMAIL=a@example.invalid
export GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL GIT_COMMITTER_NAME GIT_COMMITTER_EMAIL
mkdir -p "$HOME"; cd "$HOME"; git init -q .
n=0
check() { n=$((n + 1)); if eval "$2" > /dev/null 2>&1; then echo "ok $n - $1"; else echo "not ok $n - $1"; fi; }
`;

const SAME = `. ./test-lib.sh
check 'add and commit, beside a pipe' 'mkfifo pipe; echo one > one; git add one; git commit -qm one'
check 'a change is seen' 'echo two >> one; test "$(git diff --name-only)" = one'
check 'and put back' 'git checkout -q one; test -z "$(git status --porcelain)"'
echo "1..$n"
`;

/** A test that sees whether something came before its git commands. */
const SEES_IT = `. ./test-lib.sh
check 'setup' 'echo one > one; git add one; git commit -qm one'
check 'nothing came before' 'test ! -e "$GIT_TEST_INSTALLED/../log"'
echo "1..$n"
`;

let dir = "";
beforeAll(() => {
  dir = realpathSync(mkdtempSync(join(tmpdir(), "waymark-git-suite-test-")));
  for (const name of ["t", "bin-wrappers"]) mkdirSync(join(dir, name));
  writeFileSync(
    join(dir, "bin-wrappers/git"),
    `#!/bin/sh\nPATH='${process.env["PATH"]}'\nexec git "$@"\n`,
  );
  chmodSync(join(dir, "bin-wrappers/git"), 0o755);
  writeFileSync(join(dir, "t/test-lib.sh"), TEST_LIB);
  writeFileSync(join(dir, "t/t0001-same.sh"), SAME);
  writeFileSync(join(dir, "t/t0002-sees-it.sh"), SEES_IT);
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const suite = async (...args: string[]) => {
  const { code, stdout, stderr } = await run(process.execPath, [SCRIPT, ...args]);
  return { code, stderr, text: stdout.toString() };
};

it(
  "names a test that ends differently, and what was done before the git commands",
  { timeout: 120_000 },
  async () => {
    const tests = "t0001-same.sh,t0002-sees-it.sh";
    const { code, text, stderr } = await suite(dir, "--tests", tests, "--every", "2", "--json");
    expect(stderr).toBe("");
    const document = JSON.parse(text) as {
      readonly tests: readonly Record<string, unknown>[];
      readonly wrong: number;
    };
    expect({ code, wrong: document.wrong }).toEqual({ code: 1, wrong: 2 });
    expect(document.tests).toMatchObject([
      {
        test: "t0001-same.sh",
        passed: 3,
        differences: [],
        runs: [
          { mode: "create", passed: 3, refused: {}, wrong: [] },
          {
            mode: "wreck",
            passed: 3,
            done: { create: 2, rollback: 2, undo: 2, redo: 2 },
            wrong: [],
          },
        ],
      },
      {
        test: "t0002-sees-it.sh",
        passed: 2,
        differences: [
          {
            mode: "create",
            number: 2,
            title: "nothing came before",
            without: "passed",
            with: "failed",
          },
          {
            mode: "wreck",
            number: 2,
            title: "nothing came before",
            without: "passed",
            with: "failed",
          },
        ],
      },
    ]);
  },
);

it.each([
  ["a folder in the work tree", `mkdirSync(join(project, ".checkpoints"), { recursive: true })`],
  ["a line in info/exclude", `appendFileSync(join(project, ".git/info/exclude"), "/x/\\n")`],
])("names a create that leaves %s", async (_, change) => {
  const bin = join(dir, "leaves-something.cjs");
  writeFileSync(
    bin,
    `const { appendFileSync, mkdirSync } = require("node:fs"); const { join } = require("node:path");
     const project = process.argv[3]; ${change}; console.log("{}");`,
  );
  const args = ["--tests", "t0001-same.sh", "--modes", "create", "--bin", bin];
  const { code, text } = await suite(dir, ...args);
  expect(code).toBe(1);
  expect(text).toMatch(
    /WRONG changed before git .*(\.checkpoints.* is extra|info\/exclude differs)/,
  );
});

it("tries nothing where git was not built, or a test is not there", async () => {
  const absent = await suite(dir, "--tests", "t9999-none.sh");
  expect([absent.code, absent.stderr]).toEqual([
    2,
    expect.stringContaining("t9999-none.sh is not there"),
  ]);
  const unbuilt = await suite(tmpdir());
  expect([unbuilt.code, unbuilt.stderr]).toEqual([
    2,
    expect.stringContaining("build git with `make`"),
  ]);
});
