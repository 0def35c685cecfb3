/** The AgentPrograms port. */
import { accessSync, constants, statSync } from "node:fs";
import { delimiter, join } from "node:path";
import type { AgentPrograms, ProgramEnd } from "../../ports/agent-programs.ts";
import { runQuietly } from "../processes/quiet-program.ts";

/** Some fetch things over the network before they answer. */
const TIME_LIMIT_MS = 120_000;
const MOST_OUTPUT = 1_000_000;
/** What `npx` and `npm run` add, and no agent has. */
const OF_NPM = /[/\\](?:node_modules[/\\]\.bin|_npx[/\\].*)$/;

export class NodeAgentPrograms implements AgentPrograms {
  readonly #env: NodeJS.ProcessEnv;

  constructor(env: NodeJS.ProcessEnv) {
    this.#env = env;
  }

  isFound(program: string): boolean {
    return (this.#env["PATH"] ?? "")
      .split(delimiter)
      .filter((folder) => folder !== "" && !OF_NPM.test(folder))
      .some((folder) => isProgram(join(folder, program)));
  }

  async run(words: readonly string[], folder: string): Promise<ProgramEnd> {
    const [program = "", ...args] = words;
    const end = await runQuietly({
      program,
      args,
      cwd: folder,
      env: this.#env,
      timeoutMs: TIME_LIMIT_MS,
      mostOutput: MOST_OUTPUT,
    });
    if (end.kind === "not_started") return { ok: false, said: end.problem };
    if (end.kind !== "ended") return { ok: false, said: UNENDED[end.kind] };
    const said = `${end.stdout.toString("utf8")}\n${end.stderr}`.trim();
    return { ok: end.exitCode === 0, said: said === "" ? "no output" : said };
  }
}

const UNENDED = {
  too_slow: "it did not finish within two minutes",
  too_much: "it printed too much",
  stopped: "it was stopped",
} as const;

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
