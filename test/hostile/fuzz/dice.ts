/** Seeded chance, and ways to make an honest thing hostile. One seed always does the same. */
import { Random } from "../../../scripts/proof/random.mjs";

type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** Values that programs did not think of. */
const STRANGE: readonly (() => Json)[] = [
  () => null,
  () => true,
  () => -1,
  () => 1e308,
  () => 0.5,
  () => Number.MAX_SAFE_INTEGER,
  () => "",
  () => "\u0000",
  () => "x".repeat(200_000),
  () => "../".repeat(40) + "etc/passwd",
  () => "--output=canary",
  () => "$(touch canary)",
  () => "refs/heads/main",
  () => "2999-12-31T23:59:59.999Z",
  () => "not a date",
  () => "\u202egnp.exe\u001b[2J",
  () => [],
  () => ({}),
  () => [[[[]]]],
  () => ({ __proto__x: 1, constructor: { prototype: { polluted: true } } }),
  () => nested(2000),
];

function nested(depth: number): Json {
  let value: Json = 0;
  for (let level = 0; level < depth; level++) value = [value];
  return value;
}

/** Many times, but not more than two megabytes of it. */
function repeated(value: Json): Json {
  const length = Math.min(20_000, Math.ceil(2_000_000 / (JSON.stringify(value).length + 1)));
  return Array.from({ length }, () => value);
}

export class Dice {
  readonly #random: Random;

  constructor(seed: number) {
    this.#random = new Random(seed);
  }

  below(limit: number): number {
    return this.#random.between(0, limit - 1);
  }

  one<T>(of: readonly T[]): T {
    return this.#random.pick(of);
  }

  /** Bytes that were flipped, cut, doubled, moved or inserted, one to four times. */
  damaged(good: Buffer): Buffer {
    let bytes = Buffer.from(good);
    for (let time = 1 + this.below(4); time > 0; time--) {
      const at = this.below(bytes.length + 1);
      const end = Math.min(bytes.length, at + 1 + this.below(64));
      const how = this.below(10);
      if (how < 5 && at < bytes.length) bytes[at] = (bytes[at] ?? 0) ^ (1 << this.below(8));
      else if (how < 6) bytes = bytes.subarray(0, at);
      else if (how < 7) bytes = Buffer.concat([bytes.subarray(0, end), bytes.subarray(at)]);
      else if (how < 8) bytes = Buffer.concat([bytes.subarray(0, at), bytes.subarray(end)]);
      else {
        const strange = Buffer.from(
          this.one(["\0", "\n", "{", "]", '"', "\xff\xfe", "9".repeat(400)]),
        );
        bytes = Buffer.concat([bytes.subarray(0, at), strange, bytes.subarray(at)]);
      }
    }
    return bytes;
  }

  /** The same document with one to three values, keys or lists that are not what they should be. */
  strange(document: unknown): unknown {
    let value = structuredClone(document) as Json;
    for (let time = 1 + this.below(3); time > 0; time--) value = this.#changed(value);
    return value;
  }

  #changed(value: Json): Json {
    const isDeeper = value !== null && typeof value === "object" && Object.keys(value).length > 0;
    if (!isDeeper || this.below(8) === 0) return this.one(STRANGE)();
    if (Array.isArray(value)) {
      const list = [...(value as readonly Json[])];
      const at = this.below(list.length);
      if (this.below(6) === 0) return repeated(list[at] ?? null);
      list[at] = this.#changed(list[at] ?? null);
      return list;
    }
    const record = { ...(value as Readonly<Record<string, Json>>) };
    const key = this.one(Object.keys(record));
    switch (this.below(6)) {
      case 0:
        delete record[key];
        return record;
      case 1:
        return { ...record, [this.one(["__proto__", "constructor", "later_field", ""])]: 1 };
      case 2:
        if (key === "schema_version" || key === "version") return { ...record, [key]: 99 };
        return { ...record, [key]: this.one(STRANGE)() };
      default:
        return { ...record, [key]: this.#changed(record[key] ?? null) };
    }
  }

  /** JSON text of a strange document; sometimes with a key twice, or cut. */
  strangeText(document: unknown): string {
    const text = JSON.stringify(this.strange(document));
    switch (this.below(8)) {
      case 0:
        return text.slice(0, this.below(text.length));
      case 1:
        return text.replace(
          /^\{/,
          '{"id":"twice","schema_version":7,"__proto__":{"polluted":true},',
        );
      case 2:
        return this.damaged(Buffer.from(text)).toString("latin1");
      default:
        return text;
    }
  }
}
