/** Names and words from the repository are data: none of them says anything to the terminal. */
import { describe, expect, it } from "vitest";
import { cliEnvironment, waymarkArguments } from "../support/cli.ts";
import { runCommand } from "../support/run-command.ts";
import { withDirty } from "../spec/project.ts";

const HOSTILE = "a\u001B]0;pwned\u0007\u001B[2Jb\u202Ec\rd\u009B31m";

const COMMANDS: readonly (readonly string[])[] = [
  ["list"],
  ["list", "--all", "--stat"],
  ["show", "4"],
  ["log", "--all"],
  ["diff", "4"],
  ["diff", "4", "5"],
  ["rollback", "4", "--dry-run"],
  ["rollback", "4"],
  ["rollback", HOSTILE],
  ["rollback", "4", "--yes", "--discard-commits", "-m", HOSTILE],
  ["undo", "--yes", "-m", HOSTILE],
  ["validate"],
  ["pin", "4", "-m", HOSTILE],
  ["cleanup", "--dry-run", "--keep", "1"],
  ["delete", "5"],
  ["delete", "5", "--yes", "--force", "-m", HOSTILE],
  ["export"],
  ["stash", "4", "-m", HOSTILE],
  ["config"],
  ["doctor"],
  ["schema", HOSTILE],
  ["create", "--phase", HOSTILE, "--trigger", HOSTILE],
  [HOSTILE],
];

describe("hostile text", () => {
  it("does not reach the terminal by any command", async () => {
    await withDirty(async (project) => {
      const { repo } = project;
      const words = ["-m", HOSTILE, "--name", HOSTILE, "--description", HOSTILE, "--task", HOSTILE];
      await repo.write(`n\u001B[31m.txt`, "x\n");
      await repo.git("commit", "-q", "--allow-empty", "-m", HOSTILE);
      await project.create(
        "--step",
        "4",
        "--phase",
        HOSTILE,
        "--workflow-state",
        HOSTILE,
        ...words,
      );
      await repo.write("a.txt", "later\n");
      await repo.git("commit", "-q", "-am", HOSTILE);
      await project.create("--step", "5", ...words);
      await repo.write("waymark.yml", `retention:\n  "x\\e[31m": 1\n`);
      for (const args of COMMANDS) {
        const result = await runCommand(process.execPath, waymarkArguments(repo.root, ...args), {
          env: cliEnvironment(repo.env),
        });
        const said = result.stdout.toString("utf8") + result.stderr;
        expect(
          said.match(/(?![\n\t])[\p{Cc}\p{Bidi_Control}]/u),
          `${args.join(" ")}: ${said}`,
        ).toBeNull();
      }
    });
  });
});
