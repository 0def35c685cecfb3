import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { errorMessage, expectExit, said, waymarkArguments } from "../support/cli.ts";
import { runCommand } from "../support/run-command.ts";
import { field, items, text } from "../support/json.ts";
import { RuleProject, withSeed } from "../spec/project.ts";
import { withTempRepository } from "../support/temp-repository.ts";
import { OTHER_TOKEN, SECRET_FILE, TOKEN } from "./fake-secrets.ts";

/** One checkpoint with secrets in it that are staged, one without. */
async function twoCheckpoints(project: RuleProject): Promise<{ plain: string; secret: string }> {
  const { repo } = project;
  await repo.write("conf/.env", "A=1\n");
  const plain = await project.create();
  await repo.write("deploy.ts", SECRET_FILE);
  await repo.git("add", "-f", "conf/.env", "deploy.ts");
  const secret = await project.create();
  return { plain, secret };
}

/** Everything of an archive, in a repository of its own. */
async function unpacked({ repo }: RuleProject, archive: string): Promise<string> {
  const there = join(repo.base, `${archive}.git`);
  await repo.git("init", "-q", "--bare", there);
  const from = join(repo.base, archive);
  await repo.git("--git-dir", there, "fetch", "-q", from, "+refs/waymark/*:refs/waymark/*");
  return there;
}

async function cloneOf(project: RuleProject): Promise<RuleProject> {
  const clone = project.at("clone");
  await project.repo.git("clone", "-q", project.repo.root, clone.repo.root);
  return clone;
}

/** Objects of a repository that have one of the texts in them. */
async function objectsWith(
  { repo }: RuleProject,
  gitDir: string,
  ...texts: readonly string[]
): Promise<string[]> {
  const at = ["--git-dir", gitDir] as const;
  const all = await repo.git(...at, "cat-file", "--batch-all-objects", "--batch-check");
  const found: string[] = [];
  for (const line of all.trim().split("\n")) {
    const [oid = "", type = ""] = line.split(" ");
    const content = await repo.git(...at, "cat-file", type, oid);
    if (texts.some((each) => content.includes(each))) found.push(oid);
  }
  return found;
}

const exportedIds = (json: unknown): unknown[] =>
  items(json, "checkpoints").map((each) => field(each, "id"));

describe("export and secrets", () => {
  it("[R53] refuses a named checkpoint that holds one, with path and reason and no value", async () => {
    await withSeed(async (project) => {
      const { plain, secret } = await twoCheckpoints(project);
      const file = join(project.repo.base, "x.bundle");
      const result = await project.run("export", secret, plain, "-o", file);
      expectExit(result, 5);
      expect(field(result.json, "error", "code")).toBe("secrets_held");
      expect(errorMessage(result)).toContain("conf/.env (looks like a secret by its name)");
      expect(errorMessage(result)).toContain("deploy.ts (looks like a secret: GitHub token)");
      expect(text(result.json, "error", "hint")).toContain("--include-secrets");
      expect(said(result)).not.toContain(TOKEN);
      await expect(readFile(file)).rejects.toThrow("ENOENT");
      expectExit(await project.run("export", plain, "-o", file), 0);
    });
  });

  it("[R175] leaves a .env here that has a value with the word of a sample in it", async () => {
    await withSeed(async (project) => {
      await project.repo.write("conf/.env", "TOKEN=changeme\n");
      await project.create();
      await project.repo.write("conf/.env", "DATABASE_URL=postgres://app:Xk29v@db.acme.io/todo\n");
      const { json } = await project.ok("create");
      expect(items(json, "checkpoint", "coverage", "withheld")).toEqual([
        expect.objectContaining({ path: "conf/.env" }),
      ]);
      const result = await project.ok("export", "-o", "../all.bundle");
      expect(exportedIds(result.json)).toHaveLength(2);
      expect(items(result.json, "left_here")).toMatchObject([{ files: [{ path: "conf/.env" }] }]);
      const there = await unpacked(project, "all.bundle");
      expect(await objectsWith(project, there, "Xk29v")).toEqual([]);
    });
  });

  it("[R53] without a name leaves such checkpoints here and says which and why", async () => {
    await withSeed(async (project) => {
      const { plain, secret } = await twoCheckpoints(project);
      const result = await project.ok("export", "-o", "../all.bundle");
      expect(exportedIds(result.json)).toEqual([plain]);
      expect(field(result.json, "skipped", "0", "id")).toBe(secret);
      expect(text(result.json, "skipped", "0", "problem")).toContain(
        "deploy.ts (looks like a secret: GitHub token)",
      );
    });
  });

  it("[R177] exports the others, tells people how the rest may leave, and no object of the file has the value", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      await repo.write("notes.txt", "mine\n");
      const before = await project.create();
      await repo.write("deploy it.ts", SECRET_FILE);
      await repo.git("add", "deploy it.ts");
      await project.create();
      await repo.write("notes.txt", "more\n");
      const held = await project.create();
      await repo.git("rm", "-q", "-f", "deploy it.ts");
      const after = await project.create();
      const args = waymarkArguments(repo.root, "export", "-o", "../all.bundle");
      const { code, stderr } = await runCommand(process.execPath, args, { env: repo.env });
      expect(code).toBe(0);
      expect(stderr).toMatch(
        /not exported: \S+ and 1 other \(it contains content that must not leave this machine: deploy it\.ts \(looks like a secret: GitHub token\)\)/,
      );
      expect(stderr).toContain("waymark export --include-secrets 'deploy it.ts'");
      const there = await unpacked(project, "all.bundle");
      const format = "--format=%(refname:lstrip=3)";
      const refs = await repo.git("--git-dir", there, "for-each-ref", format, "refs/waymark/cp");
      expect(refs.trim().split("\n").toSorted()).toEqual([before, after].toSorted());
      expect(await objectsWith(project, there, TOKEN, OTHER_TOKEN)).toEqual([]);

      const refused = await project.run("export", held);
      expectExit(refused, 5);
      expect(text(refused.json, "error", "hint")).toContain("`--include-secrets 'deploy it.ts'`");
      await project.ok("export", "-o", "../with.bundle", "--include-secrets", "deploy it.ts");
      expect(
        await objectsWith(project, await unpacked(project, "with.bundle"), TOKEN),
      ).toHaveLength(1);
    });
  });

  it("[R175] sends a checkpoint as it is, without a byte of what is withheld, and says what stays", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      await repo.write("deploy.ts", SECRET_FILE);
      await repo.write("conf/deep/key.ts", `const other = "${OTHER_TOKEN}";\n`);
      await repo.write("conf/plain.txt", "plain\n");
      await repo.write("trace.log", `${TOKEN} in an ignored file\n`);
      const id = await project.create("--scope", ".", "*.log");
      const result = await project.ok("export", id, "-o", "../x.bundle");
      expect(items(result.json, "left_here")).toMatchObject([
        { id, files: [{ path: "conf/deep/key.ts" }, { path: "deploy.ts" }], databases: [] },
      ]);
      expect(field(result.json, "without_copies")).toEqual([id]);
      const there = await unpacked(project, "x.bundle");
      expect(await objectsWith(project, there, TOKEN, OTHER_TOKEN)).toEqual([]);
      const ref = `refs/waymark/cp/${id}`;
      const commits = [
        await repo.store("rev-parse", ref),
        await repo.git("--git-dir", there, "rev-parse", ref),
      ];
      expect(commits[1]).toBe(commits[0]);
      expect(await repo.git("--git-dir", there, "for-each-ref", "refs/waymark/local")).toBe("");
    });
  });

  it("[R175] is withheld where it is imported: validate names the files, and a rollback leaves them alone", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      await repo.write("deploy.ts", SECRET_FILE);
      await repo.write("conf/gone.ts", SECRET_FILE);
      await repo.write("notes.txt", "then\n");
      const id = await project.create();
      await project.ok("export", id, "-o", "../x.bundle");
      const clone = await cloneOf(project);
      await clone.ok("import", "../x.bundle");
      const validation = await clone.ok("validate", id);
      expect(items(validation.json, "checkpoints", "0", "withheld")).toEqual([
        "conf/gone.ts",
        "deploy.ts",
      ]);
      expect(field(validation.json, "checkpoints", "0", "overall")).toBe(true);
      await clone.repo.write("deploy.ts", "of this machine\n");
      await clone.repo.write("notes.txt", "since\n");
      const compared = await clone.ok("diff", id);
      expect(items(compared.json, "not_compared")).toMatchObject([
        { path: "deploy.ts", reason: "withheld" },
      ]);
      const back = await clone.rollBack(id);
      expect(items(back.json, "not_restored")).toMatchObject([
        { path: "conf/gone.ts", reason: "withheld", missing: true },
      ]);
      expect(items(back.json, "kept")).toEqual([{ path: "deploy.ts", reason: "withheld" }]);
      expect((await clone.repo.read("deploy.ts")).toString()).toBe("of this machine\n");
      expect((await clone.repo.read("notes.txt")).toString()).toBe("then\n");
      await clone.ok("undo", "--yes");
      expect((await clone.repo.read("deploy.ts")).toString()).toBe("of this machine\n");
      expect((await clone.repo.read("notes.txt")).toString()).toBe("since\n");
      await clone.ok("redo", "--yes");
      expectExit(await clone.run("validate"), 0);
      // Where it was taken all of it comes back.
      await repo.write("deploy.ts", "since\n");
      await repo.remove("conf");
      await project.rollBack(id);
      expect((await repo.read("deploy.ts")).toString()).toBe(SECRET_FILE);
      expect((await repo.read("conf/gone.ts")).toString()).toBe(SECRET_FILE);
      await project.ok("undo", "--yes");
      expect((await repo.read("deploy.ts")).toString()).toBe("since\n");
      expect(await repo.exists("conf")).toBe(false);
    });
  });

  it("[R175] lets withheld files go along when all of a checkpoint are named, and an import makes it whole", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      await repo.write("deploy.ts", SECRET_FILE, 0o700);
      await repo.write("conf/key.ts", `const other = "${OTHER_TOKEN}";\n`);
      await repo.write("trace.log", "ignored\n");
      const id = await project.create("--scope", ".", "*.log");
      const some = ["--include-secrets", "deploy.ts"];
      const without = await project.ok("export", id, "-o", "../some.bundle", ...some);
      expect(items(without.json, "included_secrets")).toEqual([]);
      expect(items(without.json, "left_here", "0", "files")).toHaveLength(2);
      const all = await project.ok("export", id, "-o", "../all.bundle", ...some, "conf");
      expect(items(all.json, "included_secrets").map((each) => field(each, "path"))).toEqual([
        "conf/key.ts",
        "deploy.ts",
      ]);
      expect(field(all.json, "without_copies")).toEqual([id]);
      const clone = await cloneOf(project);
      await clone.ok("import", "../some.bundle");
      await clone.ok("import", "../all.bundle");
      const validation = await clone.ok("validate", id);
      expect(items(validation.json, "checkpoints", "0", "withheld")).toEqual(["copies of 2 files"]);
      await clone.rollBack(id);
      expect((await clone.repo.read("deploy.ts")).toString()).toBe(SECRET_FILE);
      expect((await stat(clone.repo.path("deploy.ts"))).mode & 0o777).toBe(0o700);
      expect(await clone.repo.exists("trace.log")).toBe(false);
      await clone.ok("undo", "--yes");
      expect(await clone.repo.exists("deploy.ts")).toBe(false);
    });
  });

  it("fails when nothing would be left", async () => {
    await withSeed(async (project) => {
      await project.repo.write(".env", "A=1\n");
      await project.repo.git("add", "-f", ".env");
      await project.create();
      expectExit(await project.run("export"), 5);
    });
  });

  it("lets them out when every one of them is named, and records it", async () => {
    await withSeed(async (project) => {
      const { secret } = await twoCheckpoints(project);
      expectExit(await project.run("export", secret, "--include-secrets", "deploy.ts"), 5);
      const args = ["--include-secrets", "deploy.ts", "conf"];
      const result = await project.ok("export", secret, "-o", "../x.bundle", ...args);
      expect(items(result.json, "included_secrets")).toEqual([
        { id: secret, path: "conf/.env", reason: "sensitive" },
        { id: secret, path: "deploy.ts", reason: "sensitive_content", detail: "github-token" },
      ]);
      const log = await project.ok("log");
      expect(said(log)).not.toContain(TOKEN);
      const all = await project.ok("export", "-o", "../all.bundle", "--include-secrets", ".");
      expect(exportedIds(all.json)).toContain(secret);
    });
  });

  it("refuses a name that none of them holds as a secret", async () => {
    await withSeed(async (project) => {
      const { secret } = await twoCheckpoints(project);
      const result = await project.run("export", secret, "--include-secrets", "a.txt");
      expectExit(result, 2);
      expect(errorMessage(result)).toContain(
        "none of these checkpoints contains a.txt as a secret",
      );
    });
  });

  it("[R53] refuses secrets that were only staged, announced or put in conflict: no commit has them", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      await repo.write("conf/.env", "DB_PASSWORD=hunter2\n");
      await repo.write("announced.ts", SECRET_FILE);
      await repo.write("gone.ts", SECRET_FILE);
      await repo.write("changed.ts", SECRET_FILE);
      await repo.git("add", "conf/.env", "gone.ts", "changed.ts");
      await repo.git("add", "-N", "announced.ts");
      const blob = (await repo.git("rev-parse", ":gone.ts")).trim();
      const stages = [1, 2, 3].map((stage) => `100644 ${blob} ${stage}\tclash.ts\n`).join("");
      await repo.gitWithInput(stages, "update-index", "--index-info");
      // The index alone has what these two held.
      await repo.remove("gone.ts");
      await repo.write("changed.ts", "nothing\n");
      const id = await project.create();
      await repo.git("rm", "-q", "-f", "--cached", ".", "-r");
      const paths = ["announced.ts", "changed.ts", "clash.ts", "conf/.env", "gone.ts"];
      const refused = await project.run("export", id, "-o", "../x.bundle");
      expectExit(refused, 5);
      const [held] = items(refused.json, "error", "details", "checkpoints");
      expect(items(held, "secrets").map((each) => field(each, "path"))).toEqual(
        expect.arrayContaining(paths),
      );
      expect(items(held, "secrets")).toHaveLength(paths.length);
      await project.ok("export", id, "-o", "../x.bundle", "--include-secrets", ...paths);
    });
  });

  it("[R53] refuses what was staged before the first commit", async () => {
    await withTempRepository(async (repo) => {
      const project = new RuleProject(repo);
      await repo.write(".env", "DB_PASSWORD=hunter2\n");
      await repo.git("add", ".env");
      const id = await project.create();
      expectExit(await project.run("export", id, "-o", "../x.bundle"), 5);
    });
  });

  it("[R53] refuses secrets of a commit that was taken back and that the checkpoint keeps", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      await repo.write("conf/.env", "DB_PASSWORD=hunter2\n");
      await repo.git("add", "conf/.env");
      await repo.git("commit", "-q", "-m", "by mistake");
      await repo.git("reset", "-q", "--soft", "HEAD~1");
      await repo.git("rm", "-q", "--cached", "conf/.env");
      const id = await project.create();
      const refused = await project.run("export", id, "-o", "../x.bundle");
      expectExit(refused, 5);
      expect(errorMessage(refused)).toContain("conf/.env");
      await project.ok("export", id, "-o", "../x.bundle", "--include-secrets", "conf/.env");
      // A branch that has it goes where the repository goes.
      await repo.git("branch", "kept", "ORIG_HEAD");
      await project.ok("export", id, "-o", "../y.bundle");
    });
  });

  it("[R53] after a rebase refuses what the commits before it brought, not what they took over", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      const commit = async (message: string): Promise<void> => {
        await repo.git("add", "-A");
        await repo.git("commit", "-q", "-m", message);
      };
      await repo.write("test/fixtures/server.pem", "for tests\n");
      await commit("fixture");
      const main = (await repo.git("symbolic-ref", "--short", "HEAD")).trim();
      await repo.git("checkout", "-q", "-b", "feature");
      await repo.write("feature.txt", "one\n");
      await repo.write("own.pem", "for tests, and still there\n");
      await commit("feature");
      await repo.git("checkout", "-q", main);
      await repo.git("rm", "-q", "test/fixtures/server.pem");
      await repo.git("commit", "-q", "-m", "no fixture");
      await repo.git("checkout", "-q", "feature");
      await repo.git("rebase", "-q", main);
      await repo.git("rev-parse", "ORIG_HEAD");
      await project.ok("export", await project.create(), "-o", "../x.bundle");

      // Brought by one of several that were taken back, and not by the last.
      const before = (await repo.git("rev-parse", "HEAD")).trim();
      await repo.write("conf/.env", "DB_PASSWORD=hunter2\n");
      await commit("by mistake");
      await repo.git("rm", "-q", "conf/.env");
      await repo.write("feature.txt", "two\n");
      await commit("more");
      await repo.git("reset", "-q", "--hard", before);
      const refused = await project.run("export", await project.create(), "-o", "../y.bundle");
      expectExit(refused, 5);
      const [held] = items(refused.json, "error", "details", "checkpoints");
      expect(items(held, "secrets").map((each) => field(each, "path"))).toEqual(["conf/.env"]);
    });
  });

  it("[R53] refuses what a commit that was taken back changed in a file of the past", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      await repo.write("conf/server.pem", "for tests\n");
      await repo.git("add", "-A");
      await repo.git("commit", "-q", "-m", "fixture");
      await repo.write("conf/server.pem", "a real one\n");
      await repo.git("commit", "-q", "-a", "-m", "by mistake");
      await repo.git("reset", "-q", "--hard", "HEAD~2");
      await repo.git("branch", "kept", "ORIG_HEAD~1");
      const refused = await project.run("export", await project.create(), "-o", "../x.bundle");
      expectExit(refused, 5);
      expect(errorMessage(refused)).toContain("conf/server.pem");
    });
  });

  it("[R53] refuses secrets that a merge put away", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      await repo.git("checkout", "-q", "-b", "side");
      await repo.write("b.txt", "theirs\n");
      await repo.git("add", "b.txt");
      await repo.git("commit", "-q", "-m", "theirs");
      await repo.git("checkout", "-q", "-");
      await repo.write("b.txt", "ours\n");
      await repo.git("add", "b.txt");
      await repo.git("commit", "-q", "-m", "ours");
      await repo.write("conf/.env", "DB_PASSWORD=hunter2\n");
      await repo.git("add", "conf/.env");
      await repo.gitStops("merge", "--autostash", "side");
      expect(await repo.exists("conf/.env")).toBe(false);
      const id = await project.create();
      expectExit(await project.run("export", id, "-o", "../x.bundle"), 5);
    });
  });

  it("[R53] looks into the message of a commit that is not made yet", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      await repo.git("checkout", "-q", "-b", "side");
      await repo.git("commit", "-q", "--allow-empty", "-m", "side");
      await repo.git("checkout", "-q", "-");
      await repo.git("merge", "-q", "--no-commit", "--no-ff", "-m", `with ${TOKEN}`, "side");
      const id = await project.create();
      const refused = await project.run("export", id, "-o", "../x.bundle");
      expectExit(refused, 5);
      expect(errorMessage(refused)).toContain("operation/MERGE_MSG");
      await project.ok(
        "export",
        id,
        "-o",
        "../x.bundle",
        "--include-secrets",
        "operation/MERGE_MSG",
      );
    });
  });

  it("does not mind secrets that are committed, changed since, or brought in by a merge", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      await repo.write("deploy.ts", SECRET_FILE);
      await repo.git("add", "deploy.ts");
      await repo.git("commit", "-q", "-m", "deploy");
      await repo.git("checkout", "-q", "-b", "side");
      await repo.write("conf/.env", "A=1\n");
      await repo.git("add", "conf/.env");
      await repo.git("commit", "-q", "-m", "settings");
      await repo.git("checkout", "-q", "-");
      await repo.git("merge", "-q", "--no-commit", "--no-ff", "side");
      await repo.write("deploy.ts", `${SECRET_FILE}// more\n`);
      await project.ok("export", await project.create(), "-o", "../x.bundle");
    });
  });

  it("looks although the settings let secrets in, and not into files when they say not to", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      // What is taken without a look is in the checkpoint itself.
      await project.agreeTo("secrets: {exclude: false, scan: false}\n");
      await repo.write("deploy.ts", SECRET_FILE);
      const id = await project.create();
      await project.agreeTo("secrets: {exclude: false}\n");
      expectExit(await project.run("export", id), 5);
      await project.agreeTo("secrets: {scan: false}\n");
      await project.ok("export", id, "-o", "../x.bundle");
    });
  });
});
