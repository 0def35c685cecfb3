/** Where the environment puts the user's folders: none of it keeps a project from being protected. */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { HookedProject } from "../hooks/hooked-project.ts";
import { type CliResult, expectExit, waymark } from "../support/cli.ts";
import { items, text } from "../support/json.ts";
import { withTempProject } from "../support/temp-repository.ts";
import { RuleProject, withSeed } from "./project.ts";

type Variables = Readonly<Record<string, string | undefined>>;

/** Compiled code is kept by processes that start: a shared one would not show it. */
function runWith(
  { repo }: RuleProject,
  env: Variables,
  ...args: readonly string[]
): Promise<CliResult> {
  const options = { env: { ...repo.env, ...env }, hasOwnProcess: true, timeoutMs: 20_000 };
  return waymark(repo.root, args, options);
}

describe("the user's folders", () => {
  it("[R19] a git work tree that is the home folder is a project, and hooks protect it", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      const env = { HOME: repo.root, XDG_CACHE_HOME: undefined };
      expectExit(await runWith(project, env, "create"), 0);
      const hooked = new HookedProject(project);
      await repo.write("a.txt", "changed\n");
      await hooked.write("a.txt", { env });
      const triggers = (await hooked.checkpoints()).map(({ trigger }) => trigger);
      expect(triggers).toEqual(["manual", "tool_use"]);
      expect(await repo.git("status", "--short", "-uall")).toBe(" M a.txt\n");
      expect(await repo.exists(".cache")).toBe(false);
    });
  });

  it("[R19] a small plain folder that is the home folder is a project", async () => {
    await withTempProject(async (repo) => {
      const project = new RuleProject(repo);
      const env = { HOME: repo.root, XDG_CACHE_HOME: undefined };
      await repo.write("a.txt", "one\n");
      // Compiled code is kept in the home folder before that is a project.
      expectExit(await runWith(project, env, "doctor"), 0, 1);
      const made = await runWith(project, env, "create");
      expectExit(made, 0);
      const reasons = items(made.json, "checkpoint", "coverage", "excluded").map((excluded) =>
        text(excluded, "reason"),
      );
      expect(new Set(reasons)).toEqual(new Set(["ignored", "own_files"]));
      const id = text(made.json, "checkpoint", "id");
      await repo.write("a.txt", "two\n");
      expectExit(await runWith(project, env, "rollback", id, "--yes"), 0);
      expect((await repo.read("a.txt")).toString()).toBe("one\n");
    });
  });

  it("[R19] a home folder with more than the budgets allow is refused, and the hint says why", async () => {
    await withTempProject(async (repo) => {
      const project = new RuleProject(repo);
      const env = { HOME: repo.root, WAYMARK_CAPTURE_MAX_FILES: "2" };
      for (const name of ["a", "b", "c/d"]) await repo.write(name, name);
      const refused = await runWith(project, env, "create");
      expectExit(refused, 1);
      expect(text(refused.json, "error", "code")).toBe("over_budget");
      expect(text(refused.json, "error", "hint")).toContain("This is your home folder");
      expect(await repo.exists(".checkpoints")).toBe(false);
    });
  });

  const PLACES: readonly (readonly [string, Variables])[] = [
    ["HOME is empty", { HOME: "", XDG_CACHE_HOME: undefined }],
    ["HOME is not set", { HOME: undefined, XDG_CACHE_HOME: undefined }],
    ["HOME is no path", { HOME: "home", XDG_CACHE_HOME: "cache", XDG_STATE_HOME: "state" }],
    ["HOME takes no folders", { HOME: "/proc/none/home", XDG_CACHE_HOME: undefined }],
    ["HOME is a file", { HOME: "/etc/passwd", XDG_CACHE_HOME: undefined }],
    ["the cache takes no folders", { XDG_CACHE_HOME: "/proc/none/cache" }],
    ["the state takes no folders", { XDG_STATE_HOME: "/proc/none/state" }],
  ];

  it.each(PLACES)("[R185] where %s, commands and hooks do their work", async (_title, env) => {
    await withSeed(async (project) => {
      const { repo } = project;
      const made = await runWith(project, env, "create");
      expectExit(made, 0);
      await repo.write("a.txt", "changed\n");
      const hooked = new HookedProject(project);
      expect(await hooked.write("a.txt", { env })).toBe("");
      expect(await hooked.checkpoints()).toHaveLength(2);
      const id = text(made.json, "checkpoint", "id");
      expectExit(await runWith(project, env, "rollback", id, "--yes"), 0);
      expect(await repo.git("status", "--short", "-uall")).toBe("");
    });
  });

  it("[R185] a hook that cannot open the project says so, and denies with fail_closed, without a place to remember it", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      await writeFile(join(repo.root, ".git/HEAD"), "nonsense\n");
      const env = { HOME: "/proc/none", XDG_STATE_HOME: undefined };
      const hooked = new HookedProject(project);
      expect(await hooked.prompt("go", { env })).toContain("could not create a checkpoint");
      const closed = { ...env, WAYMARK_AGENTS_POLICY: "fail_closed" };
      expect(await hooked.write("a.txt", { env: closed })).toContain("deny");
    });
  });

  it("[R185] a cache that was in a folder before it became a work tree is ignored there", async () => {
    await withTempProject(async (repo) => {
      const env = { HOME: repo.root, XDG_CACHE_HOME: undefined };
      const project = new RuleProject(repo);
      const other = join(repo.base, "other");
      await mkdir(other);
      await waymark(other, ["doctor"], { env: { ...repo.env, ...env }, hasOwnProcess: true });
      expect(await readFile(join(repo.root, ".cache/waymark/.gitignore"), "utf8")).toBe("*\n");
      await repo.git("init", "-q");
      expect(await repo.git("status", "--short", "-uall")).toBe("");
      expectExit(await runWith(project, env, "create"), 0);
    });
  });
});
