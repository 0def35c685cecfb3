import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { issuesSuite, type ServedIssue } from "../../ports/issues.suite.ts";
import type { IssueAsk, IssueLook } from "../../ports/issues.ts";
import { FakeGithub, whyNoGh } from "../../../test/support/fake-github.ts";
import { tempFolder } from "../files/temp-folder.fixture.ts";
import { GhIssues } from "./gh-issues.ts";

const ASK: IssueAsk = { timeoutMs: 20_000, branch: null, at: new Date(0) };
const ISSUE: ServedIssue = { title: "t", body: "b", labels: [], assignees: [], state: "OPEN" };

function repository(folder: string, ...remote: readonly string[]): string {
  const root = join(folder, "shop");
  execFileSync("git", ["init", "-q", root]);
  if (remote.length > 0) execFileSync("git", ["-C", root, "remote", "add", "origin", ...remote]);
  return root;
}

/** A zombie has ended, whatever the table of processes says. */
function isRunning(pidFile: string): boolean {
  const stat = `/proc/${readFileSync(pidFile, "utf8").trim()}/stat`;
  return existsSync(stat) && !readFileSync(stat, "utf8").includes(") Z ");
}

const REMOTE = "https://github.com/acme/shop.git";

describe.skipIf(whyNoGh() !== undefined)("issues through the real gh", () => {
  issuesSuite(async () => {
    const folder = tempFolder();
    const github = await new FakeGithub(folder).listen();
    return {
      issues: new GhIssues({ folder: repository(folder, REMOTE), env: github.env }),
      serve: (issue) => (github.issue = issue),
      fallSilent: () => (github.isSilent = true),
      close: () => github.close(),
    };
  });

  async function look(
    change: (github: FakeGithub, folder: string) => { folder?: string; env?: NodeJS.ProcessEnv },
  ): Promise<IssueLook> {
    const folder = tempFolder();
    const github = await new FakeGithub(folder).listen();
    try {
      github.issue = ISSUE;
      const place = { folder: "", env: github.env, ...change(github, folder) };
      if (place.folder === "") place.folder = repository(folder, REMOTE);
      return await new GhIssues(place).snapshot(42, ASK);
    } finally {
      await github.close();
    }
  }

  const why = async (...args: Parameters<typeof look>): Promise<string> => {
    const found = await look(...args);
    return found.kind === "unavailable" ? found.why : "it was taken";
  };

  it("takes the repository from the folder and not from a hook that it runs in", async () => {
    const folder = tempFolder();
    const github = await new FakeGithub(folder).listen();
    github.issue = ISSUE;
    const env = {
      ...github.env,
      GIT_DIR: repository(tempFolder()),
      GH_DEBUG: "api",
      GH_FORCE_TTY: "80",
      CLICOLOR_FORCE: "1",
    };
    const found = await new GhIssues({ folder: repository(folder, REMOTE), env }).snapshot(42, ASK);
    await github.close();
    expect(found).toMatchObject({ kind: "taken" });
    expect(github.requests[0]).toContain('"owner":"acme","repo":"shop"');
  });

  it("says that it is not logged in", async () => {
    const reason = await why(({ env }) => ({
      env: { ...env, GH_TOKEN: undefined, GITHUB_TOKEN: undefined },
    }));
    expect(reason).toBe("gh is not logged in: run `gh auth login`");
  });

  it("says that the login is not accepted", async () => {
    const reason = await why((github) => ((github.status = 401), {}));
    expect(reason).toBe("GitHub rejected the credentials of gh: run `gh auth login`");
  });

  it("says that there is no remote, or none on GitHub", async () => {
    expect(await why((_, folder) => ({ folder: repository(folder) }))).toBe(
      "this repository has no remote",
    );
    expect(await why((_, folder) => ({ folder: repository(folder, "/some/where") }))).toBe(
      "no remote of this repository is on a host that gh knows",
    );
  });

  it("says that a plain folder is no work tree", async () => {
    expect(await why((_, folder) => ({ folder }))).toBe("the project is not a git work tree");
  });

  it("says that GitHub cannot be reached", async () => {
    const folder = tempFolder();
    const github = await new FakeGithub(folder).listen();
    await github.close();
    const issues = new GhIssues({ folder: repository(folder, REMOTE), env: github.env });
    expect(await issues.snapshot(42, ASK)).toMatchObject({ why: "GitHub cannot be reached" });
  });

  it("gives the words of gh where nothing is known about them", async () => {
    expect(await why((github) => ((github.status = 502), {}))).toMatch(
      /^gh failed \(exit code 1\): .*502/,
    );
  });
});

describe("issues through a gh that", () => {
  /** A program of that name that is this script. */
  async function look(
    script: string,
    ask: Partial<IssueAsk> = {},
    folder = tempFolder(),
    variables: NodeJS.ProcessEnv = {},
  ): Promise<IssueLook> {
    const bin = join(folder, "bin");
    mkdirSync(bin);
    writeFileSync(join(bin, "gh"), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    const path = `${bin}:${process.env["PATH"] ?? ""}`;
    const env = { ...process.env, ...variables, PATH: path };
    return new GhIssues({ folder, env }).snapshot(42, { ...ASK, ...ask });
  }

  it("[R83] is not there", async () => {
    const issues = new GhIssues({ folder: tempFolder(), env: { PATH: tempFolder() } });
    expect(await issues.snapshot(42, ASK)).toEqual({
      kind: "unavailable",
      why: "gh is not installed",
      hasNoProgram: true,
    });
  });

  it("[R83] has no folder to look in", async () => {
    const issues = new GhIssues({ folder: "/nowhere/at/all", env: process.env });
    expect(await issues.snapshot(42, ASK)).toMatchObject({
      why: "no such folder: /nowhere/at/all",
      hasNoProgram: false,
    });
  });

  it("[R83] may not be run", async () => {
    const bin = tempFolder();
    writeFileSync(join(bin, "gh"), "", { mode: 0o644 });
    const issues = new GhIssues({ folder: bin, env: { PATH: bin } });
    expect(await issues.snapshot(42, ASK)).toMatchObject({ hasNoProgram: false });
  });

  it.each([
    ["nothing", ""],
    ["no JSON", "echo hello"],
    ["half of it", `printf '{"number": 42, "tit'`],
    ["something else", `echo '[1, 2]'`],
    ["no object", "echo null"],
    ["wrong fields", `echo '{"number":"42","title":1,"labels":{},"assignees":null}'`],
    ["strange labels", `echo '{"number":42,"title":"t","body":"b","labels":[7],"assignees":[]}'`],
    ["bytes", String.raw`printf '\377\376\000\001'`],
  ])("[R83] prints %s", async (_, script) => {
    const found = await look(script);
    expect(found).toMatchObject({ kind: "unavailable", why: "gh did not return an issue" });
  });

  it("[R83] answers about another issue", async () => {
    const found = await look(`echo '{"number":7,"title":"t","labels":[],"assignees":[]}'`);
    expect(found).toMatchObject({ why: "gh returned issue #7 instead" });
  });

  it("[R83] never stops printing", async () => {
    const found = await look("yes");
    expect(found).toMatchObject({ why: "the response of gh is too large" });
  });

  it("[R83] fails without a word, or with words that hold a secret", async () => {
    expect(await look("exit 3")).toMatchObject({ why: "gh failed (exit code 3)" });
    expect(await look("kill -9 $$")).toMatchObject({ why: "gh was killed" });
    const found = await look("echo 'bad: --password hunter2hunter2' >&2; exit 1");
    expect(found).toMatchObject({ why: expect.stringMatching(/^gh failed .*redacted/) as unknown });
    expect(JSON.stringify(found)).not.toContain("hunter2");
  });

  it("[R83] asks something: nobody answers, and it ends", async () => {
    const found = await look("read answer; exit 9");
    expect(found).toMatchObject({ why: "gh failed (exit code 9)" });
  });

  it.skipIf(process.platform !== "linux")(
    "[R83] hangs, with children that do not listen and left its group",
    async () => {
      const folder = tempFolder();
      writeFileSync(
        join(folder, "deaf.sh"),
        "trap '' TERM INT HUP; echo $$ > pid-$1; touch ready-$1; while :; do sleep 1; done",
      );
      const stop = new AbortController();
      const script = "sh deaf.sh one & setsid sh deaf.sh two & wait";
      const looking = look(script, { timeoutMs: null, signal: stop.signal }, folder);
      for (const name of ["ready-one", "ready-two"]) {
        while (!existsSync(join(folder, name))) await sleep(5);
      }
      stop.abort();
      expect(await looking).toMatchObject({ kind: "unavailable" });
      expect(["pid-one", "pid-two"].filter((name) => isRunning(join(folder, name)))).toEqual([]);
    },
  );

  it("is told to keep quiet, whatever its user set", async () => {
    const folder = tempFolder();
    const loud = {
      GH_DEBUG: "api",
      DEBUG: "1",
      GH_FORCE_TTY: "80",
      CLICOLOR_FORCE: "1",
      PAGER: "less",
    };
    await look("env > seen", {}, folder, { ...loud, GH_TOKEN: "kept" });
    const seen = readFileSync(join(folder, "seen"), "utf8").split("\n");
    expect(seen).toEqual(
      expect.arrayContaining([
        "GH_PROMPT_DISABLED=1",
        "GH_PAGER=cat",
        "PAGER=cat",
        "GH_TOKEN=kept",
      ]),
    );
    expect(
      seen.filter((line) => /^(GH_DEBUG|DEBUG|GH_FORCE_TTY|CLICOLOR_FORCE)=/.test(line)),
    ).toEqual([]);
  });

  it("ends and leaves something running that holds its output", async () => {
    const answer = `{"number":42,"title":"t","body":"b","labels":[],"assignees":[]}`;
    const found = await look(`echo '${answer}'; sleep 5 &`);
    expect(found).toMatchObject({ kind: "taken", snapshot: { title: "t" } });
  });
});
