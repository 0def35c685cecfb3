/** A program that forgets to close its project must still end. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { withDirty } from "../spec/project.ts";
import { cliEnvironment } from "../support/cli.ts";
import { runCommand } from "../support/run-command.ts";

const library = new URL("../../dist/index.js", import.meta.url).href;

describe("the library", () => {
  it("does not keep a program alive that forgot to close its project", async () => {
    await withDirty(async ({ repo }) => {
      const script = join(repo.base, "program.mjs");
      await writeFile(
        script,
        `import { createCheckpoint, listCheckpoints, openProject } from ${JSON.stringify(library)};
const project = await openProject({ directory: process.argv[2] });
await createCheckpoint(project, {});
await new Promise((resolve) => setTimeout(resolve, 50));
console.log((await listCheckpoints(project, {})).checkpoints.length);
await createCheckpoint(project, { force: true });
console.log((await listCheckpoints(project, {})).checkpoints.length);
`,
      );
      const result = await runCommand(process.execPath, [script, repo.root], {
        env: cliEnvironment(repo.env),
        timeoutMs: 20_000,
      });
      expect(result).toMatchObject({ code: 0, timedOut: false });
      expect(result.stdout.toString("utf8")).toBe("1\n2\n");
    });
  });
});
