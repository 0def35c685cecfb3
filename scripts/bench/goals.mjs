// The goals, from prototypes that were taken as far as they would go (docs/benchmarks.md), and whether a run reached them.
import { CREATE } from "./contenders/all.mjs";
import { FLOOR, NODE, STATUS } from "./contenders/floor.mjs";
import { LIST } from "./many-checkpoints.mjs";
import { count } from "./markdown-table.mjs";
import { ratio } from "./statistics.mjs";
import { HOOK_READS, ROLLBACK, ROLLBACK_INDEX } from "./work.mjs";

/** @typedef {import("./report.mjs").Results} Results */
/** @typedef {{ id: string, what: string, most: number, median: number, min: number, cpu: number, reached: boolean }} Judged */

const GOALS = [
  { kind: "create", files: 200, name: CREATE, reference: FLOOR, most: 1.6 },
  { kind: "create", files: 25_000, name: CREATE, reference: STATUS, most: 1.35 },
  { kind: "create", files: 100_000, name: CREATE, reference: STATUS, most: 1.25 },
  { kind: "rollback", files: 100_000, name: ROLLBACK, reference: STATUS, most: 1.15 },
  { kind: "rollback", files: 100_000, name: ROLLBACK_INDEX, reference: STATUS, most: 1.35 },
  { kind: "hook", files: 200, name: HOOK_READS, reference: NODE, most: 1.5 },
];

const NO_UNTRACKED_CACHE =
  "Waymark does not use git's untracked cache. `docs/where-the-time-goes.md` says why.";
const WITH_UNTRACKED_CACHE = [
  { files: 25_000, most: 0.95 },
  { files: 100_000, most: 0.85 },
];

/** Goals of the prototypes for what Waymark does not do, of the sizes that were measured. @param {Results} results */
export const goalsNotMeasured = ({ sizes }) =>
  WITH_UNTRACKED_CACHE.filter(({ files }) =>
    sizes.some((size) => size.files === files && size.groups.some(({ kind }) => kind === "create")),
  ).map(({ files, most }) => ({
    what: `${CREATE}, ${count(files)} files, a hit of git's untracked cache, to ${STATUS}`,
    most,
    why: NO_UNTRACKED_CACHE,
  }));

/** @param {Results} results @returns {Judged[]} only what was measured */
export function judgeGoals({ sizes, many }) {
  const ofSizes = GOALS.flatMap(({ kind, files, name, reference, most }) => {
    const times = sizes
      .find((size) => size.files === files)
      ?.groups.find((group) => group.kind === kind)?.times;
    if (times === undefined) return [];
    const place = `${count(files)} files`;
    return [judge(`${kind} ${files}`, times, { name, reference, most, place })];
  });
  if (many?.lists === undefined) return ofSizes;
  const place = `${count(many.count)} checkpoints`;
  const list = { name: LIST, reference: NODE, most: 1.5, place };
  return [...ofSizes, judge(`list ${many.count}`, many.lists, list)];
}

/**
 * @param {string} id @param {import("./statistics.mjs").Times} times
 * @param {{ name: string, reference: string, most: number, place: string }} goal @returns {Judged}
 */
function judge(id, times, { name, reference, most, place }) {
  const found = ratio(times, name, reference);
  const suffix = name === ROLLBACK_INDEX ? " index" : "";
  return {
    id: `${id}${suffix}`,
    what: `${name}, ${place}, to ${reference}`,
    most,
    ...found,
    reached: found.median <= most,
  };
}
