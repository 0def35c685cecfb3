// Which points of a row are tried when not all of them are.
import { Random } from "../proof/random.mjs";

/**
 * One point out of each of `most` equal parts of the row, drawn by the seed: no stretch of a command is left out, and another seed
 * tries other points. The ends are where the least can go wrong (a folder of ours is made, a line is added to a log), so they are
 * never all that is tried.
 * @param {number} points @param {number} most @param {number} seed
 */
export function stratified(points, most, seed) {
  if (points <= most) return Array.from({ length: points }, (_, index) => index + 1);
  const random = new Random(seed);
  const chosen = Array.from({ length: most }, (_, part) =>
    random.between(
      1 + Math.floor((part * points) / most),
      Math.floor(((part + 1) * points) / most),
    ),
  );
  const isEnd = (/** @type {number} */ point) => point === 1 || point === points;
  return chosen.every(isEnd) ? [Math.ceil(points / 2), ...chosen.slice(1)] : chosen;
}

/**
 * A seed for each row, so that rows of the same command, which have the same points, do not all try the same ones.
 * @param {number} seed @param {{ scenario: string, command: string, fault: string }} row
 */
export function seedOf(seed, { scenario, command, fault }) {
  let mixed = seed;
  for (const character of `${scenario} ${command} ${fault}`)
    mixed = Math.imul(mixed ^ character.charCodeAt(0), 0x01000193) >>> 0;
  return mixed;
}
