/** Repositories of another user and of a group. Two of the users below are no users of this machine: a number is all that the system needs. */
import { chmod, mkdir, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { bin, cliEnvironment } from "../support/cli.ts";
import { hasProgram } from "../support/find-program.ts";
import { field, text } from "../support/json.ts";
import { type CommandResult, runCommand } from "../support/run-command.ts";
import { copySeed, makeDirty } from "../support/seed-repository.ts";
import { type TempRepository, withTempProject } from "../support/temp-repository.ts";

const GROUP = 12_300;
const OWNER = 12_345;
const OTHER = 12_346;
const ROOT = 0;

const isAble = process.getuid?.() === 0 && hasProgram("setpriv");

class ManyUsers {
  readonly repo: TempRepository;

  constructor(repo: TempRepository) {
    this.repo = repo;
  }

  /** Any program as one of the users, with a home of its own; root is in no group but its own. */
  async as(uid: number, program: string, ...args: readonly string[]): Promise<CommandResult> {
    const home = join(this.repo.base, `home-${uid}`);
    const gid = uid === ROOT ? 0 : GROUP;
    const env = cliEnvironment({
      ...this.repo.env,
      HOME: home,
      XDG_CACHE_HOME: join(home, ".cache"),
    });
    const ids = [`--reuid=${uid}`, `--regid=${gid}`, "--clear-groups"];
    const options = { env, cwd: this.repo.root };
    return await runCommand("setpriv", [...ids, program, ...args], options);
  }

  async waymark(uid: number, ...args: readonly string[]): Promise<unknown> {
    const { stdout } = await this.as(uid, process.execPath, bin, ...args, "--json");
    return JSON.parse(stdout.toString("utf8")) as unknown;
  }

  async ok(uid: number, ...args: readonly string[]): Promise<unknown> {
    const document = await this.waymark(uid, ...args);
    expect(field(document, "error")).toBeUndefined();
    return document;
  }

  async create(uid: number, ...args: readonly string[]): Promise<string> {
    return text(await this.ok(uid, "create", "--force", ...args), "checkpoint", "id");
  }

  /** As `find` prints them, without the root of the project. */
  async found(...conditions: readonly string[]): Promise<string[]> {
    const all = [".", ...conditions, "-printf", "%P\\n"];
    const { stdout } = await runCommand("find", all, { env: this.repo.env, cwd: this.repo.root });
    return stdout.toString("utf8").split("\n").filter(Boolean);
  }

  path(name: string): string {
    return join(this.repo.root, name);
  }

  async read(path: string): Promise<string> {
    return (await this.repo.read(path)).toString("utf8");
  }

  async give(uid: number): Promise<void> {
    const args = ["-R", "-h", `${uid}:${GROUP}`, this.repo.root];
    expect((await runCommand("chown", args, { env: this.repo.env })).code).toBe(0);
  }
}

/** A dirty repository of one of the users; each of them trusts it. */
async function withUsers(body: (users: ManyUsers) => Promise<void>): Promise<void> {
  await withTempProject(async (repo) => {
    await chmod(repo.base, 0o755);
    await copySeed(repo);
    await makeDirty(repo);
    const users = new ManyUsers(repo);
    await users.give(OWNER);
    for (const uid of [ROOT, OWNER, OTHER]) {
      const home = join(repo.base, `home-${uid}`);
      await mkdir(home);
      await writeFile(join(home, ".gitconfig"), "[safe]\n\tdirectory = *\n");
      await runCommand("chown", ["-R", String(uid), home], { env: repo.env });
    }
    await body(users);
  });
}

describe.skipIf(!isAble)("a repository of another user (needs root and setpriv)", () => {
  it("leaves nothing of root behind after a create", async () => {
    await withUsers(async (users) => {
      await users.create(ROOT);
      expect(await users.found("-uid", "0")).toEqual([]);
      expect(await users.found("-path", "./.git/waymark", "-perm", "700")).toHaveLength(1);
    });
  });

  it("is one that its owner goes on with after root", async () => {
    await withUsers(async (users) => {
      const { repo } = users;
      const first = await users.create(ROOT);
      await repo.write("a.txt", "changed by root\n");
      await users.give(OWNER);
      const second = await users.create(OWNER);
      await users.ok(OWNER, "rollback", first, "--yes");
      expect(await users.read("a.txt")).toBe("alpha, staged, edited again\n");
      await users.ok(OWNER, "undo", "--yes");
      expect(await users.read("a.txt")).toBe("changed by root\n");
      await users.ok(OWNER, "delete", first, "--yes");
      await users.ok(OWNER, "cleanup", "--yes");
      await users.ok(OWNER, "validate");
      await users.ok(OWNER, "rollback", second, "--yes");
      const removed = await users.as(OWNER, "rm", "-rf", ".git/waymark");
      expect(removed.stderr).toBe("");
    });
  });

  it("leaves nothing of root behind after a rollback to another branch, an undo and a cleanup", async () => {
    await withUsers(async (users) => {
      const first = await users.create(OWNER);
      const git = (...args: string[]) => users.as(OWNER, "git", ...args);
      await git("stash", "-q", "-u");
      await git("checkout", "-q", "-b", "later/branch");
      await users.as(
        OWNER,
        "sh",
        "-c",
        "rm -r dir; echo x >new.txt; git add -A; git -c user.name=x -c user.email=x@y commit -qm later",
      );
      await git("branch", "-D", "main");
      await users.ok(ROOT, "rollback", first, "--yes", "--discard-commits");
      expect(await users.found("-uid", "0", "-not", "-type", "l")).toEqual([]);
      await users.ok(ROOT, "undo", "--yes", "--discard-commits");
      await users.ok(ROOT, "cleanup", "--yes");
      expect(await users.found("-uid", "0", "-not", "-type", "l")).toEqual([]);
      await users.ok(OWNER, "redo", "--yes", "--discard-commits");
      await users.ok(OWNER, "validate");
      const commit = ["-c", "user.name=x", "-c", "user.email=x@y", "commit", "-qam", "more"];
      expect((await git(...commit)).stderr).toBe("");
      expect(await users.read("b.txt")).toBe("beta, edited\n");
    });
  });

  it("gets what root makes in a linked work tree and, with sudo, in a plain folder", async () => {
    await withUsers(async (users) => {
      await users.as(OWNER, "git", "worktree", "add", "-q", "linked");
      const id = await users.create(ROOT, "-C", "linked");
      await users.as(OWNER, "rm", "linked/b.txt");
      await users.ok(ROOT, "-C", "linked", "rollback", id, "--yes");
      expect(await users.read("linked/b.txt")).toBe("beta\n");
      expect(await users.found("-uid", "0")).toEqual([]);
      await rm(users.path(".git"), { recursive: true });
      await rm(users.path("linked"), { recursive: true });
      const create = [process.execPath, bin, "create", "-m", "by sudo"];
      expect((await users.as(ROOT, "env", `SUDO_UID=${OWNER}`, ...create)).code).toBe(0);
      expect(await users.found("-uid", "0")).toEqual([]);
      await users.create(OWNER);
    });
  });

  it("keeps files of root that are elsewhere, whatever name they have here", async () => {
    await withUsers(async (users) => {
      const { repo } = users;
      await users.create(OWNER);
      await writeFile(join(repo.base, "secret"), "of root\n", { mode: 0o600 });
      await runCommand("ln", [join(repo.base, "secret"), users.path(".git/waymark/named")], {
        env: repo.env,
      });
      await runCommand("ln", ["-s", repo.base, users.path(".git/waymark/led")], { env: repo.env });
      await users.create(ROOT);
      expect((await stat(join(repo.base, "secret"))).uid).toBe(0);
    });
  });

  it("can be read where it cannot be written, and a create says why not", async () => {
    await withUsers(async (users) => {
      const { repo } = users;
      const before = await users.waymark(OTHER, "create");
      expect(text(before, "error", "code")).toBe("no_permission");
      expect(text(before, "error", "hint")).toContain("for your user");
      const id = await users.create(OWNER);
      // A repository that everybody may read, and its checkpoints with it.
      await runCommand("chmod", ["-R", "a+rX", users.path(".git/waymark")], { env: repo.env });
      expect(JSON.stringify(await users.ok(OTHER, "list"))).toContain(id);
      await users.ok(OTHER, "show", id);
      const refused = await users.waymark(OTHER, "create", "--force");
      expect(text(refused, "error", "code")).toBe("no_permission");
      expect(text(refused, "error", "message")).toContain(".git/waymark");
      expect(text(refused, "error", "hint")).toContain("for your user");
    });
  });

  it("is refused where git does not trust it", async () => {
    await withUsers(async (users) => {
      await rm(join(users.repo.base, `home-${OTHER}`, ".gitconfig"));
      const refused = await users.waymark(OTHER, "list");
      expect(text(refused, "error", "code")).toBe("unsafe_repository");
      expect(text(refused, "error", "hint")).toContain("safe.directory");
    });
  });
});

/** As the administrator of a shared repository does it. */
async function share(users: ManyUsers, value: string): Promise<void> {
  await users.as(OWNER, "git", "config", "core.sharedRepository", value);
  await openToGroup(users);
}

async function openToGroup(users: ManyUsers): Promise<void> {
  const script = "chmod -R g+rwX . && find . -type d -exec chmod g+s {} +";
  expect((await users.as(OWNER, "sh", "-c", script)).stderr).toBe("");
}

describe.skipIf(!isAble)(
  "a repository that is shared with a group (needs root and setpriv)",
  () => {
    it("is one that two users of the group work in", async () => {
      await withUsers(async (users) => {
        await share(users, "group");
        const first = await users.create(OWNER);
        const line = (uid: number, said: string) =>
          users.as(uid, "sh", "-c", `umask 002; echo '${said}' >b.txt`);
        await line(OTHER, "by the other");
        const second = await users.create(OTHER);
        await users.ok(OTHER, "rollback", first, "--yes");
        expect(await users.read("b.txt")).toBe("beta, edited\n");
        expect(JSON.stringify(await users.ok(OWNER, "list"))).toContain(second);
        await users.ok(OWNER, "undo", "--yes");
        expect(await users.read("b.txt")).toBe("by the other\n");
        await users.ok(OTHER, "redo", "--yes");
        await users.ok(OWNER, "delete", second, "--yes");
        await users.ok(OTHER, "cleanup", "--yes");
        await users.ok(OTHER, "validate");
        await users.create(OTHER, "--phase", "plan");
        await users.create(OWNER, "--phase", "implement");
      });
    });

    it.each([
      ["group", "2770", "660"],
      ["all", "2775", "664"],
      ["0660", "2770", "660"],
      ["0640", "2750", "640"],
    ])(
      "with core.sharedRepository=%s gets folders %s and files %s",
      async (value, folder, file) => {
        await withUsers(async (users) => {
          const { repo } = users;
          await share(users, value);
          await users.create(OWNER);
          await users.ok(OWNER, "list");
          const setting = ["config", "core.sharedRepository"];
          expect((await repo.store(...setting)).trim()).toBe(value);
          const [ours, ofGit] = [
            ["-path", "./.git/waymark*"],
            ["-path", "*/store/objects/pack/*"],
          ];
          const refs = ["-path", "*/store/refs/*"];
          const odd = ["-type", "d", "-not", "-perm", folder, "-not", ...refs];
          expect(await users.found(...ours, ...odd)).toEqual([]);
          const files = ["-type", "f", "-not", "-perm", file, "-not", ...ofGit, "-not", ...refs];
          expect(await users.found(...ours, ...files)).toEqual([]);
        });
      },
    );

    it("may become one when there are checkpoints already", async () => {
      await withUsers(async (users) => {
        const { repo } = users;
        await openToGroup(users);
        const first = await users.create(OWNER);
        await repo.write("b.txt", "later\n");
        await users.give(OWNER);
        await openToGroup(users);
        await users.ok(OWNER, "rollback", first, "--yes");
        await users.ok(OWNER, "undo", "--yes");
        await runCommand("chmod", ["-R", "g=", users.path(".git/waymark")], { env: repo.env });
        await users.as(OWNER, "git", "config", "core.sharedRepository", "group");
        await users.create(OWNER);
        await users.create(OTHER);
        await users.ok(OTHER, "rollback", first, "--yes");
        await users.ok(OWNER, "undo", "--yes");
      });
    });

    it("gets what root makes in it, as shared as the rest", async () => {
      await withUsers(async (users) => {
        await share(users, "group");
        const first = await users.create(ROOT);
        expect(await users.found("-uid", "0")).toEqual([]);
        await users.as(OTHER, "sh", "-c", "umask 002; rm b.txt; echo later >b.txt");
        await users.create(OTHER);
        await users.ok(OTHER, "rollback", first, "--yes");
        await users.ok(OWNER, "undo", "--yes");
        expect(await users.read("b.txt")).toBe("later\n");
      });
    });
  },
);
