/** Words that people try first: what works as it is, and what names the right command. */
import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { COMMANDS } from "../../src/interfaces/cli/command-table.ts";
import { GUESSES } from "../../src/interfaces/cli/guesses.ts";
import { VERSION } from "../../src/interfaces/cli/version.ts";
import { withSeed } from "../spec/project.ts";
import { cliEnvironment, expectExit, waymarkArguments } from "../support/cli.ts";
import { field, items, text } from "../support/json.ts";
import { runCommand } from "../support/run-command.ts";

describe("words that no command has", () => {
  it.each([
    ["restore", "rollback"],
    ["rewind", "rollback"],
    ["reset", "rollback"],
    ["save", "create"],
    ["checkpoint", "create"],
    ["commit", "create"],
    ["ls", "list"],
    ["history", "list"],
    ["rm", "delete"],
    ["gc", "cleanup"],
    ["creat", "create"],
    ["sesion", "session"],
    ["hlp", "help"],
    ["apply", "rollback"],
  ])("%s names `waymark %s`, and runs nothing", async (word, command) => {
    await withSeed(async (project) => {
      const refused = await project.run(word);
      expectExit(refused, 2);
      expect(text(refused.json, "error", "message")).toBe(`unknown command '${word}'`);
      expect(text(refused.json, "error", "hint")).toContain(`Did you mean \`waymark ${command}\`?`);
    });
  });

  it("within a family, and as text for people", async () => {
    await withSeed(async ({ repo }) => {
      const args = waymarkArguments(repo.root, "session", "ls");
      const { code, stderr } = await runCommand(process.execPath, args, {
        env: cliEnvironment(repo.env),
      });
      expect({ code, stderr }).toEqual({
        code: 2,
        stderr:
          "error: unknown command 'ls'\n" +
          "hint: Did you mean `waymark session list`? `waymark help` lists the commands; `waymark COMMAND --help` describes one.\n",
      });
    });
  });

  it.each([
    [["help", "nonsense"], "unknown command 'nonsense'", "`waymark help` lists the commands"],
    [["help", "rewind"], "unknown command 'rewind'", "Did you mean `waymark rollback`?"],
    [["rewind", "--help"], "unknown command 'rewind'", "Did you mean `waymark rollback`?"],
    [["help", "session", "ls"], "unknown command 'ls'", "Did you mean `waymark session list`?"],
    [["session", "ls", "-h"], "unknown command 'ls'", "Did you mean `waymark session list`?"],
  ])("%o has no help", async (words, message, hint) => {
    await withSeed(async (project) => {
      const refused = await project.run(...words);
      expectExit(refused, 2);
      expect(text(refused.json, "error", "message")).toBe(message);
      expect(text(refused.json, "error", "hint")).toContain(hint);
    });
  });

  it("help prints the pages that the package has", async () => {
    await withSeed(async ({ repo }) => {
      const args = waymarkArguments(repo.root, "help", "recovery");
      const { code, stdout } = await runCommand(process.execPath, args, {
        env: cliEnvironment(repo.env),
      });
      expect(code).toBe(0);
      expect(stdout.toString()).toBe(await readFile("docs/recovery.md", "utf8"));
    });
  });

  it("are no commands, and each leads to one that exists", () => {
    const names = COMMANDS.map(({ name }) => name);
    const families = names.map((name) => name.split(" ")[0]);
    for (const [word, command] of GUESSES) {
      expect(names).toContain(command);
      expect([...names, ...families]).not.toContain(word);
    }
  });
});

describe("a command line that lacks something", () => {
  it.each([
    [["unpin"], "no checkpoint given", "`waymark list` shows them"],
    [["delete"], "no checkpoint given", "`waymark list` shows them"],
    [["session", "delete"], "no session given", "`waymark session list` shows them"],
    [["config", "set"], "no setting given", "`waymark config` shows them"],
    [
      ["config", "set", "retention.grace"],
      "missing required argument 'value'",
      "`waymark config set --help`",
    ],
    [["rollback", "latest", "--force"], "unknown option '--force'", "Did you mean --yes?"],
    [
      ["create", "hello", "world"],
      "Expected 1 argument but got 2",
      '`waymark create "hello world"`',
    ],
    [["-v"], "unknown option '-v'", "Did you mean -V (print the version)?"],
    [["config", "retention.foo"], "unknown setting retention.foo", "`waymark config` lists all"],
    [["hooks", "add"], "unknown command 'add'", "Did you mean `waymark hooks install`?"],
    [["guard", "--nmae", "x", "--", "true"], "unknown option '--nmae'", "`waymark guard --help`"],
  ])("%o says what, and where to find it", async (words, message, hint) => {
    await withSeed(async (project) => {
      const refused = await project.run(...words);
      expectExit(refused, 2);
      expect(text(refused.json, "error", "message")).toContain(message);
      expect(text(refused.json, "error", "hint")).toContain(hint);
    });
  });
});

describe("words of git that mean something else here", () => {
  it.each([
    [["diff", "a.txt"], 3, "a.txt is a path: `waymark diff latest --paths a.txt`."],
    [["diff", "latest", "a.txt"], 3, "`waymark diff latest --paths a.txt`."],
    [["rollback", "latest", "a.txt"], 2, "`waymark rollback latest --paths a.txt`."],
    [["diff", "latest", "now"], 3, "needs no name: `waymark diff CHECKPOINT`"],
    [["show", "HEAD"], 3, "Did you mean `latest`?"],
    [["show", "HEAD~1"], 3, "Did you mean `latest~1`?"],
    [["rollback", "HEAD^", "--yes"], 3, "Did you mean `latest~1`?"],
  ])("%o names the way on", async (words, code, hint) => {
    await withSeed(async (project) => {
      await project.create();
      const refused = await project.run(...words);
      expectExit(refused, code);
      expect(text(refused.json, "error", "hint")).toContain(hint);
    });
  });

  it("`latest~` is `latest~1`, and `A..B` is `A B`", async () => {
    await withSeed(async (project) => {
      const first = await project.create();
      await project.repo.write("a.txt", "changed\n");
      const second = await project.create();
      const shown = (await project.ok("show", "latest~")).json;
      expect(field(shown, "checkpoint", "id")).toBe(first);
      const between = (await project.ok("diff", first, second)).json;
      expect((await project.ok("diff", `${first}..${second}`)).json).toEqual(between);
      const now = (await project.ok("diff", first)).json;
      expect((await project.ok("diff", `${first}..`)).json).toEqual(now);
    });
  });
});

describe("a name for a checkpoint", () => {
  it.each(["4", "latest", "latest~2", "start", "phase:x", "session:x/4", "a3f2", "cp-00-x"])(
    "%s is refused: it already selects one",
    async (name) => {
      await withSeed(async (project) => {
        for (const words of [
          ["create", "--name", name],
          ["guard", "--name", name, "--", "touch", "made"],
        ]) {
          const refused = await project.run(...words);
          expectExit(refused, 2);
          expect(text(refused.json, "error", "message")).toContain("cannot be a name");
        }
        expect(items((await project.ok("list")).json, "checkpoints")).toEqual([]);
        expect(await project.repo.exists("made")).toBe(false);
      });
    },
  );

  it("that another one has is taken with a warning", async () => {
    await withSeed(async (project) => {
      const id = await project.create("--name", "baseline");
      const { json } = await project.ok("create", "--name", "baseline");
      expect(items(json, "warnings")).toEqual([
        `${id} has the same name: only the ids tell them apart`,
      ]);
    });
  });
});

describe("forms that simply work", () => {
  it.each([
    [["guard", "echo", "-m", "hello", "-C", "sub"], "-m hello -C sub\n"],
    [["guard", "-m", "why", "--scope", "a.txt", "--name=own", "echo", "-V"], "-V\n"],
    [["guard", "--scope", "a.txt", "b.txt", "--quiet", "echo", "--", "--json"], "-- --json\n"],
    [["phase", "plan", "--task", "task-1", "echo", "--task", "-h"], "--task -h\n"],
    [["phase", "plan", "--", "echo", "-q"], "-q\n"],
  ])("%o passes on the options after the first word of the command", async (words, printed) => {
    await withSeed(async ({ repo }) => {
      const args = waymarkArguments(repo.root, ...words);
      const { code, stdout } = await runCommand(process.execPath, args, {
        env: cliEnvironment(repo.env),
      });
      expect({ code, stdout: stdout.toString() }).toEqual({ code: 0, stdout: printed });
    });
  });

  it("`config get KEY` is `config KEY`", async () => {
    await withSeed(async (project) => {
      const { json } = await project.ok("config", "get", "retention.grace");
      expect(json).toEqual((await project.ok("config", "retention.grace")).json);
      for (const word of ["list", "show"]) {
        expect((await project.ok("config", word)).json).toEqual((await project.ok("config")).json);
      }
    });
  });

  it("`create TEXT`, `--message` and `-m` are the same", async () => {
    await withSeed(async (project) => {
      const reasonOf = async (...args: string[]): Promise<unknown> =>
        field((await project.ok("create", "--force", ...args)).json, "checkpoint", "reason");
      expect(await reasonOf("before the change")).toBe("before the change");
      expect(await reasonOf("--message", "before the change")).toBe("before the change");
      expect(await reasonOf("-m", "before the change")).toBe("before the change");
      const both = await project.run("create", "one", "-m", "two");
      expectExit(both, 2);
      expect(text(both.json, "error", "message")).toContain("two reasons");
      const deleted = await project.run("rollback", "latest", "--yes", "--message", "why");
      expectExit(deleted, 0);
    });
  });

  it("an empty name or checkpoint is a usage error, and a reason of spaces is none", async () => {
    await withSeed(async (project) => {
      await project.create();
      const refused = [
        ["create", "--name", ""],
        ["create", "--name", " "],
        ["show", ""],
        ["rollback", " ", "--yes"],
        ["diff", "latest", ""],
        ["validate", "latest", ""],
        ["session", "show", ""],
      ];
      for (const args of refused) expectExit(await project.run(...args), 2);
      for (const reason of ["", "  "]) {
        const { json } = await project.ok("create", "--force", "-m", reason);
        expect(field(json, "checkpoint", "reason")).toBeNull();
      }
    });
  });

  it("`diff` compares the latest checkpoint with now, and `show` shows it", async () => {
    await withSeed(async (project) => {
      await project.create();
      await project.repo.write("a.txt", "changed\n");
      const id = await project.create();
      await project.repo.write("fresh.txt", "new\n");
      const { json } = await project.ok("diff");
      expect(field(json, "from", "id")).toBe(id);
      expect(items(json, "files").map((file) => text(file, "path"))).toEqual(["fresh.txt"]);
      expect(field((await project.ok("show")).json, "checkpoint", "id")).toBe(id);
      expect(items((await project.ok("list", "-n", "1")).json, "checkpoints")).toHaveLength(1);
      expect(items((await project.ok("log", "-n", "1")).json, "entries")).toHaveLength(1);
      expect(items((await project.ok("log", "-n", "0")).json, "entries")).toHaveLength(2);
      const sessions = (await project.ok("session", "list", "-n", "0")).json;
      expect(items(sessions, "sessions")).toHaveLength(1);
    });
  });

  it("`version` prints the version", async () => {
    await withSeed(async ({ repo }) => {
      const args = waymarkArguments(repo.root, "version");
      const { code, stdout } = await runCommand(process.execPath, args, { env: repo.env });
      expect([code, stdout.toString()]).toEqual([0, `${VERSION}\n`]);
    });
  });
});
