/** Sources that nobody honest wrote: each bad piece is refused and named, the others are taken. */
import { createHash } from "node:crypto";
import { chmod, lstat, readFile, readdir, readlink, symlink } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { withSeed, type RuleProject } from "../spec/project.ts";
import { cliEnvironment, errorMessage, waymarkArguments } from "../support/cli.ts";
import { runCommand } from "../support/run-command.ts";
import { items, text } from "../support/json.ts";
import { checkpointsOf, expectAllValid, importFrom, notCarried, sessionOf } from "./imported.ts";
import {
  writeClaudeCheckpoints,
  writeCrunch,
  writeFlowspec,
  writeGoTeam,
  writeSource,
} from "./sources.ts";

/** Every name below a folder with inode, mode, time stamps and content. */
async function inventory(folder: string): Promise<string[]> {
  const lines: string[] = [];
  const walk = async (path: string): Promise<void> => {
    const stat = await lstat(path, { bigint: true });
    const content = stat.isFile()
      ? createHash("sha256")
          .update(await readFile(path))
          .digest("hex")
      : stat.isSymbolicLink()
        ? await readlink(path)
        : "";
    lines.push([path, stat.ino, stat.mode, stat.mtimeNs, stat.ctimeNs, content].join(" "));
    if (stat.isDirectory()) for (const name of await readdir(path)) await walk(join(path, name));
  };
  await walk(folder);
  return lines.toSorted();
}

describe("a source", () => {
  it("[R87] is the same afterwards: every byte, time stamp and inode, also of a folder that cannot be written", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      const sources = [
        ["flowspec", (await writeFlowspec(repo)).path],
        ["go-team", (await writeGoTeam(repo)).path],
        ["claude-checkpoints", (await writeClaudeCheckpoints(repo)).path],
        ["crunch", (await writeCrunch(repo)).path],
      ] as const;
      for (const [format, path] of sources) {
        const folder = format === "flowspec" ? join(path, "..") : path;
        await chmod(folder, 0o555);
        const before = await inventory(folder);
        await importFrom(project, format, path, "--dry-run");
        const { json } = await importFrom(project, format, path);
        expect(items(json, "sessions").length).toBeGreaterThan(0);
        expect(await inventory(folder)).toEqual(before);
        await chmod(folder, 0o755);
      }
      await expectAllValid(project);
    });
  });
});

/** The good record of the scene comes through, whatever is beside it. */
async function expectOnly(
  project: RuleProject,
  path: string,
  expected: readonly string[],
): Promise<void> {
  const { json, notCarried: problems } = await importFrom(project, "claude-checkpoints", path);
  expect(problems).toEqual(expected);
  expect(items(json, "sessions")).toHaveLength(2);
}

describe("pieces of a source that are refused", () => {
  it("are links, pipes, folders and huge files", async () => {
    await withSeed(async (project) => {
      const { path } = await writeClaudeCheckpoints(project.repo);
      await writeSource(join(project.repo.base, "outside.json"), '{"checkpoint_id":"secret"}');
      await symlink("../outside.json", join(path, "a-link.json"));
      await symlink("/dev/zero", join(path, "b-device.json"));
      const fifo = await runCommand("mkfifo", [join(path, "c-pipe.json")], { env: process.env });
      expect(fifo.code).toBe(0);
      await writeSource(join(path, "d-huge.json"), Buffer.alloc(17 * 1024 * 1024, " "));
      await writeSource(join(path, "e-folder.json", "x"), "");
      await expectOnly(project, path, [
        "unreadable: a-link.json",
        "unreadable: b-device.json",
        "unreadable: c-pipe.json",
        "too_large: d-huge.json",
      ]);
    });
  });

  it("are deep JSON, text that is none, and broken UTF-8", async () => {
    await withSeed(async (project) => {
      const { path } = await writeClaudeCheckpoints(project.repo);
      const deep = `{"checkpoint_id":"deep","workflow_state":${"[".repeat(50_000)}${"]".repeat(50_000)}}`;
      await writeSource(join(path, "a-deep.json"), deep);
      await writeSource(join(path, "b-empty.json"), "");
      await writeSource(join(path, "c-bytes.json"), Buffer.from([0x7b, 0x22, 0xff, 0xfe]));
      await writeSource(join(path, "d-list.json"), "[]");
      await expectOnly(project, path, [
        "broken: a-deep.json",
        "broken: b-empty.json",
        "broken: c-bytes.json",
        "broken: d-list.json",
      ]);
    });
  });

  it("are YAML that unfolds without end, and a `latest` that leads out", async () => {
    await withSeed(async (project) => {
      const { path, folder } = await writeCrunch(project.repo);
      const lines = Array.from({ length: 20 }, (_, at) =>
        at === 0 ? "a0: &a0 [x, x]" : `a${at}: &a${at} [*a${at - 1}, *a${at - 1}, *a${at - 1}]`,
      );
      await writeSource(join(folder, "CP-bomb-20250114-0000.yaml"), lines.join("\n"));
      await writeSource(join(folder, "CP-deep-20250114-0000.yaml"), "[".repeat(5000));
      const other = join(path, "43", "checkpoints");
      await writeSource(join(other, "CP-a-20250114-0000.yaml"), "checkpoint_id: CP-a");
      await symlink("../../42/checkpoints/index.yaml", join(other, "latest"));
      await symlink("42", join(path, "44"));
      const { json, notCarried: problems } = await importFrom(project, "crunch", path);
      expect(problems).toEqual([
        "unreadable: 44",
        "broken: 42/checkpoints/CP-bomb-20250114-0000.yaml",
        "broken: 42/checkpoints/CP-deep-20250114-0000.yaml",
        "unreadable: 43/checkpoints/latest",
        "no_commit: crunch-42",
        "no_commit: crunch-43",
      ]);
      expect(items(json, "sessions")).toHaveLength(2);
    });
  });
});

describe("values of a source", () => {
  it("lose keys that mean something to JavaScript, and secrets", async () => {
    await withSeed(async (project) => {
      const path = join(project.repo.base, "values");
      const token = `ghp_${"a1B2c3D4e5".repeat(4).slice(0, 36)}`;
      const record =
        '{"checkpoint_id":"w_p_20250101_000000","__proto__":{"status":"completed"},' +
        `"workflow_state":{"__proto__":{"polluted":1},"note":"use ${token}","password":"hunter2hunter2"}}`;
      await writeSource(join(path, "w_p_20250101_000000.json"), record);
      const { notCarried: problems } = await importFrom(project, "claude-checkpoints", path);
      expect(problems).toEqual([
        "fields_left_out: w_p_20250101_000000.json",
        "redacted: w_p_20250101_000000.json",
      ]);
      const session = JSON.stringify(await sessionOf(project, "w_p_20250101_000000"));
      expect(session).not.toContain(token);
      expect(session).not.toContain("hunter2");
      expect(session).not.toContain("__proto__");
      expect(session).toContain('"status":"interrupted"');
    });
  });

  it("name no path out of the project, no branch that is none and no commit that is none", async () => {
    await withSeed(async (project) => {
      const { path, session, ids, records } = await writeGoTeam(project.repo);
      const { checksum: _, ...first } = records[0] ?? {};
      const git = { ...(first["git"] as object), branch: "../../hooks/post-commit" };
      const files = {
        created: ["../outside", ".git/config", "/etc/passwd", "ok.txt"],
        modified: [],
      };
      const file = join(path, session, `${ids[0]}.json`);
      await writeSource(file, JSON.stringify({ ...first, git, files }));
      const second = { ...records[1], checksum: undefined };
      const option = { enabled: true, commit_hash: "--all", branch: "main" };
      const secondFile = join(path, session, `${ids[1]}.json`);
      await writeSource(secondFile, JSON.stringify({ ...second, git: option }));
      const { notCarried: problems } = await importFrom(project, "go-team", path);
      expect(problems).toEqual([
        `fields_left_out: ${ids[0]}`,
        `branch: ${ids[0]}`,
        `no_commit: ${ids[1]}`,
      ]);
      const [made] = await checkpointsOf(project, session);
      expect(made).toMatchObject({
        files: { created: ["ok.txt"], total: 1 },
        git: { branch: null, detached: true },
      });
      await expectAllValid(project);
    });
  });

  it("become ids that are one component of a ref, and never that of a work tree's own session", async () => {
    await withSeed(async (project) => {
      const path = join(project.repo.base, "names");
      const names = ["worktree-main", "../../heads/main", "x.lock", "-rf", "\u001b[31mred", "a b"];
      for (const [at, name] of names.entries()) {
        const record = { checkpoint_id: name, workflow_state: {} };
        await writeSource(join(path, `${at}.json`), JSON.stringify(record));
      }
      const { json } = await importFrom(project, "claude-checkpoints", path);
      const made = items(json, "sessions").map((session) => text(session, "id"));
      expect(new Set(made).size).toBe(names.length);
      for (const id of made) expect(id).toMatch(/^imported-[a-z0-9-]+$/);
      const refs = await project.repo.storeRefs("--format=%(refname)");
      expect(await sessionOf(project, "worktree-main")).not.toHaveProperty("imported");
      for (const id of made) expect(refs).toContain(`refs/waymark/session/${id}\n`);
    });
  });

  it("with control characters are shown without them", async () => {
    await withSeed(async (project) => {
      const path = join(project.repo.base, "control");
      const record = { checkpoint_id: "a\u001b[31mb", workflow_description: "x\u001b[2Jy\nz" };
      await writeSource(join(path, "a.json"), JSON.stringify({ ...record, workflow_state: {} }));
      await writeSource(join(path, "b\u001b[31m.json"), "broken");
      const { repo } = project;
      const args = waymarkArguments(repo.root, "import", "--from", "claude-checkpoints", path);
      const result = await runCommand(process.execPath, args, { env: cliEnvironment(repo.env) });
      expect(result.code).toBe(0);
      expect(result.stdout.toString("utf8")).not.toContain("\u001b");
    });
  });
});

describe("a source as a whole", () => {
  it("of which nothing can be used is exit code 4, and nothing is changed", async () => {
    await withSeed(async (project) => {
      const path = join(project.repo.base, "bad");
      await writeSource(join(path, "a.json"), "broken");
      const refs = await project.repo.allRefs();
      const result = await project.run("import", "--from", "claude-checkpoints", path);
      expect(result.code).toBe(4);
      expect(notCarried(result.json)).toEqual(["broken: a.json"]);
      expect(await project.repo.allRefs()).toBe(refs);
    });
  });

  it("that is empty, missing, of another kind or not readable is an error with a hint", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      await writeSource(join(repo.base, "empty", "README.md"), "nothing");
      const ways = [
        ["go-team", "../empty", "contains no go-team data"],
        ["crunch", "../nowhere", "there is no such file"],
        ["flowspec", "../empty", "it is not a file"],
        ["go-team", "../empty/README.md", "it is not a folder"],
      ] as const;
      for (const [format, path, message] of ways) {
        const result = await project.run("import", "--from", format, path);
        expect(result.code).toBe(3);
        expect(errorMessage(result)).toContain(message);
      }
      const unknown = await project.run("import", "--from", "svn", "../empty");
      expect(unknown.code).toBe(2);
    });
  });
});
