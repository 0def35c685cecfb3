/** The completion scripts in the shells that they are for. */
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { secondWord } from "../../src/interfaces/cli/command-spec.ts";
import { COMMANDS, FAMILIES } from "../../src/interfaces/cli/command-table.ts";
import { withSeed, type RuleProject } from "../spec/project.ts";
import { waymarkShellCommand } from "../support/cli.ts";
import { hasProgram } from "../support/find-program.ts";
import { runCommand } from "../support/run-command.ts";

const scriptOf = (shell: string): string =>
  fileURLToPath(new URL(`../../completions/waymark.${shell}`, import.meta.url));

interface Scene {
  readonly project: RuleProject;
  readonly id: string;
  /** Runs a program in the project, with `waymark` and `git-waymark` on the PATH. */
  readonly run: (program: string, ...args: string[]) => Promise<string>;
}

/** Two checkpoints, one of a phase; a session and a phase whose names would harm a shell that believes them. */
async function scene(body: (scene: Scene) => Promise<void>): Promise<void> {
  await withSeed(async (project) => {
    const { repo } = project;
    const bin = join(repo.base, "bin");
    await mkdir(bin);
    for (const name of ["waymark", "git-waymark"]) {
      await writeFile(join(bin, name), `#!/bin/sh\nexec ${waymarkShellCommand()} "$@"\n`);
      await chmod(join(bin, name), 0o755);
    }
    const id = await project.create(
      "--phase",
      "implement",
      "--step",
      "4",
      "--trigger",
      "pre_phase",
    );
    await project.create("--session", "$(touch stolen)", "-m", "'; touch stolen; '");
    await project.create("--phase", "`touch stolen`", "--trigger", "pre_phase");
    await repo.write("my file.json", "{}");
    const env = { ...repo.env, PATH: `${bin}:${repo.env["PATH"] ?? ""}` };
    await body({
      project,
      id,
      run: async (program, ...args) => {
        const result = await runCommand(program, args, { cwd: repo.root, env });
        expect(result.stderr).toBe("");
        return result.stdout.toString("utf8");
      },
    });
    expect(await repo.exists("stolen")).toBe(false);
  });
}

const visible = [
  ...COMMANDS.filter((spec) => spec.isHidden !== true && secondWord(spec) === undefined),
  ...FAMILIES,
].map(({ name }) => name);

const lines = (text: string): string[] => text.split("\n").filter((line) => line !== "");

describe("bash", () => {
  /** What bash would offer: the words as bash splits them, at : and = too. */
  async function offered(
    { run }: Scene,
    line: string,
    words: readonly string[],
    functionName = "_waymark",
  ): Promise<string[]> {
    const script = `
      source "$1"; COMP_LINE=$2; COMP_POINT=\${#2}; shift 2
      COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
      ${functionName}
      printf '%s\\n' "\${COMPREPLY[@]}"`;
    return lines(
      await run(
        "bash",
        "--norc",
        "--noprofile",
        "-c",
        script,
        "bash",
        scriptOf("bash"),
        line,
        ...words,
      ),
    );
  }

  it("offers commands, options and values", async () => {
    await scene(async (scene) => {
      const all = await offered(scene, "waymark ", ["waymark", ""]);
      expect(all).toEqual([...visible, "help"]);
      expect(await offered(scene, "waymark rollb", ["waymark", "rollb"])).toEqual(["rollback"]);
      expect(await offered(scene, "waymark create --du", ["waymark", "create", "--du"])).toEqual([
        "--durability",
      ]);
      const value = ["waymark", "create", "--durability", ""];
      expect(await offered(scene, "waymark create --durability ", value)).toEqual(["safe", "fast"]);
    });
  });

  it("[R51] offers checkpoints by id and by every other name, and none that a shell would act on", async () => {
    await scene(async (scene) => {
      const all = await offered(scene, "waymark show ", ["waymark", "show", ""]);
      expect(all.slice(0, 3)).toEqual(["latest", "phase:implement", "4"]);
      expect(all).toContain(scene.id);
      expect(all).toHaveLength(6);
      const quoted = ["waymark", "rollback", "-m", '"two words"', "la"];
      expect(await offered(scene, 'waymark rollback -m "two words" la', quoted)).toEqual([
        "latest",
      ]);
    });
  });

  it("replaces only what stands behind a colon or an equals sign", async () => {
    await scene(async (scene) => {
      const phase = ["waymark", "show", "phase", ":", "im"];
      expect(await offered(scene, "waymark show phase:im", phase)).toEqual(["implement"]);
      const open = ["waymark", "show", "phase", ":"];
      expect(await offered(scene, "waymark show phase:", open)).toEqual(["implement"]);
      const trigger = ["waymark", "create", "--trigger", "=", "pre"];
      expect(await offered(scene, "waymark create --trigger=pre", trigger)).toEqual(["pre_phase"]);
    });
  });

  it("leaves files and folders to bash", async () => {
    await scene(async (scene) => {
      const files = ["waymark", "create", "--metrics", "my"];
      expect(await offered(scene, "waymark create --metrics my", files)).toEqual(["my file.json"]);
      const folders = ["waymark", "-C", ""];
      expect((await offered(scene, "waymark -C ", folders)).toSorted()).toEqual([
        ".git",
        "build",
        "dir",
      ]);
    });
  });

  it("completes `git waymark` too, in the folder that git is told", async () => {
    await scene(async (scene) => {
      const words = ["git", "waymark", "show", "la"];
      const line = "git waymark show la";
      expect(await offered(scene, line, words, "_git_waymark")).toEqual(["latest"]);
      const elsewhere = `__git_C_args=(-C ..); _git_waymark`;
      const there = ["git", "-C", "..", "waymark", "show", "la"];
      expect(await offered(scene, "git -C .. waymark show la", there, elsewhere)).toEqual([]);
    });
  });

  it("says nothing where there is no project, and where Waymark is gone", async () => {
    await scene(async (scene) => {
      const words = ["waymark", "-C", "/", "show", ""];
      expect(await offered(scene, "waymark -C / show ", words)).toEqual([]);
      const gone = "PATH=/nowhere; _waymark";
      expect(await offered(scene, "waymark ", ["waymark", ""], gone)).toEqual([]);
    });
  });
});

describe.skipIf(!hasProgram("fish"))("fish (skipped where it is missing)", () => {
  it("offers commands, checkpoints, values and files, also for `git waymark`", async () => {
    await scene(async ({ id, run }) => {
      const offered = async (line: string): Promise<string[]> => {
        const script = `source ${scriptOf("fish")}; complete -C $argv[1]`;
        return lines(await run("fish", "--no-config", "-c", script, line)).map(
          (one) => one.split("\t")[0] ?? "",
        );
      };
      expect(await offered("waymark rollb")).toEqual(["rollback"]);
      expect(await offered("waymark show ")).toEqual(expect.arrayContaining(["latest", id]));
      expect(await offered("waymark show ")).toHaveLength(6);
      expect(await offered("waymark create --trigger=pre_p")).toEqual(["--trigger=pre_phase"]);
      expect(await offered("waymark create --metrics my")).toEqual(["my file.json"]);
      expect(await offered("git waymark show late")).toEqual(["latest"]);
    });
  });
});

describe.skipIf(!hasProgram("zsh"))("zsh (skipped where it is missing)", () => {
  /** A real interactive zsh in a pseudo terminal; the line is completed, then printed instead of run. */
  const DRIVER = `
    zmodload zsh/zpty
    zpty shell zsh -f -i
    say() { zpty -w shell "$1" }
    hear() { zpty -m -r shell heard "*$1*" }
    say 'PS1= RPS1= PROMPT2=; unsetopt prompt_cr prompt_sp beep zle_bracketed_paste; stty -echo'
    say "autoload -Uz compinit; compinit -u -D; source $1"
    say 'print-line() { local line=$BUFFER; BUFFER=; print -r -- "<<$line>>" }'
    say 'zle -N print-line; bindkey "^X^P" print-line; echo REA""DY'
    hear READY
    zpty -w -n shell "$2"$'\\t\\C-x\\C-p'
    hear '>>'
    print -r -- "$heard"`;

  it.each([
    ["waymark rollb", "waymark rollback "],
    ["waymark show phase:im", "waymark show phase:implement "],
    ["waymark create --trigger=pre_p", "waymark create --trigger=pre_phase "],
    ["waymark create --metrics my", "waymark create --metrics my\\ file.json "],
    ["git waymark show late", "git waymark show latest "],
  ])("%s", async (typed, completed) => {
    await scene(async ({ run }) => {
      const heard = await run("zsh", "-f", "-c", DRIVER, "zsh", scriptOf("zsh"), typed);
      expect(/<<(.*)>>/.exec(heard)?.[1]).toBe(completed);
    });
  });
});
