import { onTestFinished } from "vitest";
import { openGitProject } from "../../../app.ts";
import { gitPartOf } from "../../../domain/checkpoint.ts";
import { createCheckpoint } from "../../../operations/create-checkpoint.ts";
import { fileHistoriesSuite } from "../../../ports/file-histories.suite.ts";
import { tempRepository } from "../temp-repository.fixture.ts";

fileHistoriesSuite(async () => {
  const repo = await tempRepository();
  await repo.write("a", Array.from({ length: 10 }, (_, line) => `${line}\n`).join(""));
  await repo.write("waymark.yml", 'capture: {exclude: ["*.large"]}\n');
  await repo.git("add", "-A");
  await repo.commit("a");
  const project = await openGitProject({ directory: repo.root });
  onTestFinished(() => project.close());
  return {
    histories: project.fileHistories,
    checkpoint: async () => (await createCheckpoint(project, { force: true })).checkpoint,
    capture: () => project.workTree.capture({ policy: project.policy }),
    write: (name, content, mode) => repo.write(name, content, mode),
    remove: (name) => repo.remove(name),
    publish: async (capture) => {
      const { checkpoint } = await createCheckpoint(project, { force: true, capture });
      const tree = gitPartOf(checkpoint)?.worktree ?? "";
      return async (name) => {
        const names = await repo.store("ls-tree", "--name-only", tree, name);
        return names === "" ? undefined : repo.store("cat-file", "blob", `${tree}:${name}`);
      };
    },
  };
});
