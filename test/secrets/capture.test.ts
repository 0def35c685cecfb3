import { chmod } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  type CliResult,
  errorMessage,
  expectExit,
  said,
  waymark,
  waymarkArguments,
} from "../support/cli.ts";
import { type CommandResult, runCommand } from "../support/run-command.ts";
import { field, items, text } from "../support/json.ts";
import { type RuleProject, withDirty, withSeed } from "../spec/project.ts";
import {
  KEY_BODY,
  KEY_FILE,
  OTHER_KEY_BODY,
  OTHER_TOKEN,
  SECRET_FILE,
  TOKEN,
} from "./fake-secrets.ts";

interface Excluded {
  readonly path: string;
  readonly reason: string;
  readonly detail?: string;
}

function excluded(result: CliResult): Excluded[] {
  return items(result.json, "checkpoint", "coverage", "excluded") as Excluded[];
}

function secrets(result: CliResult): Excluded[] {
  return excluded(result)
    .filter(({ reason }) => reason.startsWith("sensitive"))
    .map(({ path, reason, detail }) => ({ path, reason, ...(detail ? { detail } : {}) }));
}

async function heldFiles({ repo }: RuleProject, id: string): Promise<string[]> {
  const local = await repo.store("for-each-ref", `refs/waymark/local/${id}`);
  const half = local === "" ? "cp" : "local";
  const tree = `refs/waymark/${half}/${id}:worktree`;
  const names = await repo.store("ls-tree", "-r", "--name-only", tree);
  return names.trim().split("\n");
}

/** Whether any object or private file of the repository has the text in it. */
async function isAnywhere({ repo }: RuleProject, value: string): Promise<boolean> {
  if ((await repo.everyObject()).includes(value)) return true;
  const found = await repo.tryGit(["grep", "-rlF", "--no-index", "-e", value, ".git"]);
  return found.code === 0;
}

/** What people see. */
function talk({ repo }: RuleProject, ...args: readonly string[]): Promise<CommandResult> {
  return runCommand(process.execPath, waymarkArguments(repo.root, ...args), { env: repo.env });
}

describe("a file that is surely a secret", () => {
  it("[R52] is left out with its reason, and its value gets nowhere", async () => {
    await withDirty(async (project) => {
      await project.repo.write("tools/deploy_key", KEY_FILE);
      await project.repo.settle("tools/deploy_key");
      const result = await project.ok("create", "-m", "x");
      expect(secrets(result)).toEqual([
        { path: "tools/deploy_key", reason: "sensitive_content", detail: "private-key-file" },
      ]);
      const id = text(result.json, "checkpoint", "id");
      expect(await heldFiles(project, id)).not.toContain("tools/deploy_key");
      const shown = await project.ok("show", id);
      expect(said(result) + said(shown)).not.toContain(KEY_BODY);
      expect(await isAnywhere(project, KEY_BODY)).toBe(false);
      await project.create("--include-secrets", "tools/deploy_key");
      expect(await isAnywhere(project, KEY_BODY)).toBe(true);
    });
  });

  it("is named in plain words by create and show", async () => {
    await withSeed(async (project) => {
      await project.repo.write("deploy_key", KEY_FILE);
      await project.repo.write(".env", "A=1\n");
      const { stderr } = await talk(project, "create", "-m", "x");
      expect(stderr).toContain(
        "not captured: deploy_key (looks like a secret: private key, 119 B)",
      );
      expect(stderr).toContain("not captured: .env (looks like a secret by its name, 4 B)");
      expect(stderr).toContain("--include-secrets PATH");
      const page = (await talk(project, "show", "latest")).stdout.toString();
      expect(page).toContain("deploy_key (looks like a secret: private key, 119 B)");
    });
  });

  it("stays out when nothing else changed, and comes in when its content does", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      await repo.write("deploy_key", KEY_FILE);
      await repo.settle("deploy_key");
      await project.create();
      const again = await project.ok("create");
      expect(field(again.json, "unchanged")).toBe(true);
      await repo.write("deploy_key", "const token = process.env.TOKEN;\n");
      const now = await project.ok("create");
      expect(secrets(now)).toEqual([]);
      expect(await heldFiles(project, text(now.json, "checkpoint", "id"))).toContain("deploy_key");
    });
  });

  it("is not searched again as long as it is not touched, nor are others", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      await repo.write("deploy_key", KEY_FILE);
      await repo.write("plain.ts", "const a = 1;\n");
      // What was written just now may change without a trace, so it is not remembered.
      await new Promise((resolve) => setTimeout(resolve, 2500));
      await project.ok("create", "--force");
      const cache = JSON.parse(
        (await repo.read(".git/waymark/capture-cache.json")).toString("latin1"),
      ) as { files: [string, string, string, (string | null)?][]; rules: string };
      const verdicts = new Map(cache.files.map(([path, , , secret]) => [path, secret]));
      expect(verdicts.get("deploy_key")).toBe("private-key-file");
      expect(verdicts.get("plain.ts")).toBeNull();
      // What is remembered is believed: nobody reads the file again.
      const swapped = cache.files.map(([path, key, oid, secret]) =>
        path === "plain.ts" ? [path, key, oid, "private-key-file"] : [path, key, oid, secret],
      );
      const write = (rules: string): Promise<void> =>
        repo.write(
          ".git/waymark/capture-cache.json",
          Buffer.from(JSON.stringify({ ...cache, files: swapped, rules }), "latin1"),
        );
      await write(cache.rules);
      const believed = await project.ok("create", "--force");
      expect(secrets(believed).map(({ path }) => path)).toEqual(["deploy_key", "plain.ts"]);
      // Unless it was found by other rules.
      await write("of other rules");
      const searched = await project.ok("create", "--force");
      expect(secrets(searched).map(({ path }) => path)).toEqual(["deploy_key"]);
    });
  });

  it("is held when git tracks it, or only stages it, or only knows of it", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      for (const name of ["committed.ts", "staged.ts", "announced.ts"]) {
        await repo.write(name, KEY_FILE);
      }
      await repo.git("add", "committed.ts");
      await repo.commit("with a secret");
      await repo.git("add", "staged.ts");
      await repo.git("add", "-N", "announced.ts");
      const result = await project.ok("create", "-m", "x");
      expect(secrets(result)).toEqual([]);
      const held = await heldFiles(project, text(result.json, "checkpoint", "id"));
      expect(held).toEqual(expect.arrayContaining(["committed.ts", "staged.ts", "announced.ts"]));
    });
  });

  it("is found in UTF-16, not in binary files", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      const little = Buffer.from(`\ufeff${KEY_FILE}`, "utf16le");
      await repo.write("windows_key", little);
      await repo.write("swapped_key", Buffer.from(little).swap16());
      await repo.write("large_key", `${KEY_FILE}${"y".repeat(9 * 1024 * 1024)}`);
      await repo.write("image.bin", Buffer.from(`\0\0${KEY_FILE}`));
      const found = secrets(await project.ok("create", "-m", "x")).map(({ path }) => path);
      expect(found).toEqual(["large_key", "swapped_key", "windows_key"]);
    });
  });

  it("is held when the settings say so", async () => {
    for (const settings of ["secrets: {scan: false}\n", "secrets: {exclude: false}\n"]) {
      await withSeed(async (project) => {
        await project.agreeTo(settings);
        await project.repo.write("deploy_key", KEY_FILE);
        expect(secrets(await project.ok("create", "-m", "x"))).toEqual([]);
      });
    }
  });

  it("is searched when the settings begin to say so", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      await repo.write("deploy_key", KEY_FILE);
      await repo.settle("deploy_key");
      await project.agreeTo("secrets: {scan: false}\n");
      await project.create();
      await repo.write("waymark.yml", "secrets: {scan: true}\n");
      expect(secrets(await project.ok("create")).map(({ path }) => path)).toEqual(["deploy_key"]);
    });
  });

  it("has any name, and may be one that cannot be read", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      const odd = Buffer.from("caf\xe9\n.ts", "latin1");
      await repo.write(odd, KEY_FILE);
      await repo.write("closed.ts", KEY_FILE);
      await chmod(repo.path("closed.ts"), 0o000);
      const id = text((await project.ok("create", "-m", "x")).json, "checkpoint", "id");
      await repo.write("a.txt", "wrecked\n");
      await project.rollBack(id);
      expect((await repo.read(odd)).toString()).toBe(KEY_FILE);
      expect(await repo.exists("closed.ts")).toBe(true);
    });
  });
});

describe("a file that only looks like a secret by its content", () => {
  it("[R175] is captured like any other, comes back, and undo and redo bring it back", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      await repo.write("deploy.ts", SECRET_FILE, 0o640);
      await repo.write("k8s/secret.yaml", "stringData: {password: '{{ .password }}'}\n");
      const result = await project.ok("create", "-m", "x");
      expect(secrets(result)).toEqual([]);
      const id = text(result.json, "checkpoint", "id");
      const changed = SECRET_FILE.replace(TOKEN, OTHER_TOKEN);
      await repo.write("deploy.ts", changed);
      await repo.remove("k8s");
      await repo.write("later.ts", SECRET_FILE);
      await project.rollBack(id);
      expect((await repo.read("deploy.ts")).toString()).toBe(SECRET_FILE);
      expect(await repo.exists("k8s/secret.yaml")).toBe(true);
      expect(await repo.exists("later.ts")).toBe(false);
      await project.ok("undo", "--yes");
      expect((await repo.read("deploy.ts")).toString()).toBe(changed);
      expect(await repo.exists("k8s")).toBe(false);
      expect((await repo.read("later.ts")).toString()).toBe(SECRET_FILE);
      await project.ok("redo", "--yes");
      expect((await repo.read("deploy.ts")).toString()).toBe(SECRET_FILE);
    });
  });

  it("[R175] is named in the checkpoint, and its value is in no patch, also of the file as it is now", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      const id = await project.create();
      await repo.write("deploy.ts", SECRET_FILE);
      const now = await project.ok("diff", id, "--patch");
      expect(said(now)).not.toContain(TOKEN);
      const why = { path: "deploy.ts", reason: "sensitive_content", detail: "github-token" };
      expect(items(now.json, "not_shown")).toEqual([why]);
      const held = await project.ok("create");
      expect(items(held.json, "checkpoint", "coverage", "withheld")).toEqual([why]);
      expect(field(held.json, "checkpoint", "coverage", "withheld_total")).toBe(1);
      const page = (await talk(project, "show", "latest")).stdout.toString();
      expect(page).toMatch(
        / local +contained, but never leaves this machine:\n {4}deploy\.ts \(looks like a secret: GitHub token\)\n +excluded /,
      );
    });
  });

  it("[R175] is in no tag, which others may push, also out of the trash", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      await project.agreeTo("git: {tags: true}\n");
      await repo.write("deploy.ts", SECRET_FILE);
      const id = await project.create("--name", "one");
      await project.ok("delete", id, "--yes");
      expect(await repo.git("tag", "-l")).toBe("");
      await project.ok("delete", id, "--undo");
      const tag = (await repo.git("tag", "-l")).trim();
      expect(tag).toContain(id);
      const objects = await repo.git("rev-list", "--objects", "--no-object-names", tag);
      for (const oid of objects.trim().split("\n")) {
        const type = (await repo.git("cat-file", "-t", oid)).trim();
        expect(await repo.git("cat-file", type, oid)).not.toContain(TOKEN);
      }
    });
  });

  it("[R175] gives no tag to what export refuses: staged or put away by git", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      await project.agreeTo("git: {tags: true}\n");
      const untagged = async (): Promise<void> => {
        const { stderr } = await talk(project, "create");
        expect(stderr).toContain(
          "no tag was created: the checkpoint contains content that must not leave",
        );
        const id = text((await project.ok("show", "latest")).json, "checkpoint", "id");
        expectExit(await project.run("export", id, "-o", "../x.bundle"), 5);
        await project.ok("delete", id, "--yes");
        await project.ok("delete", id, "--undo");
        expect(await repo.git("tag", "-l")).toBe("");
      };
      await repo.write("staged.ts", SECRET_FILE);
      await repo.git("add", "staged.ts");
      await untagged();
      await repo.git("rm", "-q", "-f", "staged.ts");
      await repo.write("conf/.env", `TOKEN=${TOKEN}\n`);
      await repo.git("add", "-f", "conf/.env");
      await untagged();
      await repo.git("checkout", "-q", "-b", "side");
      await repo.git("stash", "-q");
      await repo.write("both.txt", "side\n");
      await repo.git("add", "both.txt");
      await repo.git("commit", "-q", "-m", "side");
      await repo.git("checkout", "-q", "-");
      await repo.write("both.txt", "main\n");
      await repo.git("add", "both.txt");
      await repo.git("commit", "-q", "-m", "main");
      await repo.git("stash", "pop", "-q", "--index");
      await repo.gitStops("merge", "--autostash", "side");
      expect(await repo.exists("conf/.env")).toBe(false);
      await untagged();
    });
  });

  it("is remembered like any other: the next create is the same", async () => {
    await withSeed(async (project) => {
      await project.repo.write("deploy.ts", SECRET_FILE);
      await project.repo.settle("deploy.ts");
      await project.create();
      expect(field((await project.ok("create")).json, "unchanged")).toBe(true);
    });
  });
});

describe("rollback and secrets", () => {
  it("[R52] a file that was left out is neither written nor removed, and undo leaves it too", async () => {
    await withDirty(async (project) => {
      const { repo } = project;
      await repo.write("deploy_key", KEY_FILE);
      const id = await project.create();
      const changed = KEY_FILE.replace(KEY_BODY, OTHER_KEY_BODY);
      await repo.write("deploy_key", changed);
      await repo.write("new-secret.ts", KEY_FILE);
      await repo.write("a.txt", "wrecked\n");
      await project.rollBack(id);
      expect((await repo.read("deploy_key")).toString()).toBe(changed);
      expect((await repo.read("new-secret.ts")).toString()).toBe(KEY_FILE);
      await project.ok("undo", "--yes");
      expect((await repo.read("deploy_key")).toString()).toBe(changed);
      expect((await repo.read("new-secret.ts")).toString()).toBe(KEY_FILE);
      expect((await repo.read("a.txt")).toString()).toBe("wrecked\n");
      expect(await isAnywhere(project, KEY_BODY)).toBe(false);
    });
  });

  it("a file that was left out and is gone since does not come back", async () => {
    await withSeed(async (project) => {
      await project.repo.write("deploy_key", KEY_FILE);
      const id = await project.create();
      await project.repo.remove("deploy_key");
      await project.rollBack(id);
      expect(await project.repo.exists("deploy_key")).toBe(false);
    });
  });

  it("a file that stopped being a secret stays as it is", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      await repo.write("deploy_key", KEY_FILE);
      const id = await project.create();
      await repo.write("deploy_key", "harmless by now\n");
      const plan = await project.ok("rollback", id, "--dry-run");
      expect(items(plan.json, "plan", "keep")).toEqual([
        { path: "deploy_key", reason: "sensitive_content" },
      ]);
      await project.rollBack(id);
      expect((await repo.read("deploy_key")).toString()).toBe("harmless by now\n");
    });
  });

  it("[R53] a file that became a secret goes back, undo brings its bytes back, and they do not leave the machine", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      await repo.write("deploy_key", "const token = read();\n");
      const id = await project.create();
      await repo.write("deploy_key", KEY_FILE, 0o640);
      const back = await project.rollBack(id);
      expect((await repo.read("deploy_key")).toString()).toBe("const token = read();\n");
      const safety = text(back.json, "undo_checkpoint_id");
      expect(await heldFiles(project, safety)).toContain("deploy_key");
      const all = await project.ok("export", "-o", "../all.bundle");
      expect(said(all)).not.toContain(KEY_BODY);
      expect(items(all.json, "left_here")).toMatchObject([{ id: safety }]);
      const there = join(repo.base, "there.git");
      await repo.git("init", "-q", "--bare", there);
      await repo.git("--git-dir", there, "fetch", "-q", "../all.bundle", "+refs/waymark/*:refs/*");
      const oids = await repo.git("--git-dir", there, "cat-file", "--batch-all-objects", "--batch");
      expect(oids).not.toContain(KEY_BODY);
      await project.ok("undo", "--yes");
      expect((await repo.read("deploy_key")).toString()).toBe(KEY_FILE);
      await project.ok("redo", "--yes");
      expect((await repo.read("deploy_key")).toString()).toBe("const token = read();\n");
    });
  });

  it("a secret in the way of a file that comes back is saved first", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      await repo.write("place/inner.txt", "a file in a folder\n");
      const id = await project.create();
      await repo.remove("place");
      await repo.write("place", KEY_FILE);
      await project.rollBack(id);
      expect((await repo.read("place/inner.txt")).toString()).toBe("a file in a folder\n");
      await project.ok("undo", "--yes");
      expect((await repo.read("place")).toString()).toBe(KEY_FILE);
    });
  });
});

describe("diff and secrets", () => {
  it("does not call a file gone that is left out by now", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      await repo.write("deploy_key", "harmless\n");
      const id = await project.create();
      await repo.write("deploy_key", KEY_FILE);
      const { json } = await project.ok("diff", id);
      expect(items(json, "files")).toEqual([]);
      expect(items(json, "not_compared")).toEqual([
        { path: "deploy_key", reason: "sensitive_content", detail: "private-key-file" },
      ]);
      const next = await project.ok("create");
      expect(items(next.json, "checkpoint", "files", "deleted")).toEqual([]);
    });
  });

  it("[R175] prints no value of a secret that git tracks or only stages", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      await repo.write("tracked.ts", "const a = 1;\n");
      await repo.git("add", "tracked.ts");
      await repo.git("commit", "-q", "-m", "tracked");
      const before = await project.create();
      await repo.write("staged.ts", SECRET_FILE);
      await repo.write("conf/.env", `TOKEN=${OTHER_TOKEN}\n`);
      await repo.git("add", "-f", "staged.ts", "conf/.env");
      await repo.write("tracked.ts", SECRET_FILE);
      await repo.write("plain.txt", "plain\n");
      const after = await project.create();
      const paths = ["conf/.env", "staged.ts", "tracked.ts"];
      for (const ends of [[before], [before, after]]) {
        const result = await project.ok("diff", ...ends, "--patch");
        const { stdout, stderr } = await talk(project, "diff", ...ends, "--patch");
        for (const all of [said(result), stdout.toString()]) {
          expect(all).not.toContain(TOKEN);
          expect(all).not.toContain(OTHER_TOKEN);
          expect(all).toContain("+plain");
        }
        const hidden = items(result.json, "not_shown").map((each) => text(each, "path"));
        expect(hidden.toSorted()).toEqual(paths);
        for (const path of paths) expect(stderr).toContain(`not shown: ${path} (`);
      }
    });
  });

  it("prints no value, also of secrets that are held", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      await repo.write("deploy.ts", SECRET_FILE);
      await repo.write(".env", `TOKEN=${TOKEN}\n`);
      await repo.write("plain.txt", "plain\n");
      const first = await project.create("--include-secrets", ".env", "deploy.ts");
      await repo.write(".env", `TOKEN=${OTHER_TOKEN}\n`);
      const second = await project.create("--include-secrets", ".env");
      await repo.write("plain.txt", "changed\n");
      for (const ends of [[first], [first, second], [second]]) {
        const result = await project.ok("diff", ...ends, "--patch");
        const all = said(result);
        expect(all).not.toContain(TOKEN);
        expect(all).not.toContain(OTHER_TOKEN);
        const hidden = items(result.json, "not_shown").map((each) => field(each, "path"));
        expect(hidden).toEqual(expect.arrayContaining([".env", "deploy.ts"]));
      }
      expect(text((await project.ok("diff", first, "--patch")).json, "patch")).toContain("changed");
    });
  });
});

describe("create --include-secrets", () => {
  it("[R52] holds exactly the named files, says so, and a rollback brings them back", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      await repo.write(".env", "A=1\n");
      await repo.write("conf/.env.local", "B=1\n");
      await repo.write("conf/deploy_key", KEY_FILE);
      await repo.write("other_key", KEY_FILE);
      const args = ["--include-secrets", ".env", "--include-secrets", "conf"];
      const result = await project.ok("create", "-m", "x", ...args);
      const held = [".env", "conf/.env.local", "conf/deploy_key"];
      expect(items(result.json, "checkpoint", "coverage", "included_secrets")).toEqual(held);
      expect(secrets(result).map(({ path }) => path)).toEqual(["other_key"]);
      const id = text(result.json, "checkpoint", "id");
      expect(await heldFiles(project, id)).toEqual(expect.arrayContaining(held));
      const again = await project.ok("create", ...args);
      expect(field(again.json, "unchanged")).toBe(true);
      await repo.write(".env", "A=2\n");
      await repo.remove("conf");
      await project.rollBack(id);
      expect((await repo.read(".env")).toString()).toBe("A=1\n");
      expect((await repo.read("conf/deploy_key")).toString()).toBe(KEY_FILE);
      await project.ok("undo", "--yes");
      expect((await repo.read(".env")).toString()).toBe("A=2\n");
      expect(await repo.exists("conf")).toBe(false);
      const page = (await talk(project, "show", id)).stdout.toString();
      expect(page).toContain(
        ".env (captured although it looks like a secret, because --include-secrets named it)",
      );
    });
  });

  it("a secret that was brought back and changed since stays at an undo", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      await repo.write(".env", "A=1\n");
      const id = await project.create("--include-secrets", ".env");
      await repo.remove(".env");
      await project.rollBack(id);
      await repo.write(".env", "A=3\n");
      await project.ok("undo", "--yes");
      expect((await repo.read(".env")).toString()).toBe("A=3\n");
    });
  });

  it("holds them once: the next create leaves them out again", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      await repo.write("deploy_key", KEY_FILE);
      await repo.settle("deploy_key");
      await project.create("--include-secrets", "deploy_key");
      const next = await project.ok("create");
      expect(secrets(next).map(({ path }) => path)).toEqual(["deploy_key"]);
      expect(field(next.json, "checkpoint", "coverage", "included_secrets")).toBeUndefined();
    });
  });

  it.each([
    ["missing.ts", /no such file or folder: missing\.ts/],
    ["a.txt/below", /no such file or folder: a\.txt\/below/],
    ["a.txt", /a\.txt is not excluded as a secret/],
    ["plain.ts", /plain\.ts is not excluded as a secret/],
    ["ignored/plain.txt", /excluded for another reason \(ignored\)/],
    ["../outside", /outside the project/],
    [".git/config", /is in the git folder/],
  ])("refuses %s", async (path, message) => {
    await withSeed(async (project) => {
      const { repo } = project;
      await repo.write("plain.ts", "const a = 1;\n");
      await repo.write(".gitignore", "ignored/\n");
      await repo.write("ignored/plain.txt", "A=1\n");
      const before = await repo.allRefs();
      const result = await project.run("create", "--include-secrets", path);
      expectExit(result, 2);
      expect(errorMessage(result)).toMatch(message);
      expect(await repo.allRefs()).toBe(before);
    });
  });

  it("holds one that git ignores, as a copy, and brings it back", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      await repo.write(".gitignore", ".env\n");
      await repo.write(".env", "A=1\n", 0o600);
      const id = await project.create("--include-secrets", ".env");
      await repo.write(".env", "A=2\n");
      await project.rollBack(id);
      expect((await repo.read(".env")).toString("utf8")).toBe("A=1\n");
      // The next one knows nothing of it.
      const next = await project.ok("create", "--force");
      expect(JSON.stringify(field(next.json, "checkpoint", "parts"))).not.toContain("file_backup");
    });
  });

  it("takes paths relative to the folder that one is in", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      await repo.write("conf/.env", "A=1\n");
      const result = await waymark(`${repo.root}/conf`, ["create", "--include-secrets", ".env"], {
        env: repo.env,
      });
      expectExit(result, 0);
      expect(items(result.json, "checkpoint", "coverage", "included_secrets")).toEqual([
        "conf/.env",
      ]);
    });
  });
});
