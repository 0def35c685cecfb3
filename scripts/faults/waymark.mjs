// The command line of the program under test, as far as the harness uses it.
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { run } from "./process.mjs";

export const DEFAULT_BIN = fileURLToPath(new URL("../../dist/bin.cjs", import.meta.url));

/** @param {string} bin @returns {string | undefined} why it cannot be tried */
export function missingProgram(bin) {
  return existsSync(bin)
    ? undefined
    : `${bin} is not there: run \`npm run build\` first, or name another one with --bin`;
}

/** @typedef {{ bin: string, place: import("./fingerprint.mjs").Place }} Subject */

/** @param {Subject} subject @param {readonly string[]} args @returns {string[]} */
export const waymarkCommand = ({ bin, place }, args) => [
  process.execPath,
  bin,
  "-C",
  place.project,
  ...args,
];

/** The commands that faults are injected into. */
export const commandLines = {
  /** @param {readonly string[]} [besides] what the checkpoint is to hold besides */
  create: (besides = []) => ["create", "--force", "-m", "probe", "--json", ...besides],
  /** @param {string} id */
  rollback: (id) => ["rollback", id, "--yes", "--discard-commits", "--json"],
  undo: () => ["undo", "--yes", "--json"],
  redo: () => ["redo", "--yes", "--discard-commits", "--json"],
  recover: () => ["recover", "--json"],
};

/**
 * What an agent says to its hook before it writes a file.
 * @param {import("./fingerprint.mjs").Place} place @param {string} session @param {string} call @param {string} path
 */
export const agentPayload = (place, session, call, path) =>
  JSON.stringify({
    session_id: session,
    cwd: place.project,
    hook_event_name: "PreToolUse",
    tool_name: "Write",
    tool_use_id: call,
    tool_input: { file_path: `${place.project}/${path}`, content: "" },
  });

/**
 * The whole command line of what a fault is injected into. `stash` is git's own, to compare with.
 * @param {import("./fixtures.mjs").Command} command @param {{ subject: Subject, args: readonly string[] }} from
 * @returns {string[]}
 */
export function commandUnderTest(command, { subject, args }) {
  if (command === "stash")
    return [
      "git",
      "-c",
      "user.name=Fixture",
      "-c",
      "user.email=fixture@example.invalid",
      "stash",
      "push",
      "-u",
      "-q",
    ];
  return waymarkCommand(subject, args);
}

/**
 * Runs it without faults.
 * @param {Subject} subject @param {readonly string[]} args @param {string} [input]
 */
export async function waymark(subject, args, input) {
  const [node = "", ...rest] = waymarkCommand(subject, args);
  const { project, env } = subject.place;
  const result = await run(node, rest, {
    cwd: project,
    env,
    ...(input !== undefined && { input }),
  });
  return { ...result, document: parseDocument(result.stdout) };
}

/** @param {Buffer} stdout @returns {any} undefined when it is not one JSON document */
export function parseDocument(stdout) {
  try {
    return JSON.parse(stdout.toString());
  } catch {
    return undefined;
  }
}

/** @param {{ code: number, stdout: Buffer, stderr: string }} result */
export function said({ code, stdout, stderr }) {
  const error = parseDocument(stdout)?.error;
  const text = error
    ? `${error.code}: ${error.message}`
    : stderr.trim() || stdout.toString().trim();
  return `exit ${code}: ${text.slice(0, 400)}`;
}

/** @type {Map<string, Promise<boolean>>} */
const offered = new Map();

/**
 * @param {Subject} subject @param {string} command @returns {Promise<boolean>} whether the program has this command
 */
export function offers(subject, command) {
  const key = `${subject.bin} ${command}`;
  const known =
    offered.get(key) ??
    waymark(subject, ["--help"]).then(({ stdout }) =>
      new RegExp(`^ +${command}\\b`, "m").test(stdout.toString()),
    );
  offered.set(key, known);
  return known;
}
