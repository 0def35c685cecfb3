// Gets the templates of common frameworks from npm into node_modules/.cache: more than a thousand ordinary files of real projects, which no rule
// about secrets may keep out of a checkpoint. They are other people's work, so they are in no repository of ours.
//
//   node scripts/test-templates.mjs
//
// Where they cannot be had it says so; the test that needs them is skipped then.
// WAYMARK_TEST_NO_INSTALL=1: only look.

import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const PACKAGES = [
  "@nestjs/schematics@12.0.6",
  "@react-native-community/template@0.87.2",
  "@schematics/angular@22.2.7",
  "cra-template-typescript@1.3.0",
  "cra-template@1.3.0",
  "create-next-app@16.4.3",
  "create-redwood-app@8.9.0",
  "create-t3-app@7.40.0",
  "create-vite@9.3.0",
  "create-vue@3.24.0",
  "express-generator@4.16.1",
  "fastify-cli@8.0.2",
  "gatsby-starter-default@1.0.0",
  "sv@0.17.1",
];
const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");
// Raised with every change of the list.
const LIST = 1;

/** One folder for each package. */
export const templatesFolder = join(root, "node_modules/.cache/templates", String(LIST));

export function hasTemplates() {
  return existsSync(templatesFolder) && readdirSync(templatesFolder).length === PACKAGES.length;
}

function get() {
  console.error(
    "tests: getting templates from npm (WAYMARK_TEST_NO_INSTALL=1 to skip their test instead)",
  );
  const part = `${templatesFolder}.${process.pid}`;
  mkdirSync(join(part, "packed"), { recursive: true });
  try {
    const words = [
      "pack",
      "--silent",
      "--prefer-offline",
      "--fetch-retries=1",
      "--pack-destination",
      "packed",
    ];
    // A network that does not answer must not hold up all other tests.
    /** @type {import("node:child_process").SpawnSyncOptions} */
    const options = { cwd: part, stdio: "ignore", timeout: 120_000 };
    if (spawnSync("npm", [...words, ...PACKAGES], options).status !== 0) return;
    for (const name of readdirSync(join(part, "packed"))) {
      const to = join(part, "all", name.replace(/\.tgz$/, ""));
      mkdirSync(to, { recursive: true });
      const args = ["-xzf", join(part, "packed", name), "-C", to, "--strip-components=1"];
      if (spawnSync("tar", args, { stdio: "ignore" }).status !== 0) return;
    }
    rmSync(templatesFolder, { recursive: true, force: true });
    renameSync(join(part, "all"), templatesFolder);
  } finally {
    rmSync(part, { recursive: true, force: true });
  }
}

export function getTemplates() {
  if (!hasTemplates() && process.env.WAYMARK_TEST_NO_INSTALL === undefined) get();
  if (!hasTemplates()) console.error("tests: without templates from npm their test is skipped");
}

if (process.argv[1] === fileURLToPath(import.meta.url)) getTemplates();
