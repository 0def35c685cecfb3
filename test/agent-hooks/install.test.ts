/** `waymark hooks` in the running product. */
import { chmod, lstat, mkdir, readFile, readdir, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { AGENTS } from "../../src/domain/agents/agents.ts";
import { absoluteHookCommand } from "../../src/domain/agents/hook-command.ts";
import { type RuleProject, withSeed } from "../spec/project.ts";
import { bin, type CliResult, errorMessage, expectExit, said, waymark } from "../support/cli.ts";
import { differences } from "../support/fingerprint-diff.ts";
import { takeFingerprint } from "../support/fingerprint.ts";
import { field } from "../support/json.ts";
import { runCommand } from "../support/run-command.ts";
import { TOKEN } from "../secrets/fake-secrets.ts";
import { hasTerminal, inTerminal } from "../support/terminal.ts";

const ALL = [...AGENTS];
const GUARDED = "command -v waymark >/dev/null 2>&1 || exit 0; waymark hook claude || true";

const states = ({ json }: CliResult): unknown =>
  (field(json, "agents") as { agent: string; state: string }[]).map(({ agent, state }) => [
    agent,
    state,
  ]);

/** Programs of this machine, and none of an agent or of Waymark. */
const BARE_PATH = "/usr/bin:/bin";

function runAt(
  project: RuleProject,
  env: NodeJS.ProcessEnv,
  ...args: string[]
): Promise<CliResult> {
  return waymark(project.repo.root, args, { env: { ...project.repo.env, ...env } });
}

/** Every command that was installed, as a shell line. */
async function installedCommands({ repo }: RuleProject): Promise<string[]> {
  const texts = await Promise.all(
    [
      ".claude/settings.json",
      ".codex/hooks.json",
      ".gemini/settings.json",
      ".qwen/settings.json",
      ".cursor/hooks.json",
      ".github/hooks/waymark.json",
    ].map(async (path) => String(await repo.read(path))),
  );
  const found = texts.flatMap((text) => [
    ...text.matchAll(/"(?:command|bash)": ("command -v.*")/g),
  ]);
  const scripts = (await readdir(join(repo.root, ".clinerules/hooks"))).map(
    (name) => `./.clinerules/hooks/${name}`,
  );
  return [...found.map(([, json]) => JSON.parse(json ?? "") as string), ...scripts];
}

describe("hooks install", () => {
  it("installs for every agent, once, and uninstall leaves the project as it was", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      await repo.write(".claude/settings.json", '{ "model": "x" }   ');
      await repo.write(".clinerules/hooks/PreToolUse", "#!/bin/sh\ncat\n");
      await project.create();
      const before = await takeFingerprint(repo);
      const { json } = await project.ok("hooks", "install", ...ALL, "--force");
      expect(field(json, "agents")).toHaveLength(ALL.length);
      const after = await takeFingerprint(repo);
      expect(states(await project.ok("hooks", "install", ...ALL, "--force"))).toEqual(
        ALL.map((agent) => [agent, "unchanged"]),
      );
      expect(differences(await takeFingerprint(repo), after)).toEqual([]);
      await project.ok("hooks", "uninstall");
      expect(differences(await takeFingerprint(repo), before)).toEqual([]);
      expect(field((await project.ok("hooks", "uninstall")).json, "agents")).toEqual([]);
    });
  });

  it("[R109] installs commands that never block: without Waymark, and with one that fails", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      await project.ok("hooks", "install", ...ALL, "--force");
      const failing = join(repo.base, "failing");
      await mkdir(failing);
      await writeFile(join(failing, "waymark"), "#!/bin/sh\nexit 2\n", { mode: 0o755 });
      const commands = await installedCommands(project);
      expect(commands.length).toBeGreaterThan(30);
      for (const command of commands) {
        for (const PATH of [BARE_PATH, `${failing}:${BARE_PATH}`]) {
          const end = await runCommand("sh", ["-c", command], {
            cwd: repo.root,
            env: { PATH },
            input: "{}",
          });
          expect([command, end.code, end.stdout.toString()]).toEqual([command, 0, ""]);
        }
      }
    });
  });

  it("[R108] leaves malformed files alone, and everything else with them", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      await repo.write(".claude/settings.json", "{}");
      const malformed = [
        ['{\n  "hooks": {\n', ".codex/hooks.json:3:1"],
        ['{"hooks": []}', ".codex/hooks.json:1:11"],
        ['{"hooks": {"PreToolUse": {}}}', ".codex/hooks.json:1:26"],
        ['{"hooks": {"Stop": [{"hooks": 1}]}}', ".codex/hooks.json:1:31"],
        ['{"hooks": {"Stop": [1]}}', ".codex/hooks.json:1:21"],
        ["[]", ".codex/hooks.json:1:1"],
        ['{"hooks": {}, "hooks": {}}', ".codex/hooks.json:1:15"],
      ] as const;
      for (const [text, place] of malformed) {
        await repo.write(".codex/hooks.json", text);
        const before = await takeFingerprint(repo);
        const result = await project.run("hooks", "install", "claude", "codex", "gemini");
        expectExit(result, 2);
        expect(errorMessage(result)).toContain(place);
        expect(field(result.json, "error", "code")).toBe("agent_file_invalid");
        expect(said(await project.ok("hooks", "status", "codex"))).toContain(place);
        expect(differences(await takeFingerprint(repo), before)).toEqual([]);
      }
      await writeFile(join(repo.root, ".codex/hooks.json"), Buffer.from([0x7b, 0xff, 0x7d]));
      expect(errorMessage(await project.run("hooks", "install", "codex"))).toContain("UTF-8");
    });
  });

  it("takes back what it wrote when another file cannot be written", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      await repo.write(".claude/settings.json", "{}");
      await repo.write(".gemini", "a file where a folder has to be");
      const before = await takeFingerprint(repo);
      expectExit(await project.run("hooks", "install", "codex", "claude", "gemini"), 1);
      expect(differences(await takeFingerprint(repo), before)).toEqual([]);
      expect(states(await project.ok("hooks", "uninstall", "claude"))).toEqual([
        ["claude", "not_installed"],
      ]);
    });
  });

  it("[R110] brings an older form up to date in its place, and keeps what the user changed in it", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      const group = (command: string) => ({
        matcher: "Bash",
        hooks: [{ type: "command", command, timeout: 7 }],
      });
      const mine = {
        matcher: "*",
        hooks: [{ type: "command", command: "./mine.sh; waymark hook claude" }],
      };
      const settings = {
        hooks: {
          PreToolUse: [group("waymark hook claude"), mine],
          PostToolUse: [group("npx waymark hook claude")],
        },
      };
      await repo.write(".claude/settings.json", JSON.stringify(settings, null, 4));
      expect(states(await project.ok("hooks", "install", "claude"))).toEqual([
        ["claude", "updated"],
      ]);
      const { hooks } = JSON.parse(String(await repo.read(".claude/settings.json"))) as {
        hooks: Record<string, unknown[]>;
      };
      expect(hooks["PreToolUse"]).toEqual([group(GUARDED), mine]);
      expect(Object.keys(hooks)).toEqual([
        "PreToolUse",
        "SessionStart",
        "UserPromptSubmit",
        "Stop",
        "SessionEnd",
      ]);
      expectExit(await project.run("hooks", "uninstall", "claude"), 1);
      expect(JSON.parse(String(await repo.read(".claude/settings.json")))).toEqual({
        hooks: { PreToolUse: [mine] },
      });
    });
  });

  it("keeps a script of Cline's user, asks it first, and gives it back with its mode", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      const path = join(repo.root, ".clinerules/hooks/PreToolUse");
      const own = '#!/bin/sh\nprintf "%s" "$(cat)" | tr a-z A-Z\nexit 3\n';
      await repo.write(".clinerules/hooks/PreToolUse", own);
      await chmod(path, 0o750);
      const shims = join(repo.base, "shims");
      await mkdir(shims);
      const log = join(repo.base, "log");
      await writeFile(join(shims, "waymark"), `#!/bin/sh\ncat >> ${log}\necho ours\n`, {
        mode: 0o755,
      });
      await project.ok("hooks", "install", "cline");
      const run = (name: string) =>
        runCommand(join(repo.root, ".clinerules/hooks", name), [], {
          cwd: repo.root,
          env: { PATH: `${shims}:${BARE_PATH}` },
          input: '{"a":"b"}\n',
        });
      const silent = await runCommand(path, [], {
        cwd: repo.root,
        env: { PATH: BARE_PATH },
        input: '{"a":"b"}\n',
      });
      expect([silent.code, silent.stdout.toString()]).toEqual([3, '{"A":"B"}']);
      const asked = await run("PreToolUse");
      expect([asked.code, asked.stdout.toString()]).toEqual([3, "ours"]);
      expect(await readFile(log, "utf8")).toBe('{"a":"b"}\n');
      const other = await run("TaskStart");
      expect([other.code, other.stdout.toString()]).toEqual([0, "ours\n"]);
      await project.ok("hooks", "uninstall", "cline");
      expect(await readFile(path, "utf8")).toBe(own);
      expect((await stat(path)).mode & 0o777).toBe(0o750);
      expect(await readdir(join(repo.root, ".clinerules/hooks"))).toEqual(["PreToolUse"]);
    });
  });

  it("goes on where a kill left a copy of a script of Cline's user, and takes the copy away", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      const [own, copy] = [
        ".clinerules/hooks/PreToolUse",
        ".clinerules/hooks/PreToolUse.before-waymark",
      ];
      await repo.write(own, "#!/bin/sh\ncat\n");
      const before = await takeFingerprint(repo);
      const halfWay = async (): Promise<void> => {
        await project.ok("hooks", "install", "cline");
        await writeFile(join(repo.root, own), await readFile(join(repo.root, copy)));
      };
      await halfWay();
      await project.ok("hooks", "install", "cline");
      expect(String(await repo.read(own))).toContain("waymark hook cline");
      await project.ok("hooks", "uninstall", "cline");
      expect(differences(await takeFingerprint(repo), before)).toEqual([]);
      await halfWay();
      await project.ok("hooks", "uninstall", "cline");
      expect(await readdir(join(repo.root, ".clinerules/hooks"))).toEqual(["PreToolUse"]);
    });
  });

  it("gives opencode a plugin that asks, adds context, denies, and is silent where Waymark is not", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      await project.ok("hooks", "install", "opencode");
      const shims = join(repo.base, "shims");
      await mkdir(shims);
      const reply = JSON.stringify({ deny: "no disk", context: "rolled back", message: "hello" });
      await writeFile(
        join(shims, "waymark"),
        `#!/bin/sh\ncat >> "$OUT"\necho >> "$OUT"\necho '${reply}'\n`,
        { mode: 0o755 },
      );
      const plugin = pathToFileURL(join(repo.root, ".opencode/plugins/waymark.js")).href;
      const script = `
        const { Waymark } = await import(${JSON.stringify(plugin)});
        const hooks = await Waymark({ directory: process.cwd(), client: undefined });
        const parts = [{ type: "text", text: "do it" }];
        await hooks["chat.message"]({ sessionID: "s" }, { message: { id: "m" }, parts });
        const before = hooks["tool.execute.before"];
        await before({ tool: "read", sessionID: "s", callID: "c0" }, { args: {} });
        const denied = await before({ tool: "write", sessionID: "s", callID: "c" }, { args: { filePath: "a" } }).catch((error) => error.message);
        await hooks.event({ event: { type: "session.idle", properties: { sessionID: "s" } } });
        await hooks.event({});
        await hooks.dispose();
        console.log(JSON.stringify({ denied: denied ?? null, parts: parts.length, text: parts[1]?.text ?? null }));`;
      const run = async (PATH: string): Promise<unknown> => {
        const env = { PATH, OUT: join(repo.base, "out") };
        const end = await runCommand(process.execPath, ["--input-type=module", "-e", script], {
          cwd: repo.root,
          env,
        });
        return JSON.parse(end.stdout.toString());
      };
      expect(await run("/nowhere")).toEqual({ denied: null, parts: 1, text: null });
      expect(await run(`${shims}:${BARE_PATH}`)).toEqual({
        denied: "no disk",
        parts: 2,
        text: "rolled back",
      });
      const payloads = (await readFile(join(repo.base, "out"), "utf8"))
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line) as unknown);
      const head = { session_id: "s", cwd: repo.root };
      expect(payloads).toEqual([
        { hook_event_name: "chat.message", ...head, prompt: "do it" },
        {
          hook_event_name: "tool.execute.before",
          ...head,
          tool: "write",
          call_id: "c",
          args: { filePath: "a" },
        },
        { hook_event_name: "session.idle", ...head },
        { hook_event_name: "dispose", ...head },
      ]);
    });
  });

  it("does not install for Copilot what it gets from Claude's file, unless forced; status says that it comes twice", async () => {
    await withSeed(async (project) => {
      expect(states(await project.ok("hooks", "install", "claude", "copilot"))).toEqual([
        ["claude", "installed"],
        ["copilot", "covered"],
      ]);
      const covered = await project.ok("hooks", "status", "copilot");
      expect(field(covered.json, "agents")).toMatchObject([
        {
          installed: [],
          doubled: null,
          covered_by: expect.stringContaining(".claude/settings.json") as unknown,
        },
      ]);
      await project.ok("hooks", "install", "copilot", "--force");
      const doubled = await project.ok("hooks", "status", "copilot");
      expect(field(doubled.json, "agents")).toMatchObject([
        { doubled: expect.stringContaining("waymark.json") as unknown },
      ]);
    });
  });

  it("works for the user outside of any project, by path, with records that nobody else can read", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      const settings = join(repo.home, ".claude/settings.json");
      await mkdir(join(repo.home, "dotfiles"), { recursive: true });
      await mkdir(join(repo.home, ".claude"));
      await writeFile(join(repo.home, "dotfiles/claude.json"), '{"env": {"TOKEN": "x"}}');
      await symlink("../dotfiles/claude.json", settings);
      const outside = (...args: string[]) =>
        waymark(repo.base, ["hooks", ...args], {
          env: { ...repo.env, PATH: BARE_PATH, XDG_STATE_HOME: join(repo.home, "state") },
        });
      const installed = await outside("install", "claude", "--scope", "user", "--absolute");
      expectExit(installed, 0);
      expect((await lstat(settings)).isSymbolicLink()).toBe(true);
      const command = absoluteHookCommand({ node: process.execPath, script: bin }, "claude");
      expect(await readFile(settings, "utf8")).toContain(JSON.stringify(command));
      const records = join(repo.home, "state/waymark/agents-installed");
      for (const name of await readdir(records)) {
        expect((await stat(join(records, name))).mode & 0o777).toBe(0o600);
      }
      expectExit(await outside("install", "codex"), 3);
      expectExit(await outside("uninstall", "--all"), 0);
      expect(await readFile(settings, "utf8")).toBe('{"env": {"TOKEN": "x"}}');
      expect(await readdir(records)).toEqual([]);
    });
  });

  it("leaves nothing behind where the agent has brought the version of a new file up to date", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      await project.ok("hooks", "install", "qwen");
      const text = String(await repo.read(".qwen/settings.json"));
      expect(JSON.parse(text)).toMatchObject({ $version: 4 });
      await repo.write(".qwen/settings.json", text.replace('"$version": 4', '"$version": 5'));
      await project.ok("hooks", "uninstall", "qwen");
      expect(await repo.exists(".qwen")).toBe(false);
    });
  });

  it("says in `status` and `doctor` that the agent refuses a file, and where", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      await project.ok("hooks", "install", "gemini");
      const text = String(await repo.read(".gemini/settings.json"));
      await repo.write(".gemini/settings.json", text.replace(/\}\s*$/, ",\n}\n"));
      const problem =
        /\.gemini\/settings\.json:\d+:\d+: Gemini CLI does not read files with trailing commas/;
      expect(said(await project.ok("hooks", "status", "gemini"))).toMatch(problem);
      expect(said(await project.run("doctor"))).toMatch(problem);
      const again = await project.run("hooks", "install", "gemini");
      expectExit(again, 2);
      expect(said(again)).toMatch(problem);
      await repo.write(".gemini/settings.json", '{"a":1,}');
      expect(said(await project.ok("hooks", "status", "gemini"))).toMatch(problem);
      const doctor = said(await project.run("doctor"));
      expect(doctor).toMatch(problem);
      expect(doctor).not.toContain("waymark hooks install gemini");
      const { json } = await project.ok("status");
      expect(field(json, "agents")).toMatchObject([{ agent: "gemini", hooks_installed: false }]);
    });
  });

  it("takes out what a colleague committed, without a record, and leaves the rest of the file", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      await repo.write(".gemini/settings.json", '{\n  // theirs\n  "ui": {}\n}\n');
      await project.ok("hooks", "install", "gemini", "copilot", "opencode", "cline");
      await repo.git("add", "-A");
      await repo.git("commit", "-qm", "hooks");
      await repo.git("clone", "-q", repo.root, join(repo.base, "clone"));
      const clone = project.at("clone");
      expect(states(await clone.ok("hooks", "install", "gemini", "opencode"))).toEqual([
        ["gemini", "unchanged"],
        ["opencode", "unchanged"],
      ]);
      await clone.ok("hooks", "uninstall");
      expect(String(await clone.repo.read(".gemini/settings.json"))).toBe(
        '{\n  // theirs\n  "ui": {}\n}\n',
      );
      const gone = (await clone.repo.git("ls-files", "--deleted")).trim().split("\n");
      expect(gone).toContain(".github/hooks/waymark.json");
      expect(gone).toContain(".opencode/plugins/waymark.js");
      expect(gone.filter((path) => path.startsWith(".clinerules/"))).toHaveLength(7);
    });
  });

  it("[R123] knows hooks that somebody wrote: no second one, and they go only when forced", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      const path = ".claude/settings.json";
      const written = {
        hooks: {
          PreToolUse: [
            { hooks: [{ type: "command", command: "/opt/bin/waymark hook claude 2>/dev/null" }] },
          ],
        },
      };
      const text = JSON.stringify(written, null, 3);
      await repo.write(path, text);
      const stateNow = async () =>
        field(
          (await project.ok("hooks", "status", "claude")).json,
          "agents",
          "0",
          "installed",
          "0",
        );
      expect(await stateNow()).toMatchObject({ state: "written" });
      expect(field((await project.run("doctor")).json, "checks")).toContainEqual(
        expect.objectContaining({ message: expect.stringContaining("(added manually)") }),
      );
      await project.ok("hooks", "install", "claude");
      const { hooks } = JSON.parse(String(await repo.read(path))) as {
        hooks: Record<string, unknown[]>;
      };
      expect(hooks["PreToolUse"]).toEqual(written.hooks.PreToolUse);
      expect(Object.keys(hooks)).toContain("Stop");
      const kept = await project.run("hooks", "uninstall", "claude");
      expectExit(kept, 1);
      expect(field(kept.json, "warnings", "0")).toContain("--force");
      expect(String(await repo.read(path))).toBe(text);
      await project.ok("hooks", "uninstall", "claude", "--force");
      expect(JSON.parse(String(await repo.read(path)))).toEqual({});
    });
  });

  it("[R123] says how to take it away in words that work when they are pasted", async () => {
    await withSeed(async (project) => {
      for (const scope of ["project", "local", "user"]) {
        const { json } = await project.ok("hooks", "install", "claude", "--scope", scope);
        const said = JSON.stringify(field(json, "notes"));
        const command = /`waymark (hooks uninstall[^`]*)`/.exec(said)?.[1] ?? "";
        expect(states(await project.ok(...command.split(" ")))).toEqual([["claude", "removed"]]);
      }
      await project.ok("hooks", "install", "claude", "--scope", "local");
      await project.ok("hooks", "install", "claude", "--scope", "user");
      const both = await project.ok("hooks", "uninstall");
      expect(states(both)).toEqual([["claude", "removed"]]);
      expect(field(both.json, "notes", "0")).toContain(
        "`waymark hooks uninstall claude --scope user`",
      );
    });
  });

  it("keeps a plugin file that somebody edited, and replaces it only when forced", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      const path = ".opencode/plugins/waymark.js";
      await project.ok("hooks", "install", "opencode");
      const edited = String(await repo.read(path)).replace("30000", "5000");
      await repo.write(path, edited);
      expect(field((await project.run("hooks", "install", "opencode")).json, "error", "code")).toBe(
        "already_exists",
      );
      const kept = await project.run("hooks", "uninstall");
      expect([kept.code, states(kept)]).toEqual([1, [["opencode", "kept"]]]);
      expect(String(await repo.read(path))).toBe(edited);
      await project.ok("hooks", "install", "opencode", "--force");
      await project.ok("hooks", "uninstall", "opencode");
      expect(String(await repo.read(path))).toBe(edited);
      const { json } = await project.run("hooks", "uninstall", "opencode");
      const said = String(field(json, "warnings", "0"));
      const command = /`waymark (hooks uninstall .* --force)`/.exec(said)?.[1] ?? "";
      await project.ok(...command.split(" "));
      expect(await readdir(join(repo.root, ".opencode/plugins"))).toEqual([]);
    });
  });

  it("shows a diff that git can apply, without secrets, and changes nothing", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      await repo.write(".qwen/settings.json", `{\n  "token": "${TOKEN}"\n}\n`);
      const before = await takeFingerprint(repo);
      const { json } = await project.ok("hooks", "install", "qwen", "cursor", "--dry-run");
      expect(differences(await takeFingerprint(repo), before)).toEqual([]);
      const agents = field(json, "agents") as {
        files: { path: string; action: string; diff: string }[];
      }[];
      expect(JSON.stringify(agents)).not.toContain(TOKEN);
      const diff = `${agents[1]?.files[0]?.diff ?? ""}\n`;
      await repo.gitWithInput(diff, "apply", "-");
      const applied = String(await repo.read(".cursor/hooks.json"));
      await repo.git("clean", "-fdq", ".cursor");
      await project.ok("hooks", "install", "cursor");
      expect(String(await repo.read(".cursor/hooks.json"))).toBe(applied);
    });
  });

  it("without a terminal needs a name or --yes, and refuses what makes no sense", async () => {
    await withSeed(async (project) => {
      await project.repo.write("GEMINI.md", "");
      const env = { PATH: BARE_PATH };
      const asked = await runAt(project, env, "hooks", "install");
      expectExit(asked, 5);
      expect(field(asked.json, "error", "hint")).toContain("`waymark hooks install gemini`");
      expect(states(await runAt(project, env, "hooks", "install", "--yes"))).toEqual([
        ["gemini", "installed"],
      ]);
      for (const args of [
        ["install", "cluade"],
        ["install", "codex", "--scope", "local"],
        ["install", "claude", "--absolute"],
        ["install", "claude", "--via", "plugin"],
        ["install", "cursor", "--via", "plugin", "--scope", "user"],
        ["install", "claude", "--scope", "everybody"],
        ["uninstall", "--all", "--scope", "user"],
      ]) {
        const result = await runAt(project, env, "hooks", ...args);
        expect([args, result.code, said(result)]).toEqual([
          args,
          2,
          expect.stringContaining('"usage"'),
        ]);
      }
    });
  });

  it("several at once leave all of it whole", async () => {
    await withSeed(async (project) => {
      await project.repo.write(".claude/settings.json", '{"a": 1}');
      const before = await takeFingerprint(project.repo);
      await Promise.all(
        ["claude", "claude", "codex", "gemini", "cline"].map((agent) =>
          project.ok("hooks", "install", agent),
        ),
      );
      const { json } = await project.ok("hooks", "status", "claude", "codex", "gemini", "cline");
      for (const status of field(json, "agents") as unknown[]) {
        expect(status).toMatchObject({ installed: [{ state: "current" }], doubled: null });
      }
      await project.ok("hooks", "uninstall");
      expect(differences(await takeFingerprint(project.repo), before)).toEqual([]);
    });
  });

  it("lets an agent with plugins install ours, and takes everything back when that fails", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      const shims = join(repo.base, "shims");
      await mkdir(shims);
      const log = join(repo.base, "log");
      const settings = join(repo.home, ".claude/settings.json");
      await mkdir(join(repo.home, ".claude"));
      await writeFile(settings, '{ "mine": 1 }');
      const agent = (last: string) =>
        writeFile(
          join(shims, "claude"),
          `#!/bin/sh\necho "$@" >> ${log}\necho '{"enabledPlugins": {"waymark@waymark": true}}' > ${settings}\n[ "$2" = install ] && { ${last}; }\nexit 0\n`,
          { mode: 0o755 },
        );
      const env = { PATH: `${shims}:${BARE_PATH}` };
      const args = ["hooks", "install", "claude", "--scope", "user", "--via", "plugin"];
      await agent("echo no network >&2; exit 1");
      const failed = await runAt(project, env, ...args);
      expectExit(failed, 1);
      expect(errorMessage(failed)).toContain("no network");
      expect(await readFile(settings, "utf8")).toBe('{ "mine": 1 }');
      await agent("true");
      expect(states(await runAt(project, env, ...args))).toEqual([["claude", "installed"]]);
      expect(states(await runAt(project, env, ...args))).toEqual([["claude", "unchanged"]]);
      expect(states(await runAt(project, env, "hooks", "uninstall", "--scope", "user"))).toEqual([
        ["claude", "removed"],
      ]);
      expect(await readFile(settings, "utf8")).toBe('{ "mine": 1 }');
      expect(await readFile(log, "utf8")).toContain(
        "plugin uninstall waymark@waymark --scope user",
      );
    });
  });

  it.runIf(hasTerminal)("asks in a terminal, with what was found", async () => {
    await withSeed(async ({ repo }) => {
      await repo.write(".qwen/settings.json", "{}");
      const env = { ...repo.env, PATH: BARE_PATH };
      const no = await inTerminal(
        repo.root,
        ["hooks", "install"],
        [{ see: "Qwen Code", type: "no\n" }],
        env,
      );
      expect(no.code).toBe(5);
      expect(String(await repo.read(".qwen/settings.json"))).toBe("{}");
      const yes = await inTerminal(
        repo.root,
        ["hooks", "install"],
        [{ see: "Install them? [y/N]", type: "y\n" }],
        env,
      );
      expect(yes.screen).toContain("change .qwen/settings.json");
      expect([yes.code, yes.screen]).toEqual([
        0,
        expect.stringContaining("installed in .qwen/settings.json"),
      ]);
    });
  });
});

describe("init", () => {
  it("offers hooks for agents that the project has files of: by command, with --hooks, not with --no-hooks", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      await repo.write("GEMINI.md", "");
      const offered = await project.ok("init", "--dry-run");
      const missing = {
        missing: ["gemini"],
        installed: [],
        command: "waymark hooks install gemini",
      };
      expect(field(offered.json, "hooks")).toEqual(missing);
      expect(field((await project.ok("init", "--no-hooks")).json, "hooks")).toEqual(missing);
      expect(await readdir(repo.root)).not.toContain(".gemini");
      const { json } = await project.ok("init", "--hooks");
      expect(field(json, "hooks")).toEqual({ missing: [], installed: ["gemini"], command: null });
      expect(String(await repo.read(".gemini/settings.json"))).toContain("waymark hook gemini");
      expect(field((await project.ok("init")).json, "hooks", "command")).toBeNull();
    });
  });

  it.runIf(hasTerminal)("asks in a terminal, and installs only after a yes", async () => {
    await withSeed(async ({ repo }) => {
      await repo.write("QWEN.md", "");
      const ask = (type: string) =>
        inTerminal(repo.root, ["init"], [{ see: "Qwen Code", type }], repo.env);
      expect((await ask("\n")).screen).toContain("waymark hooks install qwen");
      expect(await readdir(repo.root)).not.toContain(".qwen");
      expect((await ask("y\n")).screen).toContain("installed hooks in .qwen/settings.json");
    });
  });
});

describe("doctor", () => {
  it("says what is installed, and what is wrong with it", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      const lines = async () => {
        const { json } = await runAt(project, { PATH: BARE_PATH }, "doctor");
        const checks = field(json, "checks") as { name: string; status: string; message: string }[];
        return checks
          .filter(({ name }) => name === "agent_hooks")
          .map(({ status, message }) => `${status}: ${message}`);
      };
      expect(await lines()).toEqual(["ok: no agent hooks are installed"]);
      await repo.write("CLAUDE.md", "");
      expect(await lines()).toEqual(["ok: no hooks are installed for Claude Code"]);
      await project.ok("hooks", "install", "claude", "codex", "qwen");
      await repo.write(".claude/settings.local.json", '{"disableAllHooks": true}');
      const older = String(await repo.read(".qwen/settings.json")).replace(
        "command -v waymark >/dev/null 2>&1 || exit 0; ",
        "",
      );
      await repo.write(".qwen/settings.json", older);
      expect(await lines()).toEqual([
        expect.stringContaining("warning: Claude Code runs no hooks: disableAllHooks is true"),
        "warning: Codex does not run the hooks: they are not trusted yet",
        expect.stringMatching(/^warning: Qwen Code: the hooks in .*settings.json are outdated$/),
        expect.stringContaining("warning: `waymark` is not on the PATH"),
      ]);
      await mkdir(join(repo.home, ".codex"), { recursive: true });
      const hooks = join(repo.root, ".codex/hooks.json");
      const events = Object.keys(
        field(JSON.parse(await readFile(hooks, "utf8")), "hooks") as Record<string, unknown>,
      ).map((name) => name.replaceAll(/(?<=[a-z])(?=[A-Z])/g, "_").toLowerCase());
      const trusted = [
        `[projects."${repo.root}"]\ntrust_level = "trusted"\n`,
        ...events.map(
          (event) => `[hooks.state."${hooks}:${event}:0:0"]\ntrusted_hash = "sha256:0"\n`,
        ),
      ].join("\n");
      await writeFile(join(repo.home, ".codex/config.toml"), trusted);
      expect(await lines()).toContain(`ok: Codex: ${hooks}`);
    });
  });
});
