import { describe, expect, it } from "vitest";
import { importsOf } from "./imports.ts";
import { violations } from "./layers.ts";
import { filesUnder, read } from "./project-files.ts";

const sources = filesUnder("src").filter((path) => path.endsWith(".ts"));

describe("import direction", () => {
  it("holds in every file of src/", () => {
    expect(sources.flatMap((path) => violations(path, read(path)))).toEqual([]);
  });

  it("finds no `export *`: what a file offers is written in it", () => {
    const stars = sources.filter((path) => importsOf(read(path)).some(({ isStar }) => isStar));
    expect(stars).toEqual([]);
  });
});

describe("the checker", () => {
  it.each([
    ["src/domain/plan.ts", 'import { a } from "./checkpoint.ts";'],
    ["src/domain/checkpoint-schema.ts", 'import { z } from "zod";'],
    ["src/domain/plan.test.ts", 'import { expect } from "vitest"; import "node:fs";'],
    ["src/ports/clock.ts", 'import type { Instant } from "../domain/instant.ts";'],
    ["src/ports/clock.suite.ts", 'import { it } from "vitest"; import "./clock.ts";'],
    ["src/operations/undo.ts", 'import "../domain/a.ts"; import "../ports/b.ts";'],
    ["src/operations/undo.test.ts", 'import { m } from "../adapters/memory/memory-clock.ts";'],
    ["src/adapters/git/run-git.ts", 'import "node:fs"; import "yaml"; import "../../ports/a.ts";'],
    ["src/adapters/git/store.test.ts", 'import { s } from "../../ports/store.suite.ts";'],
    ["src/interfaces/cli/undo.ts", 'import "../../app.ts"; import "../../operations/undo.ts";'],
    ["src/interfaces/cli/list.ts", 'import type { Clock } from "../../ports/clock.ts";'],
    ["src/interfaces/cli/list.ts", 'import { type A, type B as C } from "../../ports/clock.ts";'],
    ["src/app.ts", 'import "./adapters/git/store.ts"; import "./operations/undo.ts";'],
  ])("allows %s: %s", (path, source) => {
    expect(violations(path, source)).toEqual([]);
  });

  it.each([
    ["src/domain/plan.ts", 'import { z } from "zod";', "only in files named *schema*.ts"],
    ["src/domain/plan.ts", 'import type { z } from "zod/mini";', "only in files named *schema*.ts"],
    ["src/domain/plan.ts", 'import fs from "node:fs";', "must not import node:fs"],
    ["src/domain/plan.ts", 'import type { A } from "../ports/a.ts";', "src/ports/a.ts"],
    ["src/domain/plan.ts", 'export { a } from "../operations/a.ts";', "src/operations/a.ts"],
    ["src/domain/plan.test.ts", 'import "../adapters/memory/a.ts";', "src/adapters/memory/a.ts"],
    ["src/ports/clock.ts", 'import { it } from "vitest";', "the package vitest"],
    ["src/ports/clock.ts", 'import { a } from "./clock.suite.ts";', "only tests may import"],
    ["src/operations/undo.ts", 'import yaml from "yaml";', "the package yaml"],
    ["src/operations/undo.ts", 'await import("../adapters/git/a.ts");', "src/adapters/git/a.ts"],
    ["src/operations/undo.ts", "await import(name);", "a computed name"],
    ["src/operations/undo.test.ts", 'import "../adapters/git/a.ts";', "src/adapters/git/a.ts"],
    ["src/adapters/git/a.ts", 'import "../../operations/undo.ts";', "src/operations/undo.ts"],
    ["src/interfaces/cli/a.ts", 'import "../../adapters/git/a.ts";', "src/adapters/git/a.ts"],
    ["src/interfaces/cli/a.ts", 'import { a } from "../../ports/a.ts";', "may only `import type`"],
    ["src/app.ts", 'import "./interfaces/cli/a.ts";', "src/interfaces/cli/a.ts"],
    ["src/app.ts", 'import "../scripts/a.ts";', "outside of src/"],
    ["src/utils/a.ts", "", "src/utils is not in the table of layers"],
  ])("forbids %s: %s", (path, source, message) => {
    expect(violations(path, source)).toEqual([expect.stringContaining(message)]);
  });

  it("says where the import is", () => {
    expect(violations("src/domain/plan.ts", '\n\nimport "node:fs";')).toEqual([
      "src/domain/plan.ts:3: domain must not import node:fs",
    ]);
  });
});

describe("the import scanner", () => {
  const specifiers = (source: string) => importsOf(source).map(({ specifier }) => specifier);

  it("finds every form of import", () => {
    const source = `
      import "a1";
      import a, { b as c, type d } from 'a2';
      import * as e from "a3";
      import type { F } from "a4";
      import {
        g, // } from "no"
      } from "a5" with { type: "json" };
      export { h } from "a6";
      export type { I } from "a7";
      export * as j from "a8";
      const k = await import("a9");
      type L = import("a10").L;
      const m = require(\`a11\`);
      const n = \`\${await import("a12")} \${\`\${{ o: import("a13") }}\`}\`;
    `;
    expect(specifiers(source)).toEqual(Array.from({ length: 13 }, (_, at) => `a${at + 1}`));
  });

  it("is not fooled by comments, strings, templates and regular expressions", () => {
    const source = `#!/usr/bin/env import("no")
      // import "no";
      /* import "no"; */
      const a = 'import "no"', b = "it's \\" import('no')", c = \`import("no") \${a} import "no"\`;
      const d = /["'\`/]import("no")[/"]/g.test(a), e = a / 2; const f = "/"; import("yes1");
      if (d) /'/.exec(a); const g = b.length / 2 / 1; import("yes2");
      object.import("no"); export const from = "no"; export function h() {}
      class I { import(file: string): void {} }
      interface J { import: string; require(name: string): void }
      export { e }; export default "no";
    `;
    expect(specifiers(source)).toEqual(["yes1", "yes2"]);
  });

  it("tells imports that vanish at run time from those that stay", () => {
    const isTypeOnly = (source: string) => importsOf(source).map((found) => found.isTypeOnly);
    expect(isTypeOnly('import type { A } from "a"; import { type B } from "b";')).toEqual([
      true,
      true,
    ]);
    expect(isTypeOnly('import { type A, b } from "a"; import type from "b";')).toEqual([
      false,
      false,
    ]);
    expect(isTypeOnly('import { type } from "a"; import {} from "b";')).toEqual([false, false]);
  });
});
