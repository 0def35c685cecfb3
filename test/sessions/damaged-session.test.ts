/** Session documents that are no such thing: nothing crashes, the others are as usable as before, and no other one stands in. */
import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { openGitProject } from "../../src/app.ts";
import { Failure } from "../../src/domain/failure.ts";
import { newSession } from "../../src/domain/session.ts";
import { cleanUp } from "../../src/operations/clean-up.ts";
import { listCheckpoints } from "../../src/operations/list-checkpoints.ts";
import { listSessions } from "../../src/operations/list-sessions.ts";
import type { Project } from "../../src/operations/project.ts";
import { rollBack } from "../../src/operations/roll-back.ts";
import { rollbackId } from "../../src/operations/rollback-id.ts";
import { undo } from "../../src/operations/undo.ts";
import { checkedDocument } from "../../src/operations/find-checkpoint.ts";
import { viewSessions } from "../../src/operations/session-view.ts";
import { HookedProject } from "../hooks/hooked-project.ts";
import { withClient } from "../mcp/client.ts";
import { cliEnvironment, errorMessage, expectExit, waymarkArguments } from "../support/cli.ts";
import { flipByteOfObject } from "../support/damage.ts";
import { field, items, text } from "../support/json.ts";
import { type CommandResult, runCommand } from "../support/run-command.ts";
import { rows, runs } from "../support/sample.ts";
import type { TempRepository } from "../support/temp-repository.ts";
import { withSeed, type RuleProject } from "../spec/project.ts";

const AT = "2026-11-15T18:00:00.000Z";

/** Puts any document where a session belongs, as somebody with git could. */
async function plant(repo: TempRepository, id: string, document: unknown): Promise<void> {
  const message = `planted\n\n${JSON.stringify(document)}\n`;
  const commit = await repo.store("commit-tree", "-m", message, await repo.head("^{tree}"));
  await repo.store("update-ref", `refs/waymark/session/${id}`, commit.trim());
}

async function startedWithCheckpoint(project: RuleProject): Promise<string> {
  const { json } = await project.ok("session", "start", "--type", "t", "--project", "p");
  return text(json, "session", "id");
}

const OWN = "worktree-main";
const OWN_REF = `refs/waymark/session/${OWN}`;

type Damage = (repo: TempRepository) => Promise<void>;

async function putCommit(repo: TempRepository, message: string): Promise<void> {
  const tree = await repo.head("^{tree}");
  const commit = await repo.store("commit-tree", "-p", OWN_REF, "-m", message, tree);
  await repo.store("update-ref", OWN_REF, commit.trim());
}

async function documentText(repo: TempRepository): Promise<string> {
  const message = await repo.store("log", "-1", "--format=%B", OWN_REF);
  return message.slice(message.indexOf("\n\n{") + 2);
}

const refFile = (repo: TempRepository): string => repo.storePath(OWN_REF);

/** What can be wrong with a session, and whether the commit of it can be kept. */
const DAMAGES: readonly (readonly [string, Damage])[] = [
  ["no document", (repo) => putCommit(repo, "garbage")],
  ["no JSON", (repo) => putCommit(repo, "garbage\n\n{ nothing of the kind")],
  [
    "a document that is cut short",
    async (repo) => putCommit(repo, `x\n\n${(await documentText(repo)).slice(0, 200)}`),
  ],
  [
    "a wrong shape",
    (repo) => putCommit(repo, `x\n\n${JSON.stringify({ schema_version: 1, id: OWN })}`),
  ],
  [
    "a newer version",
    async (repo) =>
      putCommit(
        repo,
        `x\n\n${(await documentText(repo)).replace('"schema_version": 1', '"schema_version": 99')}`,
      ),
  ],
  [
    "a ref that points at no commit",
    async (repo) => {
      const blob = (await repo.store("hash-object", "-w", "-t", "blob", refFile(repo))).trim();
      await writeFile(refFile(repo), `${blob}\n`);
    },
  ],
  ["a commit that is missing", (repo) => writeFile(refFile(repo), `${"1".repeat(40)}\n`)],
  [
    "a packed ref whose commit is missing",
    async (repo) => {
      await repo.store("pack-refs", "--all");
      const packed = repo.storePath("packed-refs");
      const text = await readFile(packed, "latin1");
      await writeFile(
        packed,
        text.replace(new RegExp(`^[0-9a-f]+(?= ${OWN_REF}$)`, "m"), "1".repeat(40)),
      );
    },
  ],
  ["an empty ref", (repo) => writeFile(refFile(repo), "")],
  ["a ref that is none", (repo) => writeFile(refFile(repo), "garbage\n")],
  [
    "a commit whose bytes are damaged",
    async (repo) => flipByteOfObject(repo, (await repo.store("rev-parse", OWN_REF)).trim()),
  ],
];

const rawRef = async (repo: TempRepository): Promise<string> => {
  const loose = await readFile(refFile(repo), "latin1").catch(() => "packed");
  return loose;
};

describe("the work tree's own session with", () => {
  it.each(rows(5, DAMAGES))(
    "[R162] %s: checkpoints stay usable, and doctor repairs it",
    async (kind, damage) => {
      await withSeed(async (project) => {
        const { repo } = project;
        const id = await project.create();
        await repo.write("new.txt", "new\n");
        await project.rollBack(id);
        await damage(repo);
        const before = await rawRef(repo);
        const isNewer = kind === "a newer version";

        await repo.write("work.txt", "work\n");
        const created = await project.ok("create", "--force");
        expect(JSON.stringify(field(created.json, "warnings"))).toContain(`session ${OWN}`);
        const mine = text(created.json, "checkpoint", "id");
        const listed = await project.ok("list", "--all");
        const ids = items(listed.json, "checkpoints").map((one) => text(one, "id"));
        expect(ids).toEqual(expect.arrayContaining([id, mine]));
        await project.ok("show", id);
        await project.ok("diff", id);
        await project.ok("log");
        const exported = await project.run("export");
        expect(text(exported.json, "error", "hint")).toContain(
          isNewer ? "update Waymark; --skip-damaged" : "`waymark doctor --fix` repairs it; --skip",
        );
        const latest = await project.run("rollback", "latest", "--yes");
        expect(text(latest.json, "error", "hint")).toContain(mine);

        await project.rollBack(id);
        expect(await repo.exists("work.txt")).toBe(false);
        await project.ok("undo", "--yes");
        expect(String(await repo.read("work.txt"))).toBe("work\n");
        await project.ok("redo", "--yes");
        expect(await repo.exists("work.txt")).toBe(false);
        await project.ok("undo", "--yes");
        expectExit(await project.run("guard", "--", "sh", "-c", "rm work.txt; false"), 7);
        expect(String(await repo.read("work.txt"))).toBe("work\n");
        await repo.write("work.txt", "by an agent\n");
        const hooked = new HookedProject(project);
        await hooked.call("PreToolUse", {
          tool_name: "Write",
          tool_input: { file_path: "work.txt" },
        });
        const after = items((await project.ok("list", "--all")).json, "checkpoints");
        expect(after.length).toBeGreaterThan(ids.length);
        await withClient(repo, {}, async (client) => {
          await client.ok("list_checkpoints");
          await client.ok("create_checkpoint", { reason: "by mcp" });
          await client.ok("preview_rollback", { checkpoint: id });
        });
        // Nothing was written over it.
        expect(await rawRef(repo)).toBe(before);

        const doctor = await project.run("doctor");
        expect(JSON.stringify(doctor.json)).toContain(`session ${OWN}`);
        expectExit(doctor, isNewer ? 0 : 1);
        await project.run("doctor", "--fix");
        if (isNewer) {
          expect(await rawRef(repo)).toBe(before);
          return;
        }
        expectExit(await project.run("doctor"), 0);
        const again = await project.ok("create", "--force");
        expect(JSON.stringify(field(again.json, "warnings"))).not.toContain("session");
        await project.ok("rollback", "latest", "--yes");
        await project.ok("undo", "--yes");
        await project.ok("cleanup");
        const damaged = await repo.storeRefs("--format=%(refname)", "refs/waymark/damaged");
        const files = await readdir(join(repo.root, ".git", "waymark", "damaged")).catch(() => []);
        const isPacked = kind.startsWith("a packed ref");
        expect(damaged.trim().split("\n").filter(Boolean).length + files.length).toBe(
          isPacked ? 0 : 1,
        );
      });
    },
  );

  it("[R162] is joined with its stand-in when it can be read again", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      const id = await project.create();
      await repo.write("first.txt", "first\n");
      await project.rollBack(id);
      const good = (await repo.store("rev-parse", OWN_REF)).trim();
      await putCommit(repo, "garbage");
      await repo.write("second.txt", "second\n");
      await project.rollBack(id);
      // As a newer Waymark, or somebody with git, would.
      await repo.store("update-ref", OWN_REF, good);
      expect(JSON.stringify((await project.run("doctor")).json)).toContain("is readable again");
      await project.run("doctor", "--fix");
      await project.ok("undo", "--yes");
      expect(String(await repo.read("second.txt"))).toBe("second\n");
      await project.ok("undo", "--yes");
      expect(String(await repo.read("first.txt"))).toBe("first\n");
      expect(await repo.storeRefs("refs/waymark/standin")).toBe("");
    });
  });
});

describe("run and resume", () => {
  it.each([
    ["no JSON", undefined],
    ["a newer version", { schema_version: 99 }],
    ["no status", { status: undefined }],
    ["a status that is unknown", { status: "dormant" }],
  ] as const)("[R163] do not pass over an unfinished session with %s", async (_kind, change) => {
    await withSeed(async (project) => {
      const { repo } = project;
      await repo.write(
        "flow.yml",
        "name: f\nphases: [{name: a, run: 'echo a >> ran', breakpoint: true}, {name: b, run: 'true'}]\n",
      );
      expectExit(await project.run("run", "flow.yml"), 5);
      const ref =
        (await repo.storeRefs("--format=%(refname)", "refs/waymark/session"))
          .split("\n")
          .find((name) => name.includes("f_")) ?? "";
      const message = await repo.store("log", "-1", "--format=%B", ref);
      const document = JSON.parse(message.slice(message.indexOf("\n\n{") + 2)) as object;
      await plant(
        repo,
        ref.slice("refs/waymark/session/".length),
        change === undefined ? "garbage" : { ...document, ...change },
      );
      for (const forget of [false, true]) {
        // Also where no work tree is in it any more.
        if (forget) await rm(await repo.gitPath("waymark/current-session"), { force: true });
        for (const args of [["run", "flow.yml"], ["resume"], ["run", "flow.yml", "--resume"]]) {
          const refused = await project.run(...args);
          expect({ args, code: field(refused.json, "error", "code") }).toEqual({
            args,
            code:
              change !== undefined && "schema_version" in change
                ? "checkpoint_newer"
                : "session_damaged",
          });
        }
      }
      expect(String(await repo.read("ran"))).toBe("a\n");
      expectExit(await project.run("run", "flow.yml", "--fresh"), 5);
      expect(String(await repo.read("ran"))).toBe("a\na\n");
    });
  });
});

describe("a session whose document is damaged", () => {
  it.each([
    ["before its first good version", false],
    ["after a good version", true],
  ])("%s is deleted with its checkpoints, when that is confirmed", async (_when, hasGood) => {
    await withSeed(async (project) => {
      const { repo } = project;
      const session = await startedWithCheckpoint(project);
      const checkpoint = await project.create();
      const ref = `refs/waymark/session/${session}`;
      const parents = hasGood ? ["-p", ref] : [];
      const tree = await repo.head("^{tree}");
      const garbage = await repo.store("commit-tree", ...parents, "-m", "garbage", tree);
      await repo.store("update-ref", ref, garbage.trim());
      const asked = await project.run("session", "delete", session);
      expectExit(asked, 5);
      expect((await repo.store("rev-parse", ref)).trim()).toBe(garbage.trim());
      const { json } = await project.ok("session", "delete", session, "--yes", "--now");
      expect(field(json, "removed_checkpoints")).toEqual([checkpoint]);
      expect(await repo.storeRefs(ref)).toBe("");
      const kept = await repo.storeRefs("--format=%(objectname)", "refs/waymark/damaged");
      expect(kept.trim()).toBe(garbage.trim());
      await project.ok("session", "list");
    });
  });
});

describe("a session of a newer Waymark", () => {
  it("that failed is named by run, which begins another one", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      await repo.write("flow.yml", "name: f\nphases: [{name: a, run: 'test -e ok'}]\n");
      expectExit(await project.run("run", "flow.yml"), 1);
      const id = text((await project.ok("status")).json, "session_id");
      const ref = `refs/waymark/session/${id}`;
      const message = await repo.store("log", "-1", "--format=%B", ref);
      const document = JSON.parse(message.slice(message.indexOf("\n\n{") + 2)) as object;
      await plant(repo, id, { ...document, schema_version: 99 });
      await repo.write("ok", "");
      const { stdout, stderr } = await said(project, "run", "flow.yml");
      expect(`${stdout.toString()}${stderr}`).toContain(
        `it failed, and \`waymark resume ${id}\` could continue it (update Waymark)`,
      );
    });
  });

  it("keeps its checkpoints from a cleanup, which goes on with the others", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      const session = await startedWithCheckpoint(project);
      const held = await project.create();
      await rm(await repo.gitPath("waymark/current-session"));
      const others: string[] = [];
      for (const content of ["1", "2", "3"]) {
        await repo.write("a.txt", content);
        others.push(await project.create("--trigger", "auto"));
      }
      await plant(repo, session, { ...newSession(session, AT), schema_version: 99 });
      const { json } = await project.ok("cleanup", "--all", "--yes");
      expect(JSON.stringify(field(json, "warnings"))).toContain(`session ${session}`);
      const removed = items(json, "removed").map((one) => text(one, "id"));
      expect(removed).toEqual(expect.arrayContaining(others.slice(0, 2)));
      expect(removed).not.toContain(held);
      await project.ok("show", held);
    });
  });

  it("is named once by session list", async () => {
    await withSeed(async (project) => {
      const session = await startedWithCheckpoint(project);
      await plant(project.repo, session, { ...newSession(session, AT), schema_version: 99 });
      const { stderr } = await said(project, "session", "list");
      expect(stderr.match(/was written by a newer Waymark/g)).toHaveLength(1);
    });
  });
});

/** As people see it. */
function said({ repo }: RuleProject, ...args: readonly string[]): Promise<CommandResult> {
  return runCommand(process.execPath, waymarkArguments(repo.root, ...args), {
    env: cliEnvironment(repo.env),
  });
}

const WRONG: readonly (readonly [string, unknown])[] = [
  ["nothing in it", {}],
  ["no history", { ...newSession("other", AT), history: undefined }],
  ["phases that are none", { ...newSession("other", AT), workflow: { phases: [null] } }],
  ["a lease that is none", { ...newSession("other", AT), implicit: false, lease: "y" }],
];

describe("a session of a wrong shape", () => {
  it.each(WRONG)("with %s leaves the others as usable as before", async (_, document) => {
    await withSeed(async (project) => {
      const { repo } = project;
      const id = await project.create();
      await repo.write("new.txt", "new\n");
      await plant(repo, "other", document);
      await project.ok("list");
      await project.rollBack(id);
      await project.ok("undo", "--yes");
      await project.ok("cleanup");
      await project.ok("create", "--force");
      const listed = await project.ok("session", "list");
      expect(text(items(listed.json, "unreadable")[0], "message")).toContain("session other");
      const doctor = await project.run("doctor");
      expect(JSON.stringify(doctor.json)).toContain("session other cannot be read");
      const validated = await project.run("validate");
      expectExit(validated, 4);
      expect(items(validated.json, "unreadable_sessions")).toHaveLength(1);
    });
  });

  it("[R162] that was started is never stood in for by another one", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      await project.create();
      const session = await startedWithCheckpoint(project);
      const id = await project.create("--name", "mine");
      await repo.write("precious.txt", "work\n");
      for (const document of [{}, { ...newSession(session, AT), schema_version: 99 }]) {
        await plant(repo, session, document);
        const before = await repo.store("rev-parse", `refs/waymark/session/${session}`);
        const code = Object.keys(document).length === 0 ? "session_damaged" : "checkpoint_newer";
        for (const args of [
          ["rollback", "latest", "--yes"],
          ["undo", "--yes"],
          ["resume"],
          ["session", "show"],
        ]) {
          const refused = await project.run(...args);
          expect({ args, code: field(refused.json, "error", "code") }).toEqual({ args, code });
          expect(errorMessage(refused)).toContain(session);
        }
        expect(String(await repo.read("precious.txt"))).toBe("work\n");
        for (const args of [["create", "--force"], ["list"], ["show", id], ["diff", id]]) {
          const { json } = await project.ok(...args);
          if (args[0] !== "create") continue;
          expect(JSON.stringify(field(json, "warnings"))).toContain(`session ${session}`);
        }
        await project.rollBack(id);
        expect(await repo.exists("precious.txt")).toBe(false);
        await repo.write("precious.txt", "work\n");
        expect(await repo.store("rev-parse", `refs/waymark/session/${session}`)).toBe(before);
        expectExit(await project.run("doctor"), code === "session_damaged" ? 1 : 0);
      }
      const listed = await project.ok("session", "list");
      expect(text(items(listed.json, "unreadable")[0], "message")).toContain(session);
    });
  });

  it("that is the work tree's own does not hide the rollback that undo means", async () => {
    await withSeed(async (project) => {
      const id = await project.create();
      await project.repo.write("new.txt", "new\n");
      await project.rollBack(id);
      await plant(project.repo, OWN, {});
      const refused = await project.run("undo", "--yes");
      expect(field(refused.json, "error", "code")).toBe("session_damaged");
    });
  });

  it("never breaks a command, whatever JSON it is", async () => {
    await withSeed(async (seed) => {
      const id = await seed.create();
      const project = await openGitProject({ directory: seed.repo.root });
      try {
        await fc.assert(
          fc.asyncProperty(
            fc.constantFrom(...Object.keys(SAMPLE)),
            fc.jsonValue(),
            async (name, value) => {
              await plant(seed.repo, "other", { ...SAMPLE, [name]: value });
              await everythingWorks(project, id);
            },
          ),
          { numRuns: runs(6) },
        );
      } finally {
        project.close();
      }
    });
  });
});

const SAMPLE = {
  ...newSession("other", AT),
  implicit: false,
  workflow: { phases: [] },
  lease: { token: 1, holder: null, purpose: null, acquired_at: null, renewed_at: null, ttl_ms: 1 },
  pinned: {},
  trash: {},
  events: [],
  requests: [],
  state: { checkpoint_id: "x" },
};

/** Each does its work or says what is wrong; a bug would throw something else. */
async function everythingWorks(project: Project, id: string): Promise<void> {
  const answers = { confirmed: true, confirm: () => Promise.resolve(true), discardCommits: false };
  const list = await listCheckpoints(project, {});
  expect(list.checkpoints.length).toBeGreaterThan(0);
  await listSessions(project, { all: true });
  const view = await viewSessions(project, undefined);
  const stored = view.stored.find((one) => one.id === id);
  if (stored === undefined) throw new Error("it is missing");
  await rollBack(project, {
    ...answers,
    kind: "rollback",
    target: await checkedDocument(project, view, stored),
    sessionId: view.sessionId,
    scope: { filesOnly: false, keepHead: false, paths: null, patterns: null },
    reason: null,
    id: rollbackId(project),
  });
  await undo(project, { ...answers, reason: null });
  try {
    await cleanUp(project, { limits: {}, now: false }, () => Promise.resolve(true));
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
  }
}
