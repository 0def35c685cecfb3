// Gets the tools that Waymark is measured against, from npm and Debian, into the cache that the tests with real agents have. What cannot be had is a line in
// the notes. WAYMARK_TEST_NO_INSTALL=1: use only what is there.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { agentCommand, installAgent, problemWith } from "../agent-packages.mjs";
import { isThere } from "../debian-packages.mjs";
import { cacheFolder, installPackages } from "../npm-cache.mjs";

/** @typedef {readonly [string, ...string[]]} Command */
/** @typedef {{ kind: "ready", command: Command, version: string } | { kind: "missing", reason: string }} Found */

const GEMINI_VERSION = "0.61.0";
const CCHECKPOINT_VERSION = "1.0.1";

const mayInstall = () => process.env.WAYMARK_TEST_NO_INSTALL === undefined;

/** @param {string} folder @param {string} name of the package @param {string} version @param {string} file in it @returns {Found} */
function fromNpm(folder, name, version, file) {
  const path = join(cacheFolder(folder), "node_modules", name, file);
  if (!existsSync(path)) {
    if (!mayInstall()) return { kind: "missing", reason: "it is not installed" };
    const problem = installPackages(folder, [`${name}@${version}`]);
    if (problem !== undefined) return { kind: "missing", reason: problem };
  }
  return { kind: "ready", command: [path], version };
}

/** The folder of the package. */
export const getGeminiCore = () =>
  fromNpm("gemini-core", "@google/gemini-cli-core", GEMINI_VERSION, ".");

export const getCcheckpoint = () =>
  fromNpm("ccheckpoint", "ccheckpoint", CCHECKPOINT_VERSION, "dist/cli.js");

/** @returns {Found} */
export function getOpencode() {
  if (problemWith("opencode") !== undefined && mayInstall()) installAgent("opencode");
  const reason = problemWith("opencode");
  if (reason !== undefined) return { kind: "missing", reason };
  const command = agentCommand("opencode");
  return { kind: "ready", command, version: versionOf(command) ?? "" };
}

/** @returns {Found} */
export function getJujutsu() {
  const own = isThere("jj") ? versionOf(["jj"]) : undefined;
  if (own !== undefined) return { kind: "ready", command: ["jj"], version: own };
  const folder = join(cacheFolder("jj"));
  const problem = debianCommand(folder) === undefined ? fetchFromSid(folder) : undefined;
  const command = debianCommand(folder);
  const version = command === undefined ? undefined : versionOf(command);
  if (command === undefined || version === undefined)
    return { kind: "missing", reason: problem ?? "it does not start on this machine" };
  return { kind: "ready", command, version };
}

/** @param {Command} command */
function versionOf([program, ...args]) {
  // Some write to their home as soon as they start.
  const home = cacheFolder("home");
  mkdirSync(home, { recursive: true });
  const env = { PATH: process.env.PATH, HOME: home, TMPDIR: home };
  const { status, stdout } = spawnSync(program, [...args, "--version"], { encoding: "utf8", env });
  return status === 0 ? (/\d+\.\d+\S*/.exec(stdout)?.[0] ?? "") : undefined;
}

/** What jj of Debian sid needs: it is built for a newer C library than most machines have, so it is started with its own. */
const SID_PACKAGES = ["jujutsu", "libc6", "libgcc-s1", "libmimalloc3"];

/** @param {string} folder @returns {Command | undefined} */
function debianCommand(folder) {
  const libraries = join(folder, "root/usr/lib");
  if (!existsSync(libraries)) return undefined;
  for (const name of readdirSync(libraries)) {
    const loader = ["ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"]
      .map((file) => join(libraries, name, file))
      .find((file) => existsSync(file));
    if (loader !== undefined)
      return [loader, "--library-path", join(libraries, name), join(folder, "root/usr/bin/jj")];
  }
  return undefined;
}

/**
 * By apt with lists and a cache of its own, so that it checks signatures and the machine's own apt knows nothing of sid.
 * @param {string} folder
 * @returns {string | undefined} why it did not work
 */
function fetchFromSid(folder) {
  const keyring = "/usr/share/keyrings/debian-archive-keyring.gpg";
  if (!mayInstall()) return "it is not installed";
  if (!isThere("apt-get") || !isThere("dpkg-deb") || !existsSync(keyring))
    return "it is not installed, and this is no Debian to get it from";
  mkdirSync(join(folder, "state/lists/partial"), { recursive: true });
  mkdirSync(join(folder, "cache/archives/partial"), { recursive: true });
  const list = join(folder, "sid.list");
  writeFileSync(list, `deb [signed-by=${keyring}] http://deb.debian.org/debian sid main\n`);
  const options = [
    `Dir::Etc::sourcelist=${list}`,
    "Dir::Etc::sourceparts=/dev/null",
    `Dir::State=${join(folder, "state")}`,
    "Dir::State::status=/dev/null",
    `Dir::Cache=${join(folder, "cache")}`,
    "Acquire::Languages=none",
    "APT::Sandbox::User=root",
  ].flatMap((option) => ["-o", option]);
  for (const words of [["update"], ["download", ...SID_PACKAGES]]) {
    const { status, stderr } = spawnSync("apt-get", [...options, ...words], {
      cwd: folder,
      encoding: "utf8",
      timeout: 300_000,
    });
    if (status !== 0) return stderr?.trim().split("\n")[0] ?? "apt-get failed";
  }
  for (const name of readdirSync(folder).filter((file) => file.endsWith(".deb")))
    spawnSync("dpkg-deb", ["-x", join(folder, name), join(folder, "root")]);
  return undefined;
}
