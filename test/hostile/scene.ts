/** An honest archive to change for the worse, and a project that must not be changed by it. */
import { createHash } from "node:crypto";
import { lstat, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "vitest";
import { type CliResult, errorMessage, expectExit, waymark } from "../support/cli.ts";
import { text } from "../support/json.ts";
import { makeDirty, seedRepository } from "../support/seed-repository.ts";
import { type TempRepository, withTempProject } from "../support/temp-repository.ts";
import { Workshop } from "./workshop.ts";

export interface HostileScene {
  readonly repo: TempRepository;
  /** The project that imports. */
  readonly victim: TempRepository;
  /** The honest archive. */
  readonly good: Buffer;
  readonly workshop: Workshop;
  /** Imports these bytes. */
  readonly importBytes: (bytes: Buffer, ...args: readonly string[]) => Promise<CliResult>;
  readonly importFile: (file: string, ...args: readonly string[]) => Promise<CliResult>;
  /** Refused with this exit code and these words, and nothing was changed. */
  readonly expectRefused: (result: CliResult, words: RegExp, code?: number) => Promise<void>;
}

/** One scene for many archives: a refused one changes nothing. */
export async function withHostileScene(
  body: (scene: HostileScene) => Promise<void>,
  /** Files to be there, and what `create` is told of them. */
  prepare: (repo: TempRepository) => Promise<readonly string[]> = () => Promise.resolve([]),
): Promise<void> {
  await withTempProject(async (repo) => {
    await repo.git("init", "-q", "-b", "main");
    await seedRepository(repo);
    await makeDirty(repo);
    await repo.write("Xgit/hook", "not yet hostile\n");
    await repo.git("add", "Xgit/hook");
    const run = (root: string, ...args: readonly string[]): Promise<CliResult> =>
      waymark(root, args, { env: repo.env });
    const more = await prepare(repo);
    expectExit(await run(repo.root, "create", "-m", "to be exported", ...more), 0);
    const exported = await run(repo.root, "export", "-o", join(repo.base, "good.bundle"));
    expectExit(exported, 0);
    const victim = repo.at("victim");
    await repo.git("init", "-q", "-b", "main", victim.root);
    await victim.write("mine.txt", "mine\n");
    await victim.git("add", "-A");
    await victim.commit("mine");
    await victim.write("mine.txt", "mine, changed\n");
    expectExit(await run(victim.root, "create"), 0);
    const before = await everyFile(victim.root);
    const file = join(repo.base, "hostile.bundle");
    const importFile = (path: string, ...args: readonly string[]): Promise<CliResult> =>
      run(victim.root, "import", path, ...args);
    await body({
      repo,
      victim,
      good: await readFile(text(exported.json, "file")),
      workshop: await Workshop.of(repo, join(repo.base, "good.bundle")),
      importFile,
      importBytes: async (bytes, ...args) => {
        await writeFile(file, bytes);
        return importFile(file, ...args);
      },
      expectRefused: async (result, words, code = 4) => {
        expectExit(result, code);
        expect(errorMessage(result)).toMatch(words);
        expect(await everyFile(victim.root)).toEqual(before);
      },
    });
  });
}

/** Every file below a folder, git's own too, with its bytes: nothing may come, go or change but the audit log. */
export async function everyFile(root: string): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const name of await readdir(root, { recursive: true })) {
    if (name === join(".git", "waymark", "audit.log")) continue;
    const path = join(root, name);
    const stat = await lstat(path);
    if (stat.isFile()) {
      found.set(
        name,
        createHash("sha256")
          .update(await readFile(path))
          .digest("hex"),
      );
    } else if (!stat.isDirectory()) {
      found.set(name, "special");
    }
  }
  return found;
}
