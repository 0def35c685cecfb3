// node make-checkpoints.mjs FOLDER FILE COUNT: many checkpoints through the library, as a process for each would take longer.
import { writeFileSync } from "node:fs";
import { join } from "node:path";

const [folder = "", file = "", count = "0"] = process.argv.slice(2);
// Not a literal: the build need not exist for the type check.
const library = new URL("../../dist/index.js", import.meta.url).href;
const { openProject, createCheckpoint } = await import(library);
const project = await openProject({ directory: folder });
try {
  for (let number = 1; number <= Number(count); number++) {
    writeFileSync(join(folder, file), `checkpoint ${number}\n`);
    await createCheckpoint(project, {
      force: true,
      durability: "fast",
      reason: `step ${number}`,
    });
  }
} finally {
  project.close();
}
