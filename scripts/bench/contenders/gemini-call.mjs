// node gemini-call.mjs PACKAGE create | restore ID: one call of GitService for the project of this folder. Loading the package and
// `initialize()` are not timed: the CLI does both once.
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { timeCall } from "./time-call.mjs";

const [core = "", what, id = ""] = process.argv.slice(2);
/** @param {string} path */
const load = (path) => import(pathToFileURL(join(core, "dist/src", path)).href);
const { GitService } = await load("services/gitService.js");
const { Storage } = await load("config/storage.js");
const service = new GitService(process.cwd(), new Storage(process.cwd()));
await service.initialize();
await timeCall(async () => {
  if (what === "create") return service.createFileSnapshot("checkpoint");
  await service.restoreProjectFromSnapshot(id);
  return id;
});
