// node library-call.mjs create | restore ID: one call of the library in the project of this folder.
import { timeCall } from "./time-call.mjs";

const [what, id = ""] = process.argv.slice(2);
// Not a literal: the build need not exist for the type check.
const library = new URL("../../../dist/index.js", import.meta.url).href;
const { openProject, createCheckpoint, rollBack } = await import(library);
const project = await openProject({ directory: process.cwd() });
try {
  await timeCall(async () => {
    if (what === "create") return (await createCheckpoint(project, {})).checkpoint.id;
    await rollBack(project, id);
    return id;
  });
} finally {
  project.close();
}
