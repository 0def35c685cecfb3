// Gives every test the same environment: no git settings of the person or job that runs them, nothing of an earlier build, a
// folder for temporary files, and in it the repository that most tests start from a copy of.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { seedRepository } from "./seed-repository.ts";
import { TempRepository } from "./temp-repository.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const GIT_CONFIG = `[user]
	name = Test User
	email = test@example.com
[init]
	defaultBranch = main
`;

/** Vitest calls this once, before it starts the workers, which inherit the environment. */
export async function setup(): Promise<() => void> {
  for (const name of Object.keys(process.env)) {
    // NODE_EXTRA_CA_CERTS costs about 50 ms at every start of Node 20.
    // WAYMARK_MODEL_*, WAYMARK_HOSTILE_* and WAYMARK_TEST_* are for the tests themselves: runs, seed, folders.
    if (/^(GIT_|WAYMARK_(?!MODEL_|HOSTILE_|TEST_))/.test(name) || name === "NODE_EXTRA_CA_CERTS") {
      delete process.env[name];
    }
  }
  // What compile-cache.cjs kept of an earlier build.
  try {
    rmSync("node_modules/.cache/waymark-tests", { recursive: true, force: true });
  } catch {
    // Another run of the tests is at work with it.
  }
  const folder = temporaryFolder();
  process.env["TMPDIR"] = folder;
  const home = mkdtempSync(join(folder, "home-"));
  const gitConfig = join(home, ".gitconfig");
  writeFileSync(gitConfig, GIT_CONFIG);

  // HOME too: code under test that drops GIT_* must not fall back to the user's own files, and git
  // reads $XDG_CONFIG_HOME/git/ignore and attributes whatever GIT_CONFIG_GLOBAL says.
  process.env["HOME"] = home;
  process.env["XDG_CONFIG_HOME"] = join(home, ".config");
  process.env["XDG_CACHE_HOME"] = join(home, ".cache");
  process.env["GIT_CONFIG_GLOBAL"] = gitConfig;
  process.env["GIT_CONFIG_NOSYSTEM"] = "1";

  process.env["WAYMARK_TEST_SEEDED"] = await makeSeed(folder);
  return () => {
    const unwanted = process.env["WAYMARK_TEST_KEEP"] === undefined ? folder : home;
    try {
      rmSync(unwanted, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
    } catch {
      // A process that is just ending still writes there; the next run removes what is left.
    }
  };
}

async function makeSeed(folder: string): Promise<string> {
  const base = mkdtempSync(join(folder, "seed-"));
  const repo = new TempRepository(base, join(base, "project"));
  mkdirSync(repo.root);
  mkdirSync(repo.home);
  await repo.git("init", "-q", "-b", "main");
  await seedRepository(repo);
  return repo.root;
}
