/** Projects in which everything that a page for agents tells can be done. */
import { cp } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { items, text } from "../support/json.ts";
import type { CommandResult } from "../support/run-command.ts";
import { Folder } from "./folder.ts";

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
sqlite3 app.db 'create table t (a)' 2>/dev/null || true
`;

const AGENT = "0b8e51c7-agent";

/** What placeholders on pages stand for. */
const WORDS: readonly (readonly [string, string])[] = [
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
  ["SESSION", AGENT],
];

export class Scene {
  readonly #folder: Folder;
  readonly #words: ReadonlyMap<string, string>;

  constructor(folder: Folder, words: readonly (readonly [string, string])[]) {
    this.#folder = folder;
    this.#words = new Map([...WORDS, ...words]);
  }

  /** In a copy of its own, so that no script finds what another one did. `first` prepares it. */
  async run(script: string, first = "true"): Promise<CommandResult> {
    const copy = await this.#folder.copy();
    try {
      await copy.shell(first);
      return await copy.try(this.#filled(script));
    } finally {
      await copy.remove();
    }
  }

  remove(): Promise<void> {
    return this.#folder.remove();
  }

  /** Placeholders are words in capitals that are no variables. */
  #filled(script: string): string {
    return script.replaceAll(/(?<![\w$])[A-Z][A-Z]+(?![\w=])/g, (word) => {
      const value = this.#words.get(word);
      if (value === undefined) throw new Error(`nobody knows what ${word} stands for: ${script}`);
      return value;
    });
  }
}

/** Changes of a user and an agent, a checkpoint before them, and a guard that failed last. */
export async function workScene(): Promise<Scene> {
  const folder = await Folder.make();
  await folder.shell(BEGIN);
  const id = text(await folder.json("create -m begin --phase implement"), "checkpoint", "id");
  const session = { session_id: AGENT };
  const input = { file_path: `${folder.project}/src/new.txt`, content: "x" };
  const call = { tool_name: "Write", tool_use_id: "1", tool_input: input };
  await folder.hook({ ...session, hook_event_name: "UserPromptSubmit", prompt: "make a file" });
  await folder.hook({ ...session, hook_event_name: "PreToolUse", ...call });
  await folder.shell("echo agent > src/new.txt");
  await folder.hook({ ...session, hook_event_name: "Stop", stop_hook_active: false });
  await folder.shell("echo user >> src/b.txt");
  const guard = "waymark guard --json --verify false -- sh -c 'echo bad > src/c.txt'";
  const guarded = await folder.try(guard);
  const [attempt] = items(JSON.parse(guarded.stdout.toString("utf8")), "attempts");
  return new Scene(folder, [
    ["CHECKPOINT", id],
    ["ATTEMPT", text(attempt, "attempt_checkpoint_id")],
  ]);
}

/** A workflow that waits after its second phase. */
export async function workflowScene(): Promise<Scene> {
  const folder = await Folder.make();
  await cp(EXAMPLES, folder.project, { recursive: true });
  await folder.shell("git init -q -b main && git add . && git commit -qm begin");
  await folder.try("waymark run phases.yml --json");
  const [latest] = items(await folder.json("list"), "checkpoints");
  return new Scene(folder, [["CHECKPOINT", text(latest, "id")]]);
}
