/** A process that may open hardly any files. */
import { expect, it } from "vitest";
import { withSeed } from "../spec/project.ts";
import { waymarkShellCommand } from "../support/cli.ts";
import { runCommand } from "../support/run-command.ts";

const MAX_LIMIT = 100;

it("a create that cannot start git says so, and signals no other process of its group", async () => {
  await withSeed(async ({ repo }) => {
    const create = waymarkShellCommand("-C", repo.root, "create", "--force");
    const limited = (limit: number) =>
      runCommand("sh", ["-c", `ulimit -n ${limit}; ${create}; echo "exit $?"`], { env: repo.env });
    const messages: string[] = [];
    for (let limit = 20; limit < MAX_LIMIT; limit += 2) {
      const { signal, stdout, stderr } = await limited(limit);
      expect({ limit, signal }).toEqual({ limit, signal: null });
      messages.push(stderr);
      if (stdout.toString().endsWith("exit 0\n")) break;
    }
    expect(messages).toContainEqual(expect.stringContaining("too many open files"));
    expect(messages.length).toBeLessThan((MAX_LIMIT - 20) / 2);
  });
});
