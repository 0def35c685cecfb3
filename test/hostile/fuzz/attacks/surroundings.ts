/** No network, and nobody else may read what is private. */
import { existsSync, lstatSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { cliEnvironment, waymarkArguments } from "../../../support/cli.ts";
import { hasProgram } from "../../../support/find-program.ts";
import { runCommand } from "../../../support/run-command.ts";
import type { Attack, Prepared } from "../attack.ts";
import { complaints } from "../in-process.ts";

const COMMANDS: readonly (readonly string[])[] = [
  ["create", "--force", "-m", "network"],
  ["list", "--all"],
  ["rollback", "latest", "--yes"],
  ["undo", "--yes"],
  ["validate"],
  ["doctor"],
];

export const network: Attack = {
  id: "network",
  what: "connect() in create, list, rollback, undo, validate and doctor, children too",
  weight: 30,
  async prepare(scene): Promise<Prepared> {
    const { repo } = scene;
    await repo.git("config", "remote.origin.url", "https://example.invalid/repository");
    await repo.git("config", "remote.origin.promisor", "true");
    return {
      async attempt(_dice, number) {
        if (!hasProgram("strace")) throw new Error("strace is not here");
        const args = COMMANDS[number % COMMANDS.length] ?? [];
        await repo.write("a.txt", `network ${number}\n`);
        const file = join(repo.base, "calls");
        const traced = ["-f", "-qq", "-e", "trace=connect,sendto", "-o", file, process.execPath];
        const result = await runCommand(
          "strace",
          [...traced, ...waymarkArguments(repo.root, ...args, "--json")],
          { env: cliEnvironment(repo.env), cwd: repo.root },
        );
        const calls = readFileSync(file, "utf8")
          .split("\n")
          .filter((line) => /(?:connect|sendto)\(/.test(line))
          // The C library asks for the user's name there; it is on this machine.
          .filter((line) => !line.includes("/nscd/socket"));
        rmSync(file);
        return [
          ...(result.code === 0 ? [] : [`${args.join(" ")} ended with ${result.code}`]),
          ...calls.map((line) => `${args.join(" ")}: ${line}`),
        ];
      },
    };
  },
};

export const permissions: Attack = {
  id: "permissions",
  what: "files and folders of Waymark's own that anybody else could read, after work of every kind under a generous umask",
  weight: 20,
  umask: 0,
  async prepare(scene): Promise<Prepared> {
    const { repo } = scene;
    let looked = 0;
    return {
      async attempt(_dice, number) {
        await repo.write("i.log", `${number}\n`);
        await repo.write("a.txt", `private ${number}\n`);
        const commands: readonly (readonly string[])[] = [
          ["create", "--force", "-m", "private", "--scope", "."],
          ["rollback", scene.ids[0], "--yes"],
          ["undo", "--yes"],
          ["export"],
          ["session", "start", "--type", "private"],
          ["phase", "private", "--", "true"],
          ["delete", "--yes", "--force", scene.ids[1]],
          ["delete", "--undo", scene.ids[1]],
        ];
        const wrong = complaints(await scene.run(...(commands[number % commands.length] ?? [])));
        const ours = [".git/waymark", ".checkpoints"]
          .map((name) => join(repo.root, name))
          .filter((folder) => existsSync(folder))
          .flatMap((folder) => [folder, ...below(folder)]);
        looked += ours.length;
        return [
          ...wrong,
          ...ours
            // What was moved aside keeps the mode that its owner gave it, in a folder of ours.
            .filter((path) => (lstatSync(path).mode & 0o077) !== 0 && !path.includes("/aside/"))
            .map((path) => `${path.slice(repo.root.length)} may be read by others`),
        ];
      },
      detail: () => `${looked} files and folders looked at`,
    };
  },
};

function below(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true }).map((entry) =>
    join(entry.parentPath, entry.name),
  );
}
