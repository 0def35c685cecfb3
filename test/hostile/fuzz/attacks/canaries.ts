/** Hooks, filters and commands in the settings of a repository: none of them is run, whatever command is used. */
import { rm, utimes } from "node:fs/promises";
import { AGENTS } from "../../../../src/domain/agents/agents.ts";
import { installCanaries } from "../../../states/canaries.ts";
import { runCommand } from "../../../support/run-command.ts";
import { cliEnvironment, waymarkArguments } from "../../../support/cli.ts";
import { withRawServer } from "../../../mcp/raw-server.ts";
import type { Attack, Prepared } from "../attack.ts";
import { type Recorded, recordedPayloads } from "../recorded-payloads.ts";
import { complaints } from "../in-process.ts";
import { type FuzzScene } from "../scene.ts";

/** What changes and what looks, the newer commands too. `true` is a command of the user's, which does run. */
const COMMANDS: readonly (readonly string[])[] = [
  ["create", "--force", "-m", "canary"],
  ["create", "--scope", "dir", "-m", "canary"],
  ["list", "--all"],
  ["show", "latest"],
  ["validate"],
  ["log"],
  ["doctor"],
  ["config"],
  ["diff", "FIRST", "latest"],
  ["diff", "FIRST", "latest", "--patch"],
  ["rollback", "FIRST", "--dry-run"],
  ["rollback", "FIRST", "--yes", "--discard-commits"],
  ["undo", "--yes"],
  ["redo", "--yes"],
  ["rollback", "FIRST", "--yes", "--paths", "a.txt"],
  ["rollback", "--only-session", "s1", "--yes"],
  ["pin", "FIRST"],
  ["unpin", "FIRST"],
  ["stash", "FIRST"],
  ["export", "-o", "OUT", "FIRST"],
  ["import", "OUT"],
  ["rebuild", "FIRST"],
  ["cleanup", "--dry-run"],
  ["session", "list"],
  ["session", "start", "--type", "canary"],
  ["phase", "canary", "--", "true"],
  ["guard", "--verify", "true", "--", "true"],
  ["guard", "--verify", "false", "--", "true"],
  ["session", "pause"],
  ["session", "complete"],
  ["resume", "--dry-run"],
  ["recover"],
  ["delete", "FIRST", "--yes", "--force"],
  ["delete", "--undo", "FIRST"],
];

export const canaries: Attack = {
  id: "canaries",
  what: "hooks, filters, pagers, editors, helpers and aliases of a repository against every command, hooks of agents and the MCP server",
  weight: 3,
  async prepare(scene): Promise<Prepared> {
    const { repo } = scene;
    await repo.write(".gitattributes", "* filter=canary diff=canary merge=canary\n");
    const soon = Date.now() / 1000 + 3600;
    await utimes(repo.path(".gitattributes"), soon, soon);
    await repo.git("add", "-A");
    await repo.commit("attributes before the filter exists");
    const { sang, count } = await installCanaries(repo);
    const out = `${repo.base}/out.bundle`;
    const word = (given: string): string => ({ FIRST: scene.ids[0], OUT: out })[given] ?? given;
    const calls = recordedPayloads().filter(({ event }) => event.moment === "pre_tool");
    let others = 0;
    return {
      async attempt(dice, number) {
        const wrong: string[] = [];
        let what = "";
        if (number % (COMMANDS.length + 2) < COMMANDS.length) {
          const args = (COMMANDS[number % (COMMANDS.length + 2)] ?? []).map(word);
          if (args[0] === "export") await rm(out, { force: true });
          await repo.write("a.txt", `canary ${number}\n`);
          const called = await scene.run(...args);
          wrong.push(...complaints(called).filter((line) => !line.includes("no document")));
          what = args.join(" ");
        } else if (number % 2 === 0) {
          const agent = dice.one(AGENTS);
          what = `hook of ${agent}`;
          const found = await callHook(
            scene,
            dice.one(calls.filter((one) => one.event.agent === agent)),
          );
          wrong.push(...found.map((line) => `${what}: ${line}`));
        } else {
          what = "mcp";
          await withRawServer(repo, [], async (server) => {
            await server.initialize();
            const params = { name: "create_checkpoint", arguments: { reason: "canary" } };
            server.send({ id: "c", method: "tools/call", params });
            await server.answerTo("c");
          });
        }
        others += 1;
        const singing = await sang();
        return [...wrong, ...singing.map((canary) => `${what}: ${canary} was run`)];
      },
      detail: () => `${count} canaries against each of ${others} commands`,
    };
  },
};

/** As the agent does it, by the built command. No tool call is stopped, and nothing is said: what is wrong otherwise. */
async function callHook(
  { repo }: FuzzScene,
  { arguments: words, env, payload }: Recorded,
): Promise<string[]> {
  const here = (text: string): string => text.replaceAll("/home/you/project", repo.root);
  const args = ["hook", ...words.filter((word) => word !== undefined)];
  const { code, stdout, stderr } = await runCommand(
    process.execPath,
    waymarkArguments(repo.root, ...args),
    {
      env: cliEnvironment({ ...repo.env, ...(JSON.parse(here(JSON.stringify(env))) as object) }),
      cwd: repo.root,
      input: here(JSON.stringify(payload)),
    },
  );
  const said = stdout.toString("utf8").trim();
  return [
    ...(code === 0 ? [] : [`exit code ${code}: ${stderr.slice(0, 500)}`]),
    ...(said === "" || said === "{}" ? [] : [`says ${said.slice(0, 300)}`]),
  ];
}
