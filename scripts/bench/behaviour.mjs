// What contenders do to a project besides being quick or slow, tried on a small one: what a create touches, what a restore brings back and what it destroys.
import {
  appendFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { change, contentOf } from "./repository.mjs";
import { holds } from "./work.mjs";

/** @typedef {import("./contenders/contender.mjs").Contender} Contender */

/**
 * Undefined: it has no restore, or no undo of one.
 * @typedef {object} Behaviour
 * @property {boolean} leavesWorkTree a create writes no file of the project
 * @property {boolean} leavesIndex and no byte of git's index
 * @property {boolean} holdsUntracked
 * @property {boolean} [restoresFiles] changed, removed and untracked ones have their bytes again
 * @property {boolean} [restoresIndex] `git status` says the same as before: staged, not staged, untracked
 * @property {boolean} [keepsIgnored] a file that is ignored by a rule that was written after the snapshot survives
 * @property {boolean} [undoes] what the restore replaced and removed can be had back
 */

/** @param {Contender} contender with nothing done yet @returns {Behaviour} */
export function observe(contender) {
  const { tools, repository } = contender;
  const { folder, modified, untracked } = repository;
  const paths = [...modified, ...untracked];
  const at = (/** @type {string} */ path) => join(folder, path);
  const identities = () =>
    paths
      .map((path) => lstatSync(at(path), { bigint: true }))
      .map((stat) => `${stat.ino} ${stat.mtimeNs}`)
      .join();
  const index = () => readFileSync(at(".git/index"), "latin1");
  const status = () => tools.git(folder, "--no-optional-locks", "status", "--porcelain", "-uall");

  const [identitiesBefore, indexBefore, statusBefore] = [identities(), index(), status()];
  contender.start?.();
  const snapshot = contender.snapshot(contender.create());
  const seen = {
    leavesWorkTree: identities() === identitiesBefore,
    leavesIndex: index() === indexBefore,
    holdsUntracked: snapshot.untracked !== undefined && holds(contender, snapshot, untracked),
  };
  if (contender.restore === undefined) return seen;

  const content = contentOf(repository, paths);
  const [lost = "", ...rest] = untracked;
  change(repository, [...modified, ...rest]);
  rmSync(at(lost));
  tools.git(folder, "add", ...modified.slice(0, 2));
  writeFileSync(at("later.txt"), "written later\n");
  appendFileSync(at(".gitignore"), "results/\n");
  mkdirSync(at("results"));
  writeFileSync(at("results/data"), "took a night to compute\n");
  const changed = contentOf(repository, [...modified, ...rest]);
  contender.restore(snapshot.id);
  const restored = {
    ...seen,
    restoresFiles:
      paths.every((path) => existsSync(at(path))) && contentOf(repository, paths) === content,
    restoresIndex: status().replaceAll(/^\?\? results\/.*\n/gm, "") === statusBefore,
    keepsIgnored: existsSync(at("results/data")),
  };
  if (contender.undo === undefined) return restored;
  contender.undo();
  return {
    ...restored,
    undoes:
      existsSync(at("later.txt")) && contentOf(repository, [...modified, ...rest]) === changed,
  };
}
