/** What every runner of commands has to do. Each adapter's test runs it. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { beforeEach, describe, expect, it } from "vitest";
import type { Command, CommandEnd, CommandOrder, Commands } from "./commands.ts";

export interface CommandsSubject {
  readonly commands: Commands;
  /** An empty folder to work in. */
  readonly folder: string;
}

const NEVER = new AbortController().signal;
const shell = (line: string): Command => ({ kind: "shell", line });

export function commandsSuite(make: () => CommandsSubject): void {
  describe("the contract of commands", () => {
    let commands: Commands;
    let folder: string;

    beforeEach(() => {
      ({ commands, folder } = make());
    });

    const run = (command: Command, more: Partial<CommandOrder> = {}): Promise<CommandEnd> =>
      commands.run({
        command,
        cwd: folder,
        env: {},
        stdin: "none",
        stdout: "stderr",
        keepOutput: 0,
        signal: NEVER,
        ...more,
      });
    const file = (name: string): string => join(folder, name);
    const content = (name: string): string => readFileSync(file(name), "utf8");
    const appears = async (name: string): Promise<void> => {
      while (!existsSync(file(name))) await sleep(5);
    };
    const isRunning = (name: string): boolean => {
      try {
        process.kill(Number(content(name)), 0);
        return !readFileSync(`/proc/${content(name).trim()}/stat`, "utf8").includes(") Z ");
      } catch {
        return false;
      }
    };

    it("runs a program with its arguments as they are, in its folder, with variables added", async () => {
      const script = 'printf "%s|" "$@" "$PWD" "$GIVEN" "${PATH:+kept}" > out';
      const words = ["sh", "-c", script, "sh", "a b", "$HOME", "*", ""] as const;
      const end = await run({ kind: "program", words }, { env: { GIVEN: "x y" } });
      expect(end).toMatchObject({ kind: "ended", exitCode: 0, signal: null });
      expect(content("out")).toBe(`a b|$HOME|*||${folder}|x y|kept|`);
    });

    it("runs a line in the shell", async () => {
      expect(await run(shell("echo one > out && false || exit 3"))).toMatchObject({ exitCode: 3 });
      expect(content("out")).toBe("one\n");
    });

    it("tells the end by a signal as a shell does", async () => {
      const end = await run(shell("kill -KILL $$"));
      expect(end).toMatchObject({ exitCode: 137, signal: "SIGKILL" });
    });

    it("says that a program is not there, may not be run, or has no folder", async () => {
      const program = (name: string): Command => ({ kind: "program", words: [name] });
      const problem = async (name: string, cwd = folder): Promise<string> => {
        const end = await run(program(name), { cwd });
        return end.kind === "not_started" ? end.problem : `it ran: ${end.exitCode}`;
      };
      writeFileSync(file("no-program"), "", { mode: 0o644 });
      expect(await problem("no-such-program")).toBe("command not found: no-such-program");
      expect(await problem(file("no-program"))).toContain("may not be run");
      expect(await problem("true", file("nowhere"))).toBe(`no such folder: ${file("nowhere")}`);
      expect(await problem("")).toContain("cannot be started");
    });

    it("gives nothing to read to a command that may not", async () => {
      expect(await run(shell("cat > out"))).toMatchObject({ exitCode: 0 });
      expect(content("out")).toBe("");
    });

    it("keeps the end of the output, of both kinds and byte for byte", async () => {
      // What comes by two pipes at once has no order: the last word waits until the one before it was heard.
      const waits = "while [ ! -e heard ]; do sleep 0.01; done";
      const line = `printf 'lost' >&2; printf '\\000\\377\\376' >&2; ${waits}; printf 'end'`;
      let heard = 0;
      const onOutput: CommandOrder["onOutput"] = (_, bytes) => {
        heard += bytes.length;
        if (heard === "lost".length + 3) writeFileSync(file("heard"), "");
        return undefined;
      };
      const end = await run(shell(line), { keepOutput: 6, onOutput });
      expect(end.kind === "ended" && Buffer.from(end.output)).toEqual(
        Buffer.from([0, 255, 254, 101, 110, 100]),
      );
    });

    it("hands over what is written, as it is written and by kind", async () => {
      const got: [string, string][] = [];
      const onOutput: CommandOrder["onOutput"] = (stream, bytes) => {
        got.push([stream, Buffer.from(bytes).toString()]);
        return undefined;
      };
      await run(shell("echo one; sleep 0.1; echo two >&2; sleep 0.1; printf three"), { onOutput });
      expect(got).toEqual([
        ["stdout", "one\n"],
        ["stderr", "two\n"],
        ["stdout", "three"],
      ]);
    });

    it("makes a command wait that writes faster than its output is taken", async () => {
      let open: (() => void) | undefined;
      let taken = 0;
      const onOutput: CommandOrder["onOutput"] = (_, bytes) => {
        taken += bytes.length;
        return new Promise<void>((resolve) => (open = resolve));
      };
      const running = run(shell("head -c 1000000 /dev/zero; touch ended"), { onOutput });
      await sleep(300);
      expect(existsSync(file("ended"))).toBe(false);
      // To the very end: what was written last may still be on its way when the command has ended.
      const taking = setInterval(() => open?.(), 1);
      await running;
      clearInterval(taking);
      expect(existsSync(file("ended"))).toBe(true);
      expect(taken).toBeGreaterThan(900_000);
    });

    it("asks as Ctrl+C does where that is the reason", async () => {
      const stop = new AbortController();
      const line = "trap 'echo int > out; exit 6' INT; touch ready; while :; do sleep 0.05; done";
      const running = run(shell(line), { signal: stop.signal });
      await appears("ready");
      stop.abort("SIGINT");
      expect(await running).toMatchObject({ exitCode: 6 });
      expect(content("out")).toBe("int\n");
    });

    it("does not wait for what holds the output after the command has ended", async () => {
      const end = await run(shell("echo said; sleep 60 & echo $! > pid"), { keepOutput: 100 });
      expect(end.kind === "ended" && Buffer.from(end.output).toString()).toBe("said\n");
      expect(isRunning("pid")).toBe(true);
      expect(await commands.endLeftOvers()).toBe(1);
      expect(isRunning("pid")).toBe(false);
    });

    it("[R63] ends a command with everything that it started, also what does not listen", async () => {
      const stop = new AbortController();
      const deaf = "trap '' TERM INT HUP; echo $$ > $1; touch ready-$1; while :; do sleep 1; done";
      writeFileSync(file("deaf.sh"), deaf);
      const line = "sh deaf.sh child & setsid sh deaf.sh other-session & wait";
      const running = run(shell(line), { signal: stop.signal });
      await appears("ready-child");
      await appears("ready-other-session");
      stop.abort();
      expect(await running).toMatchObject({ exitCode: 143, signal: "SIGTERM" });
      expect(isRunning("child")).toBe(false);
      expect(isRunning("other-session")).toBe(false);
    });

    it("gives a command the time to end by itself", async () => {
      const stop = new AbortController();
      const line =
        "trap 'sleep 0.2; echo saved > out; exit 5' TERM; touch ready; while :; do sleep 0.05; done";
      const running = run(shell(line), { signal: stop.signal });
      await appears("ready");
      stop.abort();
      expect(await running).toMatchObject({ exitCode: 5, signal: null });
      expect(content("out")).toBe("saved\n");
    });

    it("ends one at once that was stopped before it began", async () => {
      const end = await run(shell("sleep 60"), { signal: AbortSignal.abort() });
      expect(end).toMatchObject({ signal: "SIGTERM" });
    });

    it("knows who works in a folder, whoever started it", async () => {
      mkdirSync(file("deep/er"), { recursive: true });
      expect(await commands.workingIn(file("deep"))).toEqual([]);
      await run(shell("cd deep/er; env -i sleep 60 & echo $! > ../../pid"));
      expect(await commands.workingIn(file("deep"))).toEqual([Number(content("pid"))]);
      expect(await commands.workingIn(file("de"))).toEqual([]);
      process.kill(Number(content("pid")));
    });

    it("leaves alone what others started", async () => {
      const other = make();
      const ended = other.commands.run({
        command: shell(`echo $$ > ${file("pid")}; sleep 60`),
        cwd: folder,
        env: {},
        stdin: "none",
        stdout: "stderr",
        keepOutput: 0,
        signal: NEVER,
      });
      await appears("pid");
      while (content("pid") === "") await sleep(5);
      expect(await commands.endLeftOvers()).toBe(0);
      expect(isRunning("pid")).toBe(true);
      // Whoever comes after can end it by its name.
      expect(await commands.endLeftOvers("")).toBe(0);
      expect(await commands.endLeftOvers(await other.commands.name())).toBeGreaterThan(0);
      expect(await ended).toMatchObject({ signal: "SIGTERM" });
    });
  });
}
