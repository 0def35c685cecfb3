/** What a checkpoint holds beside the work tree: what leaves the machine by an export, and what an import brings. */
import { execFileSync } from "node:child_process";
import { mkdir, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { errorMessage, expectExit, said } from "../support/cli.ts";
import { deleteObject } from "../support/damage.ts";
import { hasProgram } from "../support/find-program.ts";
import { field, items, text } from "../support/json.ts";
import { type RuleProject, withSeed } from "../spec/project.ts";
import { TOKEN } from "../secrets/fake-secrets.ts";

const STATE = `phase: plan\ntoken: ${TOKEN}\n`;

async function cloneOf(project: RuleProject, name = "clone"): Promise<RuleProject> {
  const clone = project.at(name);
  await project.repo.git("clone", "-q", project.repo.root, clone.repo.root);
  return clone;
}

const exported = (json: unknown): unknown[] =>
  items(json, "checkpoints").map((each) => field(each, "id"));

const sql = (path: string, statements: string): string =>
  execFileSync("sqlite3", ["-batch", path], { input: statements, encoding: "utf8" });

describe("an export of parts", () => {
  it("[R75] withholds a state with a secret until its file or its name is named", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      const file = join(repo.root, "flow/state.yml");
      await repo.write("flow/state.yml", STATE);
      await repo.git("add", "flow");
      await repo.git("commit", "-q", "-m", "state");
      const plain = await project.create();
      const secret = await project.create("--state", file, "--include-secrets", file);
      const refused = await project.run("export", secret);
      expectExit(refused, 5);
      expect(errorMessage(refused)).toContain("flow/state.yml (looks like a secret: GitHub token)");
      expect(said(refused)).not.toContain(TOKEN);
      const all = await project.ok("export", "-o", "../all.bundle");
      expect(exported(all.json)).toEqual([plain]);
      for (const [at, name] of ["flow/state.yml", "state.json"].entries()) {
        const named = ["--include-secrets", join(repo.root, name)];
        const result = await project.ok("export", secret, "-o", `../${at}.bundle`, ...named);
        expect(items(result.json, "included_secrets")).toEqual([
          {
            id: secret,
            path: "flow/state.yml",
            reason: "sensitive_content",
            detail: "github-token",
          },
        ]);
      }
    });
  });

  it.skipIf(!hasProgram("sqlite3"))(
    "[R75] lets no database out unless it is told to, and records it",
    async () => {
      await withSeed(async (project) => {
        const { repo } = project;
        sql(join(repo.root, "build/app.db"), "CREATE TABLE t (a); INSERT INTO t VALUES (1);");
        const plain = await project.create();
        const id = await project.create("--database", "sqlite:build/app.db");
        const all = await project.ok("export", "-o", "../all.bundle");
        expect(new Set(exported(all.json))).toEqual(new Set([plain, id]));
        expect(items(all.json, "left_here")).toEqual([
          { id, files: [], databases: ["build/app.db"] },
        ]);
        const bare = await cloneOf(project, "bare");
        await bare.ok("import", join(repo.base, "all.bundle"));
        expect(await bare.repo.store("for-each-ref", "refs/waymark/local")).toBe("");
        const validation = await bare.ok("validate", id);
        expect(items(validation.json, "checkpoints", "0", "withheld")).toEqual(["build/app.db"]);
        const told = await project.ok("export", id, "-o", "../db.bundle", "--include-databases");
        expect(items(told.json, "included_databases")).toMatchObject([{ id, engine: "sqlite" }]);
        expect(JSON.stringify((await project.ok("log")).json)).toContain("included_databases");

        const clone = await cloneOf(project);
        await clone.ok("import", join(repo.base, "db.bundle"));
        await mkdir(join(clone.repo.root, "build"));
        sql(join(clone.repo.root, "build/app.db"), "CREATE TABLE mine (a);");
        const before = await readFile(join(clone.repo.root, "build/app.db"));
        const back = await clone.rollBack(id);
        expect(JSON.stringify(items(back.json, "kept"))).toContain("app.db");
        expect(await readFile(join(clone.repo.root, "build/app.db"))).toEqual(before);
        await clone.ok("undo", "--yes");
        expect(await readFile(join(clone.repo.root, "build/app.db"))).toEqual(before);
        expectExit(await clone.run("validate"), 0);
      });
    },
  );
});

/** A checkpoint with state, copies of ignored files and one of a file outside, imported into a clone. */
async function withImported(
  body: (at: {
    project: RuleProject;
    clone: RuleProject;
    id: string;
    outside: string;
  }) => Promise<void>,
): Promise<void> {
  await withSeed(async (project) => {
    const { repo } = project;
    const outside = join(repo.base, "outside.conf");
    await writeFile(outside, "of the first machine\n");
    await repo.write("flow/state.yml", "phase: plan\n");
    await repo.write("a.txt", "alpha of the checkpoint\n");
    const scope = ["--scope", ".", "*.log", "build/**", outside];
    const made = await project.ok("create", ...scope, "--state", join(repo.root, "flow/state.yml"));
    const id = text(made.json, "checkpoint", "id");
    const result = await project.ok("export", id, "-o", "../x.bundle");
    expect(items(result.json, "without_copies")).toEqual([id]);
    const clone = await cloneOf(project);
    await clone.ok("import", join(repo.base, "x.bundle"));
    await writeFile(outside, "since\n");
    await body({ project, clone, id, outside });
  });
}

describe("a rollback to an imported checkpoint with parts", () => {
  it("[R76] restores files and state, keeps files whose copies are elsewhere, and says so", async () => {
    await withImported(async ({ clone, id, outside }) => {
      const { repo } = clone;
      expectExit(await clone.run("validate"), 0);
      await repo.write("trace.log", "mine\n");
      await repo.write("other.log", "mine too\n");
      const plan = await clone.ok("rollback", id, "--dry-run");
      expect(JSON.stringify(plan.json)).toContain(
        "is only on the machine where the checkpoint was taken",
      );
      const back = await clone.rollBack(id);
      const kept = items(back.json, "kept").flatMap((each) =>
        field(each, "reason") === "elsewhere" ? [field(each, "path")] : [],
      );
      expect(kept).toEqual(expect.arrayContaining(["trace.log", "build/out.o", outside]));
      const read = async (path: string): Promise<string> => (await repo.read(path)).toString();
      expect(await read("flow/state.yml")).toBe("phase: plan\n");
      expect(await read("a.txt")).toBe("alpha of the checkpoint\n");
      expect(await read("trace.log")).toBe("mine\n");
      expect(await read("other.log")).toBe("mine too\n");
      expect(await repo.exists("build/out.o")).toBe(false);
      expect(await readFile(outside, "utf8")).toBe("since\n");
      await clone.ok("undo", "--yes");
      expect(await repo.exists("flow/state.yml")).toBe(false);
      expect(await read("a.txt")).toBe("alpha\nsecond line\n");
      expect(await read("trace.log")).toBe("mine\n");
      await clone.ok("redo", "--yes");
      expect(await read("flow/state.yml")).toBe("phase: plan\n");
      expect(await read("other.log")).toBe("mine too\n");
      expectExit(await clone.run("validate"), 0);
    });
  });

  it("[R76] removes nothing that equals a copy elsewhere when it is taken back", async () => {
    await withImported(async ({ clone, id }) => {
      const { repo } = clone;
      await repo.write("trace.log", "ignored\n");
      await clone.rollBack(id);
      await clone.ok("undo", "--yes");
      await clone.ok("redo", "--yes");
      expect((await repo.read("trace.log")).toString()).toBe("ignored\n");
    });
  });

  it("restores ignored files, and none outside, when somebody brought the copies", async () => {
    await withImported(async ({ project, clone, id, outside }) => {
      const { repo } = clone;
      const half = `refs/waymark/local/${id}`;
      await repo.store("fetch", "-q", project.repo.storeDir, `${half}:${half}`);
      await repo.write("trace.log", "mine\n");
      await clone.rollBack(id);
      expect((await repo.read("trace.log")).toString()).toBe("ignored\n");
      expect((await repo.read("build/out.o")).toString()).toBe("ignored too\n");
      expect(await readFile(outside, "utf8")).toBe("since\n");
      await clone.ok("undo", "--yes");
      expect((await repo.read("trace.log")).toString()).toBe("mine\n");
      expect(await repo.exists("build/out.o")).toBe(false);
    });
  });

  it("prints no command that cannot work", async () => {
    await withImported(async ({ clone, id }) => {
      const shown = await clone.ok("show", id);
      expect(JSON.stringify(shown.json)).toContain(
        "is only on the machine where the checkpoint was taken",
      );
      expect(JSON.stringify(shown.json)).not.toContain("mv -f");
    });
  });
});

describe("rebuild and stash of a checkpoint with parts", () => {
  async function withHeld(
    body: (project: RuleProject, id: string) => Promise<void>,
  ): Promise<void> {
    await withSeed(async (project) => {
      const { repo } = project;
      await repo.write("flow/state.yml", "phase: plan\n");
      await repo.write("a.txt", "alpha, changed\n");
      const args = ["--scope", ".", "*.log", "--state", join(repo.root, "flow/state.yml")];
      await body(project, await project.create(...args));
    });
  }

  it("rebuild keeps all parts", async () => {
    await withHeld(async (project, id) => {
      const { repo } = project;
      const details = await repo.store("rev-parse", `refs/waymark/cp/${id}:worktree.json`);
      await deleteObject(repo, details.trim());
      await project.ok("rebuild", id);
      expectExit(await project.run("validate"), 0);
      await repo.write("flow/state.yml", "phase: later\n");
      await repo.write("trace.log", "later\n");
      await project.rollBack(id);
      expect((await repo.read("flow/state.yml")).toString()).toBe("phase: plan\n");
      expect((await repo.read("trace.log")).toString()).toBe("ignored\n");
    });
  });

  it("rebuild says that parts are lost with the document that knew them", async () => {
    await withHeld(async (project, id) => {
      const { repo } = project;
      const ref = `refs/waymark/cp/${id}`;
      const commit = await repo.store("cat-file", "commit", ref);
      const broken = commit.replace('"parts":', '"pxrts":');
      expect(broken).not.toBe(commit);
      const args = ["hash-object", "-t", "commit", "-w", "--stdin"];
      const oid = (await repo.storeWithInput(Buffer.from(broken, "latin1"), ...args)).trim();
      const old = (await repo.store("rev-parse", ref)).trim();
      await repo.store("update-ref", ref, oid);
      await deleteObject(repo, old);
      const result = await project.ok("rebuild", id);
      expect(JSON.stringify(result.json)).toContain("parts beside the work tree");
      expectExit(await project.run("validate", id), 0);
      await project.ok("export", id, "-o", "../x.bundle");
      await repo.store("rev-parse", "--verify", `refs/waymark/local/${id}`);
    });
  });

  it("stash says that they are not part of the entry, and touches none", async () => {
    await withHeld(async (project, id) => {
      const result = await project.ok("stash", id);
      expect(items(result.json, "warnings")).toEqual([
        "copies of ignored and outside files are not part of the entry",
        "the state is not part of the entry",
      ]);
      expectExit(await project.run("validate", id), 0);
    });
  });
});

describe.skipIf(!hasProgram("sqlite3"))("a checkpoint that came by plain git", () => {
  it("[R76] touches no database and no file outside of the project", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      const database = join(repo.base, "x.db");
      const folder = join(repo.base, "beside");
      await mkdir(folder);
      await symlink("elsewhere", join(folder, "link"));
      sql(database, "create table t (a); insert into t values ('theirs');");
      const ids = [
        await project.create("--database", `sqlite:${database}`),
        await project.create("--scope", folder),
      ];
      const clone = await cloneOf(project);
      await clone.repo.takeStoreOf(repo);
      const sessions = await clone.repo.storeRefs(
        "--format=delete %(refname)",
        "refs/waymark/session",
      );
      await clone.repo.storeWithInput(sessions, "update-ref", "--stdin");
      sql(database, "update t set a = 'mine';");
      await rm(join(folder, "link"));
      await writeFile(join(folder, "mine"), "mine");
      for (const id of ids) await clone.ok("rollback", id, "--yes", "--keep-head");
      expect(sql(database, "select a from t;")).toBe("mine\n");
      expect(await readdir(folder)).toEqual(["mine"]);
      // Where it was taken it still does.
      for (const id of ids) await project.ok("rollback", id, "--yes");
      expect(sql(database, "select a from t;")).toBe("theirs\n");
      expect(await readdir(folder)).toEqual(["link"]);
    });
  });
});
