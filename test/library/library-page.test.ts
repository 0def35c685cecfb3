/** Every example of docs/library.md, run as a program of its own: it prints what the page says. */
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Client } from "pg";
import { beforeAll, describe, expect, it } from "vitest";
import { withSeed } from "../spec/project.ts";
import { startServer, whyNoServer } from "../support/database-servers.ts";
import { pageBlocks, withoutChance, type PageBlock } from "../support/page-blocks.ts";
import { runCommand } from "../support/run-command.ts";
import type { TempRepository } from "../support/temp-repository.ts";

const ROOT = new URL("../../", import.meta.url);

const blocks = await pageBlocks("docs/library.md");

function printed(example: PageBlock): string {
  const next = blocks[blocks.indexOf(example) + 1];
  if (next?.language !== "text") throw new Error(`nothing is said to be printed by the example`);
  return next.text;
}

async function run(
  repo: TempRepository,
  example: PageBlock,
  env: NodeJS.ProcessEnv = {},
): Promise<string> {
  await mkdir(join(repo.base, "node_modules"), { recursive: true });
  const packages = { waymark: "", pg: "node_modules/pg" };
  for (const [name, path] of Object.entries(packages)) {
    await symlink(fileURLToPath(new URL(path, ROOT)), join(repo.base, "node_modules", name));
  }
  const file = join(repo.base, "example.mjs");
  await writeFile(file, example.text);
  const result = await runCommand(process.execPath, [file], {
    cwd: repo.root,
    env: { ...repo.env, ...env },
  });
  expect(result).toMatchObject({ stderr: "", code: 0 });
  return result.stdout.toString();
}

const examples = blocks.filter(({ language }) => language === "js");
const ofServers = examples.filter(({ text }) => text.includes('from "pg"'));

describe("an example of docs/library.md prints what the page says", () => {
  it.each(examples.filter((example) => !ofServers.includes(example)))(
    "$heading",
    async (example) => {
      await withSeed(async ({ repo }) => {
        expect(withoutChance(await run(repo, example))).toBe(withoutChance(printed(example)));
      });
    },
  );

  describe.skipIf(whyNoServer("postgresql") !== undefined)("with PostgreSQL", () => {
    let env: NodeJS.ProcessEnv = {};
    beforeAll(async () => {
      const { port, user, password } = await startServer("postgresql");
      env = {
        PGHOST: "127.0.0.1",
        PGPORT: String(port),
        PGUSER: user,
        PGPASSWORD: password,
        PGDATABASE: "postgres",
      };
      const client = new Client({ host: "127.0.0.1", port, user, password, database: "postgres" });
      await client.connect();
      await client.query("DROP TABLE IF EXISTS orders");
      await client.query("CREATE TABLE orders AS SELECT generate_series(1, 2) AS id");
      await client.end();
    });

    it.each(ofServers)("$heading", async (example) => {
      await withSeed(async ({ repo }) => {
        expect(await run(repo, example, env)).toBe(printed(example));
      });
    });
  });
});
