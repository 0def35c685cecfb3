// Chance that can be repeated: the same seed gives the same numbers, on every machine.

/** A generator of Tommy Ettinger (mulberry32): small, and good enough to decide what to try next. */
export class Random {
  #state;

  /** @param {number} seed */
  constructor(seed) {
    this.#state = seed >>> 0;
  }

  /** From 0 up to and without 1. */
  next() {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000;
  }

  /** A whole number from `least` to `most`, both included. @param {number} least @param {number} most */
  between(least, most) {
    return least + Math.floor(this.next() * (most - least + 1));
  }

  /** @param {number} probability */
  chance(probability) {
    return this.next() < probability;
  }

  /** @template T @param {readonly T[]} list not empty @returns {T} */
  pick(list) {
    return /** @type {T} */ (list[Math.floor(this.next() * list.length)]);
  }

  /**
   * One of the names, each as often as its number says.
   * @template {string} K @param {Readonly<Record<K, number>>} weights @returns {K}
   */
  weighted(weights) {
    const entries = /** @type {[K, number][]} */ (Object.entries(weights));
    let at = this.next() * entries.reduce((sum, [, weight]) => sum + weight, 0);
    for (const [name, weight] of entries) {
      at -= weight;
      if (at < 0) return name;
    }
    return /** @type {[K, number]} */ (entries.at(-1))[0];
  }

  /** Bytes that nobody else has, as text of letters and digits. @param {number} length */
  text(length) {
    let text = "";
    while (text.length < length) text += this.between(0, 0x7fff_ffff).toString(36);
    return text.slice(0, length);
  }

  /** A generator of its own, so that what one part asks for does not change what another gets. */
  fork() {
    return new Random(this.between(0, 0x7fff_ffff));
  }
}
