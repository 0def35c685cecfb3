/** A project in which everything that a page for agents tells can be done. */
import { cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { bin, cliEnvironment } from "../support/cli.ts";
import { items, text } from "../support/json.ts";
import { type CommandResult, runCommand } from "../support/run-command.ts";

const EXAMPLES = fileURLToPath(new URL("../../examples", import.meta.url));

const BEGIN = `
git init -q -b main
printf 'build/\\napp.db\\n' > .gitignore
mkdir src build
echo one > src/a.txt
echo two > src/b.txt
echo ignored > build/out.log
echo '{"step": 1, "plan": "b"}' > state.json
git add . && git commit -qm begin
echo changed >> src/a.txt
`;

const AGENT = "0b8e51c7-agent";

/** As an agent would write it that has been at work: its hook was called before it changed something. */
const payload = (event: string, more: object): string =>
  JSON.stringify({ session_id: AGENT, cwd: ".", hook_event_name: event, ...more });

export class Scene {
  readonly #base: string;
  /** By placeholder. */
  readonly words: ReadonlyMap<string, string>;

  constructor(base: string, words: ReadonlyMap<string, string>) {
    this.#base = base;
    this.words = words;
  }

  /** In a copy of its own, so that no script finds what another one did. `first` prepares it. */
  async run(script: string, first = ""): Promise<CommandResult> {
    const copy = await mkdtemp(join(tmpdir(), "waymark-scene-"));
    try {
      await cp(this.#base, copy, { recursive: true, preserveTimestamps: true });
      if (first !== "") await shell(copy, first);
      return await inShell(copy, filled(script, this.words));
    } finally {
      await rm(copy, { recursive: true, force: true });
    }
  }

  remove(): Promise<void> {
    return rm(this.#base, { recursive: true, force: true });
  }
}

/** Placeholders are words in capitals that are no variables. */
export function filled(script: string, words: ReadonlyMap<string, string>): string {
  return script.replaceAll(/(?<![\w$])[A-Z][A-Z]+(?![\w=])/g, (word) => {
    const value = words.get(word);
    if (value === undefined) throw new Error(`nobody knows what ${word} stands for: ${script}`);
    return value;
  });
}

/** Changes of a user and an agent, a checkpoint before them, and a guard that failed last. */
export async function workScene(): Promise<Scene> {
  const base = await beginning();
  await shell(base, BEGIN);
  const id = text(await json(base, "create --json -m begin --phase implement"), "checkpoint", "id");
  const call = {
    tool_name: "Write",
    tool_use_id: "call-1",
    tool_input: { file_path: "src/new.txt", content: "x" },
  };
  await hook(base, payload("UserPromptSubmit", { prompt: "make src/new.txt" }));
  await hook(base, payload("PreToolUse", call));
  await shell(base, "echo agent > src/new.txt");
  await hook(base, payload("Stop", { stop_hook_active: false }));
  await shell(base, "echo user >> src/b.txt");
  await shell(base, "sqlite3 app.db 'create table t (a)' 2>/dev/null || true");
  const guarded = await inShell(
    base,
    "waymark guard --json --verify false -- sh -c 'echo bad > src/c.txt'",
  );
  const [attempt] = items(JSON.parse(guarded.stdout.toString("utf8")), "attempts");
  return new Scene(
    base,
    new Map([
      ...COMMON,
      ["CHECKPOINT", id],
      ["ATTEMPT", text(attempt, "attempt_checkpoint_id")],
      ["SESSION", AGENT],
    ]),
  );
}

/** A workflow that waits after its second phase. */
export async function workflowScene(): Promise<Scene> {
  const base = await beginning();
  await cp(EXAMPLES, join(base, "project"), { recursive: true });
  await shell(base, "git init -q -b main && git add . && git commit -qm begin");
  await inShell(base, "waymark run phases.yml --json");
  const checkpoints = items(await json(base, "list --json"), "checkpoints");
  const words = new Map([...COMMON, ["CHECKPOINT", text(checkpoints[0], "id")]]);
  return new Scene(base, words);
}

const COMMON: readonly (readonly [string, string])[] = [
  ["REASON", "before the next step"],
  ["DESCRIPTION", "log in"],
  ["PATH", "src/a.txt"],
  ["IGNORED", "build/out.log"],
  ["FILE", "state.json"],
  ["TYPE", "git_stash"],
  ["TRIGGER", "manual"],
  ["NAME", "implement"],
  ["ID", "task-1"],
  ["KEY", "step"],
  ["NODE", "all"],
  ["CHECK", "test -s src/a.txt"],
  ["COMMAND", "sh -c 'echo more >> src/a.txt'"],
];

async function beginning(): Promise<string> {
  const base = await mkdtemp(join(tmpdir(), "waymark-scene-"));
  for (const folder of ["bin", "home", "project"]) await mkdir(join(base, folder));
  const command = `#!/bin/sh\nexec "${process.execPath}" "${bin}" "$@"\n`;
  await writeFile(join(base, "bin/waymark"), command, { mode: 0o755 });
  return base;
}

export function sceneEnvironment(base: string): NodeJS.ProcessEnv {
  return cliEnvironment({
    PATH: `${join(base, "bin")}:${process.env["PATH"] ?? ""}`,
    HOME: join(base, "home"),
    LANG: "C.UTF-8",
    TZ: "UTC",
    WAYMARK_NO_AUTO_CLEANUP: "1",
    GIT_AUTHOR_NAME: "ada",
    GIT_AUTHOR_EMAIL: "ada@example.org",
    GIT_COMMITTER_NAME: "ada",
    GIT_COMMITTER_EMAIL: "ada@example.org",
  });
}

function inShell(base: string, script: string, input?: string): Promise<CommandResult> {
  const more = input === undefined ? {} : { input };
  return runCommand("sh", ["-euc", script], {
    cwd: join(base, "project"),
    env: sceneEnvironment(base),
    ...more,
  });
}

async function shell(base: string, script: string, input?: string): Promise<string> {
  const result = await inShell(base, script, input);
  const stdout = result.stdout.toString("utf8");
  if (result.code !== 0)
    throw new Error(`${script}: exit ${result.code}\n${stdout}${result.stderr}`);
  return stdout;
}

async function json(base: string, args: string): Promise<unknown> {
  return JSON.parse(await shell(base, `waymark ${args}`));
}

async function hook(base: string, input: string): Promise<void> {
  await shell(base, "waymark hook claude", input);
}
