// Everybody who takes part, each with a repository and a home of its own.
import { join } from "node:path";
import { getCcheckpoint, getGeminiCore, getJujutsu, getOpencode } from "../peer-programs.mjs";
import { makeTools } from "../process.mjs";
import { buildRepository } from "../repository.mjs";
import { ccheckpoint } from "./ccheckpoint.mjs";
import { gemini } from "./gemini.mjs";
import { jujutsu } from "./jj.mjs";
import { opencode, OPENCODE_ENVIRONMENT } from "./opencode.mjs";
import { shadow } from "./shadow.mjs";
import { stashCreate, stashPush } from "./stash.mjs";
import { waymark } from "./waymark.mjs";

/** @typedef {import("./contender.mjs").Contender} Contender */
/** @typedef {import("./contender.mjs").Place} Place */
/** @typedef {import("../peer-programs.mjs").Command} Command */
/** @typedef {{ key: string, label: string, make: (place: Place) => Contender, env?: Record<string, string> }} Peer */

export const CREATE = "**`waymark create`**";

/**
 * @typedef {object} Fetched
 * @property {string} label
 * @property {() => import("../peer-programs.mjs").Found} find
 * @property {(place: Place, command: Command) => Contender} make
 * @property {Record<string, string>} [env]
 */

/** @type {Record<string, Fetched>} */
const FETCHED = {
  gemini: {
    label: "@google/gemini-cli-core",
    find: getGeminiCore,
    make: (place, [core]) => gemini(place, core),
  },
  opencode: {
    label: "opencode",
    find: getOpencode,
    make: opencode,
    env: OPENCODE_ENVIRONMENT,
  },
  jj: { label: "jj", find: getJujutsu, make: jujutsu },
  ccheckpoint: {
    label: "ccheckpoint",
    find: getCcheckpoint,
    make: (place, [script]) => ccheckpoint(place, script),
  },
};

/** @type {Peer[]} */
const GIT_PEERS = [
  { key: "stash-create", label: "git stash create", make: stashCreate },
  { key: "stash-push", label: "git stash push", make: stashPush },
  { key: "shadow", label: "shadow repository", make: shadow },
];

export const PEER_KEYS = [...GIT_PEERS.map(({ key }) => key), ...Object.keys(FETCHED)];

/**
 * Those who can be had, and a line about each of the others.
 * @param {readonly string[]} wanted keys
 */
export function findPeers(wanted) {
  const peers = GIT_PEERS.filter(({ key }) => wanted.includes(key));
  /** @type {string[]} */ const notes = [];
  for (const [key, { label, find, make, env }] of Object.entries(FETCHED)) {
    if (!wanted.includes(key)) continue;
    const found = find();
    if (found.kind === "missing") notes.push(`${label} was not measured: ${found.reason}.`);
    else {
      notes.push(`${label} is ${found.version}.`);
      peers.push({ key, label, make: (place) => make(place, found.command), ...(env && { env }) });
    }
  }
  return { peers, notes };
}

/** @param {readonly Peer[]} peers @param {string} folder @param {number} files @returns {Contender[]} */
export function buildContenders(peers, folder, files) {
  /** @type {Peer} */
  const own = { key: "waymark", label: "", make: (place) => waymark(place, { name: CREATE }) };
  return [own, ...peers].map(({ key, make, env }) => {
    const tools = makeTools(join(folder, key, "home"), env);
    return make({ tools, repository: buildRepository(tools, join(folder, key, "work"), files) });
  });
}
