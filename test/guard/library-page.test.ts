/** The example of docs/library.md, run as a program of its own. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { withSeed } from "../spec/project.ts";
import { runCommand } from "../support/run-command.ts";

const ROOT = new URL("../../", import.meta.url);

it("the example of docs/library.md does what the page says", async () => {
  const page = await readFile(new URL("docs/library.md", ROOT), "utf8");
  const [, example = ""] = /```js\n(.*?)```/s.exec(page) ?? [];
  const library = JSON.stringify(new URL("dist/index.js", ROOT).href);
  await withSeed(async ({ repo }) => {
    const file = join(repo.base, "example.mjs");
    await writeFile(file, example.replace('"waymark"', library));
    const result = await runCommand(process.execPath, [file], { cwd: repo.root, env: repo.env });
    expect(result.stderr).toBe("");
    expect(result.stdout.toString()).toMatch(/^1 is in cp-\S+\n2 passed\n$/);
    expect((await repo.read("settings.json")).toString()).toBe('{ "fine": true }');
  });
});
