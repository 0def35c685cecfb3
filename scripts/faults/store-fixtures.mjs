// Projects for the commands that work on the store of checkpoints and leave the work tree alone, and what each is to do there.
import { join } from "node:path";
import { mkdirSync } from "node:fs";
import { takeFingerprint } from "./fingerprint.mjs";
import { checkpointRefs, readStore } from "./oracle.mjs";
import { must } from "./process.mjs";
import { script, startProject } from "./slot.mjs";
import { mustStore } from "./store.mjs";
import { said, waymark } from "./waymark.mjs";

/** @typedef {import("./fixtures.mjs").Fixture} Fixture */
/** @typedef {(typeof STORE_COMMANDS)[number]} StoreCommand */

/** `purge`: a cleanup that removes for good; `grace`: one after the grace time of what was deleted. */
export const STORE_COMMANDS = /** @type {const} */ ([
  "cleanup",
  "delete",
  "undelete",
  "purge",
  "grace",
  "import",
  "export",
]);

/** How many of the checkpoints a cleanup leaves. */
export const KEEP = "2";

/**
 * Where a checkpoint is: in the list, in the trash, or nowhere.
 * @typedef {"cp" | "trash" | "gone"} Whereabouts
 */

/**
 * @typedef {object} Store
 * @property {ReadonlyMap<string, { oid: string, from: Whereabouts, to: Whereabouts }>} moves what the command moves, by checkpoint id
 * @property {ReadonlyMap<string, { oid: string, at: Whereabouts }>} stays everything else that is there before
 * @property {string} [file] what an export writes
 */

/** @typedef {{ subject: import("./waymark.mjs").Subject, work: (args: string[]) => Promise<any>, ids: string[] }} Stage */

/**
 * @param {import("./slot.mjs").Slot} slot @param {import("./scenarios.mjs").Scenario} scenario @param {StoreCommand} command
 * @param {string} bin @param {string} name
 * @returns {Promise<Fixture>}
 */
export async function storeFixture(slot, scenario, command, bin, name) {
  const archive = join(slot.folder, "archive.bundle");
  if (command === "import") await makeArchive(slot, scenario, bin, archive);
  const stage = await startStage(slot, scenario, bin);
  const { subject, work, ids } = stage;
  const { place } = subject;
  const imported = command === "import" ? await headsOf(subject, archive) : new Map();
  // Five checkpoints: packed and loose refs, and copies of files beside both what goes and what stays.
  await checkpoint(slot, stage, "--scope", "app.log");
  await checkpoint(slot, stage);
  await mustStore(place, ["pack-refs", "--all"]);
  await checkpoint(slot, stage);
  await checkpoint(slot, stage, "--scope", "app.log");
  await checkpoint(slot, stage);
  const [first = "", second = "", third = ""] = ids;
  if (command === "undelete" || command === "purge" || command === "grace")
    await work(["delete", first, third, "--yes", "--json"]);
  const file = join(slot.root, "out", "archive.bundle");
  if (command === "export") {
    mkdirSync(join(slot.root, "out"));
    await work(["export", second, "-o", file, "--json"]);
  }
  await script(
    slot,
    place.project,
    "echo last > last.txt; git add last.txt; echo unstaged >> last.txt",
  );
  const { args, moving } = task(command, { first, second, third, archive, file, imported });
  const store = await plannedStore(place, moving, imported);
  const before = await takeFingerprint(place);
  return {
    scenario,
    subject:
      command === "grace"
        ? { ...subject, place: { ...place, env: { ...place.env, WAYMARK_RETENTION_GRACE: "0s" } } }
        : subject,
    saved: await slot.save(name),
    before,
    target: before,
    args,
    checkpointId: ids.at(-1) ?? "",
    refs: new Set((await checkpointRefs(place)).keys()),
    kept: (path) => scenario.kept.includes(path),
    wrongClean: [],
    lostAnyway: new Map(),
    alone: new Map(),
    store: { ...store, ...(command === "export" && { file }) },
  };
}

/** @param {StoreCommand} command @param {{ first: string, second: string, third: string, archive: string, file: string, imported: Map<string, string> }} names */
function task(command, { first, second, third, archive, file, imported }) {
  /** @param {readonly string[]} ids @param {Whereabouts} from @param {Whereabouts} to */
  const all = (ids, from, to) =>
    new Map(ids.map((id) => /** @type {const} */ ([id, /** @type {const} */ ({ from, to })])));
  switch (command) {
    case "cleanup":
      return {
        args: ["cleanup", "--keep", KEEP, "--json"],
        moving: all([first, second, third], "cp", "trash"),
      };
    case "delete":
      return {
        args: ["delete", first, third, "--yes", "--json"],
        moving: all([first, third], "cp", "trash"),
      };
    case "undelete":
      return {
        args: ["delete", "--undo", first, third, "--json"],
        moving: all([first, third], "trash", "cp"),
      };
    case "purge":
      return {
        args: ["cleanup", "--keep", KEEP, "--now", "--yes", "--json"],
        moving: new Map([...all([second], "cp", "gone"), ...all([first, third], "trash", "gone")]),
      };
    case "grace":
      return {
        args: ["cleanup", "--keep", "9", "--json"],
        moving: all([first, third], "trash", "gone"),
      };
    case "import":
      return {
        args: ["import", archive, "--json"],
        moving: all([...imported.keys()], "gone", "cp"),
      };
    case "export":
      return { args: ["export", "-o", file, "--force", "--json"], moving: all([], "cp", "cp") };
  }
}

/**
 * @param {import("./fingerprint.mjs").Place} place @param {ReadonlyMap<string, { from: Whereabouts, to: Whereabouts }>} moving
 * @param {ReadonlyMap<string, string>} imported
 * @returns {Promise<Store>}
 */
async function plannedStore(place, moving, imported) {
  const now = await readStore(place);
  /** @type {Map<string, { oid: string, from: Whereabouts, to: Whereabouts }>} */ const moves =
    new Map();
  /** @type {Map<string, { oid: string, at: Whereabouts }>} */ const stays = new Map();
  for (const [id, { from, to }] of moving) {
    const oid = from === "gone" ? imported.get(id) : now.get(id)?.[from];
    if (oid === undefined) throw new Error(`${id} is not where it was meant to be`);
    moves.set(id, { oid, from, to });
  }
  for (const [id, { cp, trash }] of now)
    if (!moves.has(id))
      stays.set(id, { oid: cp ?? trash ?? "", at: cp === undefined ? "trash" : "cp" });
  return { moves, stays };
}

/** @param {import("./slot.mjs").Slot} slot @param {import("./scenarios.mjs").Scenario} scenario @param {string} bin @returns {Promise<Stage>} */
async function startStage(slot, scenario, bin) {
  const place = await startProject(slot, scenario);
  const env = { ...place.env, WAYMARK_NO_AUTO_CLEANUP: "1" };
  const subject = { bin, place: { ...place, env } };
  /** @param {string[]} args */
  const work = async (args) => {
    const result = await waymark(subject, args);
    if (result.code !== 0) throw new Error(`${args.join(" ")} without a fault: ${said(result)}`);
    return result.document;
  };
  await script(slot, place.project, scenario.atCheckpoint);
  return { subject, work, ids: [] };
}

/** One more, of a state that no other has. @param {import("./slot.mjs").Slot} slot @param {Stage} stage @param {string[]} besides */
async function checkpoint(slot, { subject: { place }, work, ids }, ...besides) {
  await script(
    slot,
    place.project,
    `echo ${ids.length} > src/app.txt; echo ${ids.length} > only-${ids.length}.txt; rm -f only-${ids.length - 1}.txt; echo ${ids.length} >> app.log`,
  );
  ids.push((await work(["create", "--force", "-m", "one", "--json", ...besides])).checkpoint.id);
}

/** Checkpoints of another project. @param {import("./slot.mjs").Slot} slot @param {import("./scenarios.mjs").Scenario} scenario @param {string} bin @param {string} file */
async function makeArchive(slot, scenario, bin, file) {
  const stage = await startStage(slot, scenario, bin);
  await script(slot, stage.subject.place.project, "echo elsewhere > elsewhere.txt");
  for (let count = 0; count < 3; count++) await checkpoint(slot, stage);
  await stage.work(["export", "-o", file, "--force", "--json"]);
}

/** @param {import("./waymark.mjs").Subject} subject @param {string} archive @returns {Promise<Map<string, string>>} its checkpoints */
async function headsOf({ place: { project, env } }, archive) {
  const { stdout } = await must("git", ["bundle", "list-heads", archive], { cwd: project, env });
  const heads = [...stdout.toString().matchAll(/^(\S+) refs\/waymark\/cp\/(\S+)$/gm)];
  return new Map(heads.map(([, oid = "", id = ""]) => /** @type {const} */ ([id, oid])));
}
