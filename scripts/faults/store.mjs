// Git on the store: the program's own repository, in the project's git directory or in the `.checkpoints/` of a plain folder.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { must, run } from "./process.mjs";

/** @typedef {import("./fingerprint.mjs").Place} Place */

/** All of its repository is the program's. @param {Pick<Place, "commonDir">} place */
export const isPlain = ({ commonDir }) => commonDir.endsWith("/.checkpoints/repo.git");

/** @param {Pick<Place, "commonDir">} place */
export const storeDir = (place) =>
  isPlain(place) ? place.commonDir : join(place.commonDir, "waymark/store");

/** It is there from the first checkpoint or session on. @param {Pick<Place, "commonDir">} place */
export const hasStore = (place) => existsSync(join(storeDir(place), "HEAD"));

/** @param {Place} place @param {readonly string[]} args @param {Parameters<typeof run>[2]} [options] */
export const runStore = (place, args, options = {}) =>
  run("git", [`--git-dir=${storeDir(place)}`, ...args], where(place, options));

/** @param {Place} place @param {readonly string[]} args @param {Parameters<typeof must>[2]} [options] */
export const mustStore = (place, args, options = {}) =>
  must("git", [`--git-dir=${storeDir(place)}`, ...args], where(place, options));

/** @template T @param {Place} place @param {T} options */
const where = ({ project, env }, options) => ({ cwd: project, env, ...options });
