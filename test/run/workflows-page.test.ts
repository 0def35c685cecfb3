/** docs/workflows.md as a user would follow it: every command is run, in its order, and prints what the page says. */
import { spawn, type ChildProcess } from "node:child_process";
import { cp, mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bin, cliEnvironment } from "../support/cli.ts";
import { pageBlocks, withoutChance, type PageBlock } from "../support/page-blocks.ts";
import { runCommand } from "../support/run-command.ts";

const EXAMPLES = fileURLToPath(new URL("../../examples", import.meta.url));
const CTRL_C = "^C\n";
/** What is waited for before Ctrl+C is pressed or the second terminal is used. */
const AT_WORK = "part one\n";
/** Two things happen at once there. */
const IN_ANY_ORDER = ["From a second terminal", "Side by side"];

const blocks = await pageBlocks("docs/workflows.md");

/** A shell command that may be interrupted, as a terminal does it: its whole group gets the signal. */
class Typed {
  readonly #child: ChildProcess;
  readonly #end: Promise<void>;
  #output = "";
  #onOutput: () => void = () => undefined;

  constructor(command: string, cwd: string, env: NodeJS.ProcessEnv) {
    this.#child = spawn("sh", ["-c", `${command} 2>&1`], {
      cwd,
      env,
      detached: true,
      stdio: ["ignore", "pipe", "inherit"],
    });
    this.#child.stdout?.on("data", (chunk: Buffer) => {
      this.#output += chunk.toString("utf8");
      this.#onOutput();
    });
    this.#end = new Promise((resolve, reject) => {
      this.#child.on("error", reject);
      this.#child.on("close", () => {
        resolve();
        this.#onOutput();
      });
    });
  }

  async saw(text: string): Promise<void> {
    const seen = new Promise<void>((resolve) => {
      this.#onOutput = () => {
        if (this.#output.includes(text)) resolve();
      };
      this.#onOutput();
    });
    await Promise.race([seen, this.#end]);
  }

  interrupt(): void {
    this.#output += CTRL_C;
    if (this.#child.pid !== undefined) process.kill(-this.#child.pid, "SIGINT");
  }

  async output(): Promise<string> {
    await this.#end;
    return this.#output;
  }
}

function commandsOf({ text }: PageBlock): string[] {
  return [...text.matchAll(/^\$ (.*)$/gm)].map(([, command = ""]) => command);
}

/** Who asked is whoever runs the test. */
function comparable(text: string, heading: string): string {
  const plain = withoutChance(text).replaceAll(/\b\w+ asked:|paused by \w+/g, "ada");
  return IN_ANY_ORDER.includes(heading) ? plain.split("\n").toSorted().join("\n") : plain;
}

describe("docs/workflows.md", () => {
  let base = "";
  let env: NodeJS.ProcessEnv = {};

  beforeAll(async () => {
    base = await mkdtemp(join(tmpdir(), "waymark-tour-"));
    for (const folder of ["bin", "home", "waymark"]) await mkdir(join(base, folder));
    await cp(EXAMPLES, join(base, "waymark/examples"), { recursive: true });
    const command = `#!/bin/sh\nexec "${process.execPath}" "${bin}" "$@"\n`;
    await writeFile(join(base, "bin/waymark"), command, { mode: 0o755 });
    const who = { NAME: "ada", EMAIL: "ada@example.org" };
    env = cliEnvironment({
      PATH: `${join(base, "bin")}:${process.env["PATH"] ?? ""}`,
      HOME: join(base, "home"),
      ...Object.fromEntries(
        Object.entries(who).flatMap(([name, value]) => [
          [`GIT_AUTHOR_${name}`, value],
          [`GIT_COMMITTER_${name}`, value],
        ]),
      ),
    });
  });

  afterAll(() => rm(base, { recursive: true, force: true }));

  it("runs every workflow of examples/", async () => {
    const files = (await readdir(EXAMPLES)).filter((name) => name.endsWith(".yml"));
    const commands = blocks.flatMap(commandsOf).join("\n");
    expect(files.filter((name) => !commands.includes(`waymark run ${name}`))).toEqual([]);
  });

  it("prints what the page says", { timeout: 300_000 }, async () => {
    const [setUp] = blocks.filter(({ language }) => language === "sh");
    const begun = await runCommand("sh", ["-euc", setUp?.text ?? "false"], {
      cwd: join(base, "waymark"),
      env,
    });
    expect(begun).toMatchObject({ code: 0 });
    const type = (command: string): Typed => new Typed(command, join(base, "tour"), env);
    const said: string[] = [];
    for (const [index, block] of blocks.entries()) {
      if (block.language !== "console") continue;
      const second = blocks[index + 1];
      let printed = "";
      for (const command of commandsOf(block)) {
        const typed = type(command);
        printed += `$ ${command}\n`;
        if (block.text.includes(CTRL_C)) {
          await typed.saw(AT_WORK);
          typed.interrupt();
        }
        if (second?.language === "console second-terminal") {
          await typed.saw(AT_WORK);
          const [asked = ""] = commandsOf(second);
          const answer = `$ ${asked}\n${await type(asked).output()}`;
          expect(withoutChance(answer)).toBe(withoutChance(second.text));
        }
        printed += await typed.output();
      }
      said.push(printed);
      expect(comparable(printed, block.heading)).toBe(comparable(block.text, block.heading));
    }
    expect(said.length).toBeGreaterThan(8);
  });
});
