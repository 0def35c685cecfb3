// What the command line of the benchmark says.
import { parseArgs } from "node:util";
import { PEER_KEYS } from "./contenders/all.mjs";
import { FEWEST_FILES } from "./repository.mjs";

/** What is done on a repository of each size. */
export const PER_SIZE = ["create", "clean", "rollback", "hook", "dirty", "disk", "memory"];
const KINDS = [...PER_SIZE, "list", "users", "behaviour"];
const LARGE = 100_000;

export const USAGE = `npm run bench -- [options]
  --full           also 300,000 files, and more rounds
  --files A,B      repositories with so many files (default 200,25000,100000)
  --rounds N       timed rounds; one more before them is not counted (default 5, 3 from 100,000 files on; --full 9 and 5)
  --only A,B       of ${KINDS.join(", ")}
  --peers A,B      of ${PEER_KEYS.join(", ")}; or none (default all)
  --checkpoints N  for the list and the user's own git (default 1000)
  --write          put tables, plot and figures into docs/
Peers are fetched from npm and Debian once; WAYMARK_TEST_NO_INSTALL=1 uses only what is there.`;

/**
 * @typedef {object} Options
 * @property {boolean} full
 * @property {number[]} sizes
 * @property {(files: number) => number} rounds
 * @property {readonly string[]} kinds
 * @property {readonly string[]} peers
 * @property {number} checkpoints
 * @property {boolean} write
 * @property {string} command that repeats the run
 */

/** Undefined: help is wanted. @param {string[]} words @returns {Options | undefined} */
export function readOptions(words) {
  const { values } = parseArgs({
    args: words,
    options: {
      full: { type: "boolean", default: false },
      files: { type: "string" },
      rounds: { type: "string" },
      only: { type: "string", default: KINDS.join(",") },
      peers: { type: "string", default: PEER_KEYS.join(",") },
      checkpoints: { type: "string", default: "1000" },
      write: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) return undefined;
  const { full } = values;
  const files = values.files ?? `200,25000,100000${full ? ",300000" : ""}`;
  const rounds = values.rounds === undefined ? undefined : atLeast(1, "--rounds", values.rounds);
  const [few, some] = full ? [5, 9] : [3, 5];
  return {
    full,
    sizes: files.split(",").map((text) => atLeast(FEWEST_FILES, "--files", text)),
    rounds: (size) => rounds ?? (size >= LARGE ? few : some),
    kinds: oneOf(KINDS, "--only", values.only),
    peers: values.peers === "none" ? [] : oneOf(PEER_KEYS, "--peers", values.peers),
    checkpoints: atLeast(1, "--checkpoints", values.checkpoints),
    write: values.write,
    command: ["npm run bench", ...(words.length > 0 ? ["--", ...words] : [])].join(" "),
  };
}

/** @param {number} least @param {string} option @param {string} text */
function atLeast(least, option, text) {
  const number = Number(text);
  if (Number.isInteger(number) && number >= least) return number;
  throw new Error(`${option}: "${text}" is not a whole number of at least ${least}`);
}

/** @param {readonly string[]} known @param {string} option @param {string} text */
function oneOf(known, option, text) {
  const words = text.split(",");
  const unknown = words.find((word) => !known.includes(word));
  if (unknown === undefined) return words;
  throw new Error(`${option}: there is no "${unknown}"; there are ${known.join(", ")}`);
}
