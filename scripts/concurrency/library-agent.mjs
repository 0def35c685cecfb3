// An agent that takes one checkpoint by the library: `node library-agent.mjs PROJECT`. Prints what became of it.
import { createCheckpoint, openProject } from "../../dist/index.js";

const project = await openProject({ directory: process.argv[2] ?? "." });
try {
  const { kind, checkpoint } = await createCheckpoint(project, {
    force: true,
    reason: "by the library",
  });
  process.stdout.write(
    JSON.stringify({ checkpoint_created: kind === "created", checkpoint: { id: checkpoint.id } }),
  );
} finally {
  project.close();
}
