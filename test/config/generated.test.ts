/** What is made from the table of keys: the page, the schema, the file that `init` writes. */
import { readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { fillTables } from "../../src/domain/config-docs.ts";
import { configJsonSchema } from "../../src/domain/config-json-schema.ts";
import { ALL_KEYS, type Key } from "../../src/domain/config-keys.ts";
import { configTemplate } from "../../src/domain/config-template.ts";

const read = (path: string): string =>
  readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");

const nested = (path: string, value: unknown): unknown =>
  path.split(".").reduceRight((inner, part) => ({ [part]: inner }), value);

describe("docs/configuration.md and schemas/waymark-yml.json", () => {
  it("are what `npm run docs` writes", () => {
    const page = read("docs/configuration.md");
    expect(page).toBe(fillTables(page));
    expect(JSON.parse(read("schemas/waymark-yml.json"))).toEqual(
      JSON.parse(JSON.stringify(configJsonSchema())),
    );
  });

  it("name every key", () => {
    const page = read("docs/configuration.md");
    for (const { path } of ALL_KEYS) expect(page).toContain(`| \`${path}\` |`);
  });
});

describe("the schema", () => {
  it("says what it is about", () => {
    expect(configJsonSchema()).toMatchObject({
      $schema: "https://json-schema.org/draft/2020-12/schema",
      title: "waymark-yml",
      description: expect.stringMatching(/\w/) as unknown,
    });
  });

  const validate = new Ajv2020({ strict: true, allowUnionTypes: true }).compile(configJsonSchema());
  const values = fc.oneof(
    fc.constantFrom(
      "auto",
      "never",
      "7d",
      "smart",
      "fail_open",
      "keep_all",
      "24x",
      "",
      -1,
      0,
      -2,
      10,
      1.5,
    ),
    fc.boolean(),
    fc.integer(),
    fc.constant(["a"]),
    fc.constant([1]),
    fc.constant({ a: 1 }),
  );

  it.each(ALL_KEYS.map((key): [string, Key] => [key.path, key]))(
    "takes for %s what the key takes",
    (path, key) => {
      fc.assert(
        fc.property(values, (value) => {
          expect({ value, ok: validate(nested(path, value)) }).toEqual({
            value,
            ok: key.read(value) !== undefined,
          });
        }),
      );
      expect(validate(nested(path, null))).toBe(true);
    },
  );

  it("knows shorthands and agents, and no other names", () => {
    expect(validate({ retention: { phase_transition: 3 } })).toBe(true);
    expect(validate({ agents: { claude: "fail_closed", codex: { policy: "fail_open" } } })).toBe(
      true,
    );
    expect(validate({ agents: { claude: "maybe" } })).toBe(false);
    expect(validate({ stratgy: "smart" })).toBe(false);
    expect(validate({ retention: { maxage: "7d" } })).toBe(false);
  });
});

describe("the file that init writes", () => {
  it("sets nothing", () => {
    const content = parse(configTemplate()) as Record<string, unknown>;
    expect(Object.values(content).every((value) => value === null)).toBe(true);
  });

  it("sets ten settings to their defaults once the marks are taken away", () => {
    const open = configTemplate().replaceAll(/^( *)#(?=\S)/gm, "$1");
    const content: unknown = parse(open);
    const valueAt = (path: string): unknown =>
      path
        .split(".")
        .reduce<unknown>((inner, part) => (inner as Record<string, unknown>)?.[part], content);
    const shown = ALL_KEYS.filter(({ path }) => valueAt(path) !== undefined);
    expect(shown).toHaveLength(10);
    for (const { path, fallback } of shown) {
      expect({ path, value: valueAt(path) }).toEqual({ path, value: fallback });
    }
    expect(configTemplate().split("\n").length).toBeLessThan(45);
  });
});
