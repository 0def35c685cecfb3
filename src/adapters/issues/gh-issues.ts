/** The Issues port through `gh`, the command line of GitHub, as its user is logged in. */
import { issueSnapshot } from "../../domain/issue-snapshot.ts";
import { redact } from "../../domain/secrets/redact.ts";
import type { IssueAsk, IssueLook, Issues } from "../../ports/issues.ts";
import { cleanEnvironment } from "../git/git-environment.ts";
import { sha256 } from "../git/sha256.ts";
import { runQuietly, type QuietEnd } from "../processes/quiet-program.ts";
import { parseIssue } from "./parse-issue.ts";

/** Those that gh 2.23 knows, which is what Debian 12 has. */
const FIELDS = "number,title,body,labels,assignees,state,url";

/** The largest body that GitHub takes, escaped, and a lot of labels. */
const MOST_OUTPUT = 2 * 1024 * 1024;

/** No questions, no pager, no colours, no news. */
const QUIET: Readonly<Record<string, string>> = {
  GH_PROMPT_DISABLED: "1",
  GH_NO_UPDATE_NOTIFIER: "1",
  GH_NO_EXTENSION_UPDATE_NOTIFIER: "1",
  GH_SPINNER_DISABLED: "1",
  GH_PAGER: "cat",
  PAGER: "cat",
  NO_COLOR: "1",
  DO_NOT_TRACK: "1",
};

/** These make it print more than the answer, requests with their tokens among it. */
const NOISY = ["GH_DEBUG", "DEBUG", "GH_FORCE_TTY", "CLICOLOR_FORCE"];

export interface GhPlace {
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
}

export class GhIssues implements Issues {
  readonly #place: GhPlace;

  constructor(place: GhPlace) {
    this.#place = place;
  }

  async snapshot(number: number, ask: IssueAsk): Promise<IssueLook> {
    if (!Number.isSafeInteger(number) || number < 1) {
      return unavailable(`${number} is not an issue number`);
    }
    const end = await runQuietly({
      program: "gh",
      args: ["issue", "view", String(number), "--json", FIELDS],
      cwd: this.#place.folder,
      env: quietEnvironment(this.#place.env),
      timeoutMs: ask.timeoutMs,
      ...(ask.signal === undefined ? {} : { signal: ask.signal }),
      mostOutput: MOST_OUTPUT,
    });
    if (end.kind !== "ended" || end.exitCode !== 0) return explained(end, number, ask);
    const issue = parseIssue(end.stdout.toString("utf8"));
    if (issue === undefined) return unavailable("gh did not return an issue");
    if (issue.number !== number) return unavailable(`gh returned issue #${issue.number} instead`);
    const seen = { ...issue, branch: ask.branch };
    return { kind: "taken", snapshot: issueSnapshot(seen, ask.at, sha256) };
  }
}

function quietEnvironment(inherited: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  // gh runs git to see the remotes: in this folder, whatever a hook that we run in says.
  const kept = Object.entries(cleanEnvironment(inherited)).filter(
    ([name]) => !NOISY.includes(name),
  );
  return { ...Object.fromEntries(kept), ...QUIET };
}

function unavailable(why: string, hasNoProgram = false): IssueLook {
  return { kind: "unavailable", why, hasNoProgram };
}

function explained(end: QuietEnd, number: number, { timeoutMs }: IssueAsk): IssueLook {
  switch (end.kind) {
    case "not_started":
      return end.hasNoProgram
        ? unavailable("gh is not installed", true)
        : unavailable(redact(end.problem));
    case "too_slow":
      return unavailable(`gh did not answer within ${(timeoutMs ?? 0) / 1000} s (issues.timeout)`);
    case "too_much":
      return unavailable("the response of gh is too large");
    case "stopped":
      return unavailable("no answer in time");
    case "ended":
      return unavailable(reasonOf(end.exitCode, end.stderr, number));
  }
}

/** What gh says, by what it means. */
const MEANINGS: readonly (readonly [said: RegExp, meaning: (number: number) => string])[] = [
  [
    /gh auth login\s+Alternatively|GH_TOKEN environment/,
    () => "gh is not logged in: run `gh auth login`",
  ],
  [/HTTP 401|Bad credentials/i, () => "GitHub rejected the credentials of gh: run `gh auth login`"],
  [/no git remotes found/i, () => "this repository has no remote"],
  [/none of the git remotes/i, () => "no remote of this repository is on a host that gh knows"],
  [/not a git repository/i, () => "the project is not a git work tree"],
  [/could not resolve to an issue|disabled issues/i, (number) => `there is no issue #${number}`],
  [/could not resolve to a repository/i, () => "this login has no access to the repository"],
  [/rate limit/i, () => "GitHub's rate limit is reached"],
  [
    /dial |lookup |no such host|connection re|error connecting|i\/o timeout|proxyconnect|network/i,
    () => "GitHub cannot be reached",
  ],
];

const MOST_WORDS = 200;

function reasonOf(exitCode: number | null, stderr: string, number: number): string {
  const known = MEANINGS.find(([said]) => said.test(stderr));
  if (known !== undefined) return known[1](number);
  const how = exitCode === null ? "gh was killed" : `gh failed (exit code ${exitCode})`;
  const line = redact(stderr.trim().split("\n")[0] ?? "").slice(0, MOST_WORDS);
  return line === "" ? how : `${how}: ${line}`;
}
