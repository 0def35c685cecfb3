// An agent that takes one checkpoint by the library: `node library-agent.mjs PROJECT`. Prints what became of it.

// Not a literal: the build need not exist for the type check.
const library = new URL("../../dist/index.js", import.meta.url).href;
const { createCheckpoint, openProject } = await import(library);

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
