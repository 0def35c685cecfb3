/** States that come through a pipe: they are read once, and no path of theirs is remembered. */
import { describe, expect, it } from "vitest";
import { waymarkShellCommand } from "../support/cli.ts";
import { field, items } from "../support/json.ts";
import { runCommand } from "../support/run-command.ts";
import { withSeed } from "../spec/project.ts";

const STATE = `'{"k":1}'`;

/** As a shell makes them of `<(command)`, and of text in a script. */
const STREAMS: readonly (readonly [string, (create: string) => string])[] = [
  ["an open pipe", (create) => `echo ${STATE} | ${create} --state /dev/fd/3 3<&0`],
  [
    "an open file that has no name any more",
    (create) => `echo ${STATE} > ../f; exec 3< ../f; rm ../f; ${create} --state /dev/fd/3`,
  ],
];

describe("a state from a stream", () => {
  it.each(STREAMS)("[R73] is held without a path: %s", async (_what, line) => {
    await withSeed(async ({ repo }) => {
      const create = waymarkShellCommand("create", "--json");
      const { stdout } = await runCommand("sh", ["-c", line(create)], {
        cwd: repo.root,
        env: repo.env,
      });
      const [part] = items(JSON.parse(stdout.toString("utf8")), "checkpoint", "parts").filter(
        (one) => field(one, "type") === "state_snapshot",
      );
      expect(items(part, "documents")).toMatchObject([{ name: "state", path: null, bytes: 13 }]);
    });
  });
});

it("[R73] a pipe in the file system is no file: nobody may ever write to it", async () => {
  await withSeed(async ({ repo }) => {
    const line = `mkfifo ../p; ${waymarkShellCommand("create", "--json")} --state ../p`;
    const { code } = await runCommand("sh", ["-c", line], { cwd: repo.root, env: repo.env });
    expect(code).toBe(2);
  });
});
