// The layers of src/ and what each may import. ARCHITECTURE.md explains the table; this file enforces it.

import { posix } from "node:path";
import { importsOf, type Import } from "./imports.ts";

interface Layer {
  /** Layers that it may import beside itself. */
  readonly imports: readonly string[];
  /** Layers that it may import with `import type` only. */
  readonly importsTypes?: readonly string[];
  readonly node: boolean;
  /** Packages that it may import, or the files that may. */
  readonly packages: "any" | readonly { name: string; inFiles: RegExp }[];
}

const ANY_FILE = /(?:)/;
const SCHEMA_FILE = /schema[^/]*\.ts$/;

/** Keyed by the folder or file in src/. */
const LAYERS: Record<string, Layer> = {
  domain: { imports: [], node: false, packages: [{ name: "zod", inFiles: SCHEMA_FILE }] },
  ports: { imports: ["domain"], node: false, packages: [{ name: "zod", inFiles: ANY_FILE }] },
  operations: {
    imports: ["domain", "ports"],
    node: false,
    packages: [{ name: "zod", inFiles: ANY_FILE }],
  },
  adapters: { imports: ["domain", "ports"], node: true, packages: "any" },
  interfaces: {
    imports: ["app.ts", "operations", "domain"],
    importsTypes: ["ports"],
    node: true,
    packages: "any",
  },
  "app.ts": {
    imports: ["assemble.ts", "assemble-agents.ts", "domain", "ports", "operations", "adapters"],
    node: true,
    packages: "any",
  },
  "assemble.ts": {
    imports: ["assemble-parts.ts", "domain", "ports", "operations", "adapters"],
    importsTypes: ["app.ts"],
    node: true,
    packages: "any",
  },
  "assemble-parts.ts": {
    imports: ["domain", "ports", "operations", "adapters"],
    node: true,
    packages: "any",
  },
  "assemble-agents.ts": {
    imports: ["domain", "adapters"],
    importsTypes: ["operations"],
    node: true,
    packages: "any",
  },
  library: { imports: ["app.ts", "domain", "ports", "operations"], node: false, packages: [] },
  "index.ts": {
    imports: ["app.ts", "library", "domain", "ports", "operations"],
    node: false,
    packages: [],
  },
  "load-code.ts": { imports: [], node: true, packages: [] },
  "bin.ts": { imports: ["app.ts", "interfaces", "domain"], node: true, packages: "any" },
};

/** Tests and contract suites run in Node under vitest; apart from that their layer's rules hold. */
const TEST_FILE = /\.(test|suite|fixture)\.ts$/;

/** What tests may import in addition: memory adapters stand in for the real ones, anywhere above adapters. */
const IN_TESTS: Record<string, readonly RegExp[]> = {
  operations: [/^src\/adapters\/memory\//],
  interfaces: [/^src\/adapters\/memory\//, /^src\/ports\//],
  adapters: [/^src\/(app\.ts|operations\/)/],
};

/** One sentence for each import that its layer forbids. Paths are relative to the project's root. */
export function violations(path: string, source: string): string[] {
  const name = layerOf(path);
  const layer = LAYERS[name];
  if (layer === undefined) return [`${path}: src/${name} is not in the table of layers`];
  return importsOf(source).flatMap((found) => {
    const problem = problemWith(path, name, layer, found);
    return problem === undefined ? [] : [`${path}:${found.line}: ${problem}`];
  });
}

function problemWith(path: string, name: string, layer: Layer, found: Import): string | undefined {
  const { specifier } = found;
  const isTest = TEST_FILE.test(path);
  if (specifier === undefined) return "imports a computed name, which nobody can check";
  if (specifier.startsWith("node:")) {
    return layer.node || isTest ? undefined : `${name} must not import ${specifier}`;
  }
  if (!specifier.startsWith(".")) return packageProblem(path, name, layer, specifier);

  const target = posix.join(posix.dirname(path), specifier);
  if (!target.startsWith("src/")) {
    const isAllowed = isTest && target.startsWith("test/support/");
    return isAllowed ? undefined : `${name} must not import ${target}, outside of src/`;
  }
  if (TEST_FILE.test(target) && !isTest) return `only tests may import the test file ${target}`;
  if (isTest && IN_TESTS[name]?.some((allowed) => allowed.test(target))) return undefined;

  const targetLayer = layerOf(target);
  if (targetLayer === name || layer.imports.includes(targetLayer)) return undefined;
  if (layer.importsTypes?.includes(targetLayer)) {
    return found.isTypeOnly ? undefined : `${name} may only \`import type\` from ${target}`;
  }
  return `${name} must not import ${target}`;
}

function packageProblem(
  path: string,
  name: string,
  layer: Layer,
  specifier: string,
): string | undefined {
  if (layer.packages === "any") return undefined;
  const packageName = specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/");
  if (TEST_FILE.test(path) && ["vitest", "fast-check"].includes(packageName)) return undefined;
  const rule = layer.packages.find((allowed) => allowed.name === packageName);
  if (rule === undefined) return `${name} must not import the package ${packageName}`;
  if (rule.inFiles.test(path)) return undefined;
  return `${name} may import ${packageName} only in files named *schema*.ts`;
}

/** `src/domain/plan.ts` is in layer `domain`, `src/app.ts` is its own. */
function layerOf(path: string): string {
  return path.split("/")[1] ?? "";
}
