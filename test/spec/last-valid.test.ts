// Which checkpoint is named in the place of one that is refused, and what is said about a damaged one.
import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { talk } from "../documents/scene.ts";
import { bin, cliEnvironment, expectExit } from "../support/cli.ts";
import { deleteObject } from "../support/damage.ts";
import { field, items, text } from "../support/json.ts";
import { runCommand } from "../support/run-command.ts";
import { withSeed } from "./project.ts";

test("[R26] the last valid checkpoint that is named has neither expired nor is it known to be damaged", () =>
  withSeed(async (project) => {
    const { repo } = project;
    const good = await project.create();
    const expired = await project.createExpired();
    await repo.write("big.bin", randomBytes(4000));
    const damaged = await project.create();
    await deleteObject(
      repo,
      (await repo.store("rev-parse", `refs/waymark/cp/${damaged}:worktree/big.bin`)).trim(),
    );
    await repo.write("big.bin", "so that it has to be read\n");
    const validation = await project.run("validate");
    expectExit(validation, 4);
    expect(text(validation.json, "last_valid")).toBe(good);
    const doctor = await project.run("doctor");
    expectExit(doctor, 1);
    expect(doctor.stdout.toString()).toContain(`checkpoint ${damaged} is damaged`);
    for (const id of [expired, damaged]) {
      const refused = await project.run("rollback", id, "--yes");
      expectExit(refused, 4);
      expect(text(refused.json, "error", "hint")).toContain(`waymark rollback ${good}`);
    }
  }));

test("[R26] the latest one is not passed over when its document cannot be read", () =>
  withSeed(async (project) => {
    const { repo } = project;
    await repo.write(
      "flow.yml",
      `name: f\nphases: [{name: a, modifies: true, breakpoint: true, run: 'true'}, {name: b, run: 'echo > later.txt'}]\n`,
    );
    expectExit(await project.run("run", "flow.yml"), 5);
    const good = text((await project.ok("show", "latest~1")).json, "checkpoint", "id");
    const damaged = text((await project.ok("show", "latest")).json, "checkpoint", "id");
    const ref = `refs/waymark/cp/${damaged}`;
    const commit = ["commit-tree", `${ref}^{tree}`, "-p", await repo.head(), "-m", "no document"];
    await repo.store("update-ref", ref, (await repo.store(...commit)).trim());
    await repo.write("a.txt", "work\n");
    for (const selector of ["latest", "latest~1", "1"]) {
      const refused = await project.run("rollback", selector, "--yes");
      expectExit(refused, 4);
      expect(text(refused.json, "error", "message")).toContain(`checkpoint ${damaged} is damaged`);
      expect(text(refused.json, "error", "hint")).toContain(`waymark rollback ${good}`);
    }
    expectExit(await project.run("show"), 4);
    expectExit(await project.run("resume", "--yes"), 4);
    expect(await repo.exists("later.txt")).toBe(false);
    await project.ok("delete", "latest", "--yes");
    await project.ok("rollback", "latest", "--yes");
  }));

test("[R26] validate, rollback and resume name the same one, also beside checkpoints of other sessions", () =>
  withSeed(async (project) => {
    const { repo } = project;
    await project.create("-m", "of the work tree");
    const phases = ["a", "b"].map(
      (name) => `{name: ${name}, modifies: true, breakpoint: true, run: 'date +%N > ${name}.txt'}`,
    );
    await repo.write(
      "flow.yml",
      `name: f\nphases: [${phases.join(", ")}, {name: c, run: 'true'}]\n`,
    );
    expectExit(await project.run("run", "flow.yml"), 5);
    expectExit(await project.run("resume"), 5);
    const [damaged] = items((await project.ok("list", "-n", "1")).json, "checkpoints");
    const id = text(damaged, "id");
    const blob = await repo.store("rev-parse", `refs/waymark/cp/${id}:worktree/b.txt`);
    await deleteObject(repo, blob.trim());
    await repo.write("b.txt", "so that it has to be read\n");
    const validation = await project.run("validate");
    const good = text(validation.json, "last_valid");
    expect(good).not.toBe(id);
    const refused = await project.run("rollback", id, "--yes");
    expect(text(refused.json, "error", "hint")).toContain(`waymark rollback ${good}`);
    const resume = await project.run("resume", "--dry-run");
    const finding = items(resume.json, "findings").find(
      (each) => text(each, "kind") === "checkpoint_damaged",
    );
    expect(text(finding, "details", "last_valid")).toBe(good);
  }));

test("[R26] resume names the last valid one also where no node would run again", () =>
  withSeed(async (project) => {
    const { repo } = project;
    await project.ok("session", "start", "--type", "t");
    await project.ok("session", "save", "--phase", "plan");
    const good = await project.create();
    await repo.write("big.bin", randomBytes(4000));
    const damaged = await project.create();
    await deleteObject(
      repo,
      (await repo.store("rev-parse", `refs/waymark/cp/${damaged}:worktree/big.bin`)).trim(),
    );
    await repo.write("big.bin", "so that it has to be read\n");
    const { stdout } = await talk(project, "resume", "--dry-run");
    expect(stdout).toContain(`the last valid checkpoint is ${good}\n`);
    expect(stdout).not.toContain("from there");
  }));

test("[R26] a checkpoint that was found damaged is called so wherever it is shown", () =>
  withSeed(async (project) => {
    const { repo } = project;
    await repo.write("big.bin", randomBytes(4000));
    const id = await project.create();
    await deleteObject(
      repo,
      (await repo.store("rev-parse", `refs/waymark/cp/${id}:worktree/big.bin`)).trim(),
    );
    expectExit(await project.run("validate"), 4);
    const shown = field((await project.ok("show", id)).json, "checkpoint");
    const [listed] = items((await project.ok("list")).json, "checkpoints");
    for (const document of [shown, listed]) {
      expect(document).toMatchObject({
        valid: false,
        damaged: true,
        problem: expect.stringContaining("is missing"),
        corrupted_at: expect.stringMatching(/^\d{4}-/),
      });
    }
    const page = await runCommand(process.execPath, [bin, "-C", repo.root, "show", id], {
      env: cliEnvironment(repo.env),
    });
    expect(page.stdout.toString()).toMatch(/status +damaged \(found .*is missing/);
  }));

test("[R26] a checkpoint whose commit is missing is damaged, not deleted", () =>
  withSeed(async (project) => {
    const { repo } = project;
    const good = await project.create();
    const id = await project.create();
    await deleteObject(repo, (await repo.store("rev-parse", `refs/waymark/cp/${id}`)).trim());
    const refused = await project.run("rollback", id, "--yes");
    expectExit(refused, 4);
    expect(text(refused.json, "error", "hint")).toContain(good);
  }));

test("[R26] a checkpoint of a newer Waymark is not called damaged, and the way on is to update", () =>
  withSeed(async (project) => {
    const { repo } = project;
    const id = await project.create();
    const ref = `refs/waymark/cp/${id}`;
    const message = (await repo.store("log", "-1", "--format=%B", ref)).replace(
      /"schema_version": ?1/,
      '"schema_version":99',
    );
    const newer = await repo.storeWithInput(message, "commit-tree", `${ref}^{tree}`);
    await repo.store("update-ref", ref, newer.trim());
    const validation = await project.run("validate");
    expectExit(validation, 4);
    expect(validation.json).toMatchObject({
      valid: 0,
      invalid: 0,
      newer: 1,
      checkpoints: [
        {
          newer: true,
          problems: ["written by a newer Waymark (format 99): update Waymark to use it"],
        },
      ],
      ways_on: [],
    });
    expect((await project.ok("status")).json).toMatchObject({ damaged: 0, newer: 1 });
  }));
