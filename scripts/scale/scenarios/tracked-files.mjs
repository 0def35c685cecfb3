// A repository with very many tracked files, of which somebody changed a few.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { buildRepository, change, isIntact } from "../../bench/repository.mjs";
import { createdId, lookingSteps } from "./common.mjs";

/** @type {import("../scenarios.mjs").Scenario} */
export const trackedFiles = {
  id: "files",
  size: 300_000,
  unit: "tracked files",
  bytesPerItem: 3000,
  build: (site, size) => {
    const { tools, project } = site;
    const repository = buildRepository(tools, project, size);
    const read = () =>
      repository.modified.map((path) => readFileSync(join(project, path), "utf8")).join("");
    let id = "";
    let before = "";
    return [
      { name: "first `create`", args: ["create"], once: true },
      {
        name: "`create`, 20 files changed",
        prepare: () => change(repository, repository.modified),
        args: ["create"],
        check: ({ stdout }) => stdout.startsWith("created "),
      },
      {
        name: "`rollback`, 20 files",
        prepare: () => {
          id = createdId(site);
          before = read();
          change(repository, repository.modified);
        },
        args: () => ["rollback", id, "--yes"],
        check: () => read() === before && isIntact(tools, repository),
      },
      {
        name: "`undo`",
        args: ["undo", "--yes"],
        once: true,
        check: () => read() !== before && isIntact(tools, repository),
      },
      ...lookingSteps(site, () => id),
      {
        name: "`export` of one",
        args: () => ["export", id, "-o", site.beside("one.waymark"), "--force"],
      },
    ];
  },
};
