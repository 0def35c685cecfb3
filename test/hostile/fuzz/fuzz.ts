/**
 * Tries every kind of hostile input so many times. WAYMARK_HOSTILE_RUNS (24) is for the quickest, the others get their share;
 * WAYMARK_HOSTILE_SEED repeats a run, WAYMARK_HOSTILE_ONLY names one attack.
 */
import type { Attack } from "./attack.ts";
import { Dice } from "./dice.ts";
import { FuzzScene } from "./scene.ts";

export interface Fuzzed {
  readonly id: string;
  readonly what: string;
  readonly tried: number;
  readonly wrong: readonly string[];
  readonly detail: string;
}

export async function fuzz(attack: Attack, runs: number, seed: number): Promise<Fuzzed> {
  const umask = attack.umask === undefined ? process.umask() : process.umask(attack.umask);
  try {
    const scene = await FuzzScene.make();
    try {
      return await attackIn(scene, attack, runs, seed);
    } finally {
      scene.end();
    }
  } finally {
    process.umask(umask);
  }
}

async function attackIn(
  scene: FuzzScene,
  attack: Attack,
  runs: number,
  seed: number,
): Promise<Fuzzed> {
  const times = Math.max(1, Math.ceil(runs / attack.weight));
  const wrong: string[] = [];
  const prepared = await attack.prepare(scene);
  let detail = "";
  let tried = times;
  try {
    for (let number = 0; number < times; number++) {
      // Each try has a seed of its own, so that one can be repeated without those before it.
      const own = (seed * 7919 + number * 104_729) >>> 0;
      const found = await prepared.attempt(new Dice(own), number);
      wrong.push(...found.map((line) => `try ${number}: ${line}`));
    }
    detail = prepared.detail?.() ?? "";
    tried = prepared.tried?.() ?? times;
  } finally {
    await prepared.end?.();
  }
  return { id: attack.id, what: attack.what, tried, wrong, detail };
}
