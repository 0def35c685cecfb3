/**
 * Short forms of checkpoint ids. Naming a checkpoint by a part of its id and printing the shortest part that names it are one rule, so
 * that every printed form works as a selector: `idsNamedBy` reads, `ShortIds` writes.
 */

/** What a selector takes for something else than a part of an id: a step number or a word. Four digits are a hash. */
export const STEP = /^\d{1,3}$/;
const WORDS: ReadonlySet<string> = new Set(["latest", "start"]);

/** Of a part of an id: a shorter one is in nearly every id by chance, and would restore what was not meant. */
export const LEAST_PART = 4;

/** Between the date and the hash there may be others' numbers: what begins the hash comes first, then an end of the id, then any part. */
const MATCHES: readonly ((id: string, text: string) => boolean)[] = [
  (id, text) => id === text,
  (id, text) => id.startsWith(text, hashStart(id)),
  (id, text) => id.endsWith(text),
  (id, text) => id.includes(text),
];

/** Digits and letters of a hash: of a checkpoint that was deleted it must not mean the date, time or name of another. */
const HASH = /^(?=.*\d)[0-9a-f]+$/;

export function isHash(text: string): boolean {
  return HASH.test(text);
}

/** The checkpoints that a text may mean: of the closest kind of match that there is. */
export function idsNamedBy(text: string, ids: readonly string[]): string[] {
  if (text.length < LEAST_PART) return ids.filter((id) => id === text);
  for (const isMatch of HASH.test(text) ? MATCHES.slice(0, 2) : MATCHES) {
    const found = ids.filter((id) => isMatch(id, text));
    if (found.length > 0) return found;
  }
  return [];
}

export class ShortIds {
  readonly #ids: readonly string[];
  readonly #known: ReadonlySet<string>;
  readonly #found = new Map<string, string>();

  constructor(ids: readonly string[]) {
    this.#ids = ids;
    this.#known = new Set(ids);
  }

  /** One that is not among those that are known is left as it is. */
  of(id: string): string {
    let short = this.#found.get(id);
    if (short === undefined) {
      short = this.#known.has(id) ? this.#shorten(id) : id;
      this.#found.set(id, short);
    }
    return short;
  }

  /** With every known id of a text in its short form; those in paths and refs stay. */
  inText(text: string): string {
    return text.replaceAll(ID_IN_TEXT, (id) => this.of(id));
  }

  #shorten(id: string): string {
    const hash = id.length - hashStart(id);
    for (let length = Math.max(hash, LEAST_PART); length < id.length; length++) {
      const text = id.slice(-length);
      if (!text.startsWith("-") && this.#means(text, id)) return text;
    }
    return id;
  }

  #means(text: string, id: string): boolean {
    if (STEP.test(text) || WORDS.has(text)) return false;
    const named = idsNamedBy(text, this.#ids);
    return named.length === 1 && named[0] === id;
  }
}

/** After a space, a quote, the control sequence of a colour and the like. */
const ID_IN_TEXT =
  /(?<=^|[^\w./-]|\[[\d;]*m)cp-\d\d-[a-z0-9-]+-\d{8}-\d{6}-[0-9a-f]{4}(?![\w/-]|[.:]\w)/g;

function hashStart(id: string): number {
  return id.lastIndexOf("-") + 1;
}
