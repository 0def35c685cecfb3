// Runs one command with one fault at one point, and collects what the fault's own command left as notes.
import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { runTraced } from "./killpoint.mjs";
import { must } from "./process.mjs";
import { note } from "./fixtures.mjs";
import { quote } from "./faults.mjs";
import { commandUnderTest, waymarkCommand } from "./waymark.mjs";

/**
 * @typedef {object} Injected
 * @property {import("./killpoint.mjs").TracedResult} result
 * @property {{ path: string, bytes: Buffer } | undefined} saved what a concurrent writer saved, when it could
 * @property {boolean} did whether what ran at the point did something; true where nothing runs
 * @property {string | undefined} oid what the user's git made
 * @property {{ code: number, stdout: Buffer } | undefined} other how another command of the program ended
 */

/**
 * @param {import("./judge/verdict.mjs").Context} context
 * @returns {Promise<Injected>}
 */
export async function inject({ slot, from, fault, at, command, tools }) {
  const { project, env } = from.subject.place;
  const paths = from.undoing ? from.scenario.savesAtUndo : from.scenario.saves;
  const path = fault.saves ? paths[fault.saves] : "";
  const names = {
    path: join(project, path),
    mark: `saved-at-${at}`,
    side: slot.side,
    disk: slot.mount ?? "",
  };
  const companion = fault.companion
    ? await startCompanion(slot, fault.companion(names), env)
    : undefined;
  const what = {
    root: slot.root,
    callClass: fault.callClass,
    fsync: fault.fsync,
    inject: {
      ...fault.inject,
      at,
      ...(fault.command && { command: fault.command(names) }),
      ...(fault.other && { command: otherCommand(slot, from, fault.other(from)) }),
      ...(fault.inject.action === "power-cut" && slot.mount !== undefined && { mount: slot.mount }),
    },
  };
  // What the project is made of is on the disk: only what the command writes can be lost.
  if (slot.mount !== undefined) await must("sync", ["-f", slot.mount]);
  const result = await runTraced(tools.killpoint, what, commandUnderTest(command, from), {
    cwd: project,
    env,
    ...(from.input !== undefined && { input: from.input }),
  });
  await companion?.stop();
  if (fault.inject.action === "power-cut") await slot.reboot?.();
  const bytes = readNote(slot, "saved");
  return {
    result,
    saved: bytes && { path, bytes },
    did: didSomething(slot, fault.judgement, bytes),
    oid: readNote(slot, "oid")?.toString().trim() || undefined,
    other: otherResult(slot),
  };
}

/** @param {import("./slot.mjs").Slot} slot @param {import("./fixtures.mjs").Fixture} from @param {readonly string[]} args */
function otherCommand(slot, from, args) {
  const line = waymarkCommand(from.subject, args).map(quote).join(" ");
  return `${line} > ${quote(note(slot, "other"))}; echo $? > ${quote(note(slot, "other-code"))}`;
}

/** @param {import("./slot.mjs").Slot} slot @param {import("./faults.mjs").Judgement} judgement @param {Buffer | undefined} saved */
function didSomething(slot, judgement, saved) {
  if (judgement === "save") return saved !== undefined;
  return judgement !== "git" || existsSync(note(slot, "did"));
}

/** @param {import("./slot.mjs").Slot} slot */
function otherResult(slot) {
  const code = readNote(slot, "other-code");
  return code && { code: Number(code.toString()), stdout: readNote(slot, "other") ?? Buffer.of() };
}

/** @param {import("./slot.mjs").Slot} slot @param {string} name */
function readNote(slot, name) {
  return existsSync(note(slot, name)) ? readFileSync(note(slot, name)) : undefined;
}

/** @param {import("./slot.mjs").Slot} slot @param {string} text @param {Record<string, string>} env */
async function startCompanion(slot, text, env) {
  const child = spawn("sh", ["-c", text], { env, stdio: "ignore" });
  const ended = new Promise((resolve) => child.on("close", resolve));
  for (let tries = 0; !existsSync(note(slot, "open")); tries++) {
    if (tries > 500) throw new Error("the process that holds a file open did not start");
    await sleep(5);
  }
  return {
    stop: async () => {
      child.kill("SIGKILL");
      await ended;
    },
  };
}
