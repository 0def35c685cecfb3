// Builds dist/: the command and the library (CommonJS, in several lazily loaded files), an ESM face of the library, and its types.
//
//   node scripts/build.mjs          everything
//   node scripts/build.mjs --fast   without the types
//
// CommonJS because Node starts it 8-12 ms faster than ESM, and several files because a file costs its parse time even when nothing in it
// runs. The library is in the same files, once: `import` and `require` give the same classes.

import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readFile, readdir, rename, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build, transform } from "esbuild";

/**
 * Modules that only a dynamic `import()` may load, as paths relative to src/. Each becomes
 * dist/<base name>.cjs; the build fails when the start of the command would load one.
 * Example: "./domain/schemas.ts" becomes dist/schemas.cjs.
 */
const LAZY = ["./domain/checkpoint-schema.ts", "./adapters/files/config-yaml.ts"];

/** What the commands that agents call before every edit load; nothing else may slip in. */
const AT_START = [
  "src/bin.ts",
  "src/interfaces/cli/main.ts",
  "src/app.ts",
  "src/assemble.ts",
  "src/interfaces/cli/commands/create.ts",
  "src/interfaces/cli/commands/list.ts",
  "src/adapters/git/glance-at.ts",
  "src/adapters/git/store/open-store.ts",
  "src/interfaces/hooks/main.ts",
  "src/interfaces/hooks/act.ts",
];

/** Packages that they may pay for. All others must be behind a LAZY module. */
const PACKAGES_AT_START = ["commander", "fast-string-width", "fast-string-truncated-width"];

const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const dist = join(root, "dist");
const fast = process.argv.includes("--fast");

const shared = /** @type {const} */ ({
  absWorkingDir: root,
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "node",
  target: "node20",
  // A package's own modules can be bundled; a wrapper that calls `require` by another name cannot.
  mainFields: /** @type {string[]} */ (["module", "main"]),
  outdir: dist,
  chunkNames: "[name]-[hash]",
  legalComments: "none",
  metafile: true,
  write: false,
  logLevel: "warning",
});

class BuildError extends Error {}

/** The built files as a map from name in dist/ to content. */
async function buildCommand() {
  const entryPoints = { bin: "src/bin.ts", index: "src/index.ts", ...lazyEntryPoints() };
  const result = await build({ ...shared, entryPoints, outExtension: { ".js": ".cjs" } });
  failOnWarnings(result.warnings);
  const atStart = checkStart(result.metafile);

  // esbuild splits ESM only. Split first, so that a module used by two files exists once (`instanceof`
  // holds across them), then turn each file into CommonJS.
  const files = new Map();
  for (const file of result.outputFiles) {
    const name = relative(dist, file.path);
    const { code, warnings } = await transform(file.text, {
      format: "cjs",
      platform: "node",
      target: "node20",
      supported: { "dynamic-import": false }, // require("./schemas.cjs"), not import()
      define: { "import.meta.dirname": "__dirname" },
      // Without comments and indentation; names stay, for the stacks of bug reports.
      minifyWhitespace: true,
      sourcefile: name,
      logLevel: "warning",
    });
    failOnWarnings(warnings);
    files.set(name, code);
  }
  const library = Object.values(result.metafile.outputs).find(
    ({ entryPoint }) => entryPoint === "src/index.ts",
  );
  return inFewFiles(files, filesOf(atStart), library?.exports ?? []);
}

/** Which file of dist/ holds what: each start loads as few of them as it can, and no file that is mostly of another start. */
function filesOf(atStart) {
  const loadedBy = (...sources) => names(...sources.map((source) => atStart.get(`src/${source}`)));
  const cli = loadedBy("interfaces/cli/main.ts");
  const hook = loadedBy("interfaces/hooks/main.ts");
  const commands = loadedBy("interfaces/cli/commands/create.ts", "interfaces/cli/commands/list.ts");
  const project = loadedBy("app.ts", "assemble.ts");
  const hookInProject = loadedBy("interfaces/hooks/act.ts");
  const taken = new Set();
  const left = (all) => all.filter((name) => !taken.has(name) && taken.add(name));
  const both = (these, ...others) => these.filter((name) => others.flat().includes(name));
  return [
    { file: "every.cjs", names: left(both(hook, cli, commands, project)) },
    { file: "common.cjs", names: left(both(cli, project, hookInProject)) },
    { file: "start.cjs", names: left(cli) },
    { file: "hook.cjs", names: left(hook) },
    { file: "project.cjs", names: left(names(...atStart.values())) },
  ];
}

const names = (...outputs) =>
  [...new Set(outputs.flatMap((set) => [...set].map((output) => basename(output))))].filter(
    (name) => name !== "bin.cjs",
  );

/**
 * Splitting leaves some forty files that every start loads, and each costs a third of a millisecond however small it is: they become a
 * few, and so do the small ones among the others. Each file is an object of functions, which `src/load-code.ts` calls; bin.cjs and index.cjs
 * begin it.
 */
async function inFewFiles(modules, groups, libraryNames) {
  const { "bin.cjs": bin, ...others } = Object.fromEntries(modules);
  const fileOf = { "index.cjs": "library.cjs" };
  for (const { file, names } of groups) for (const name of names) fileOf[name] = file;
  for (const [name, code] of Object.entries(others)) {
    const isLazy = basename(name, ".cjs") in lazyEntryPoints();
    if (code.length < SMALL && !isLazy && !(name in fileOf)) fileOf[name] = "more.cjs";
  }
  const parts = new Map();
  for (const [name, code] of Object.entries(others)) {
    const file = fileOf[name] ?? name;
    parts.set(file, [...(parts.get(file) ?? []), asFunction(name, code)]);
  }
  const files = new Map([...parts].map(([file, functions]) => [file, codeFile(file, functions)]));
  files.set("load-code.cjs", await loaderCode(fileOf));
  files.set(
    "bin.cjs",
    `#!/usr/bin/env node
(function (require) {
${bin.replace(/^#!.*\n/, "")}})(require("./load-code.cjs").forCommand());
`,
  );
  files.set(
    "index.cjs",
    'module.exports = require("./load-code.cjs").forLibrary()("./index.cjs");\n',
  );
  const names = libraryNames.join(", ");
  files.set(
    "index.js",
    `import library from "./index.cjs";\nexport const { ${names} } = library;\n`,
  );
  return files;
}

/** In characters. Most of these files are a few hundred lines that one command loads. */
const SMALL = 16_000;

/** In brackets: V8 then takes it for one that is called soon, and does not read it twice. */
function asFunction(name, code) {
  return `${JSON.stringify(name)}: (function (exports, require, module, __dirname) {\n${code}}),`;
}

/** Begins with a hash of itself, by which its compiled form is found. */
function codeFile(file, functions) {
  const code = `({\n${functions.join("\n")}\n})\n`;
  // It is read as bytes: decoding takes longer.
  if (/[^\0-\x7f]/.test(code))
    throw new BuildError(`dist/${file} is not plain ASCII: write \\uXXXX in a regular expression`);
  const hash = createHash("sha256").update(code).digest("hex").slice(0, 16);
  return `//${hash}\n${code}`;
}

/** A module that is the loader, so that there is one, however often bin.cjs is loaded. */
async function loaderCode(fileOf) {
  const { outputFiles, warnings } = await build({
    ...shared,
    entryPoints: ["src/load-code.ts"],
    splitting: false,
    format: "cjs",
  });
  failOnWarnings(warnings);
  const built = `{ folder: __dirname, fileOf: ${JSON.stringify(fileOf)}, loadOther: require }`;
  return `${outputFiles[0]?.text ?? ""}module.exports = module.exports.codeLoaders(${built});\n`;
}

function lazyEntryPoints() {
  const entryPoints = {};
  for (const entry of LAZY) {
    const source = relative(root, resolve(root, "src", entry));
    const name = basename(source, ".ts");
    if (!existsSync(join(root, source))) {
      throw new BuildError(`LAZY in scripts/build.mjs names ${source}, which does not exist`);
    }
    if (name === "bin" || name in entryPoints) {
      throw new BuildError(`LAZY in scripts/build.mjs: two files would be dist/${name}.cjs`);
    }
    entryPoints[name] = source;
  }
  return entryPoints;
}

/** By file of AT_START: every output that it loads without being asked. Fails when something else slipped in. */
function checkStart(metafile) {
  const atStart = new Map();
  for (const source of AT_START) {
    const entry = Object.entries(metafile.outputs).find(([, out]) => out.entryPoint === source);
    if (entry === undefined) {
      throw new BuildError(`AT_START in scripts/build.mjs: ${source} is not loaded by itself`);
    }
    const outputs = new Set([entry[0]]);
    for (const output of outputs) {
      for (const { path, kind } of metafile.outputs[output].imports) {
        if (kind === "import-statement" && path in metafile.outputs) outputs.add(path);
      }
    }
    atStart.set(source, outputs);
  }
  const lazy = new Set(Object.values(lazyEntryPoints()));
  for (const output of new Set([...atStart.values()].flatMap((outputs) => [...outputs]))) {
    for (const [input, { bytesInOutput }] of Object.entries(metafile.outputs[output].inputs)) {
      const name = /^.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(input)?.[1];
      const isBanned = name === undefined ? lazy.has(input) : !PACKAGES_AT_START.includes(name);
      if (!isBanned || bytesInOutput === 0) continue;
      throw new BuildError(
        `${name ?? input} would be loaded at every start of the command (it is in ${output}):\n` +
          `  ${importChain(metafile, input).join("\n  <- ")}\n` +
          "Break this chain with a dynamic import() of a module that LAZY in scripts/build.mjs names.",
      );
    }
  }
  return atStart;
}

/** The shortest way of static imports from a file of AT_START to a module, that module first. */
function importChain(metafile, target) {
  /** @type {Map<string, string | undefined>} */
  const cameFrom = new Map(AT_START.map((file) => [file, undefined]));
  for (const [input] of cameFrom) {
    for (const { path, kind } of metafile.inputs[input]?.imports ?? []) {
      if (kind !== "dynamic-import" && !cameFrom.has(path)) cameFrom.set(path, input);
    }
  }
  const chain = [];
  for (let input = target; input !== undefined; input = cameFrom.get(input)) chain.push(input);
  return chain;
}

function failOnWarnings(warnings) {
  if (warnings.length > 0) throw new BuildError("esbuild warned (above)");
}

/** Each file appears whole, and stale ones go last: another process may be running the command. */
async function writeDist(files) {
  await mkdir(dist, { recursive: true });
  for (const [name, content] of files) {
    const temporary = join(dist, `.${name}.${process.pid}`);
    await writeFile(temporary, content, { mode: name === "bin.cjs" ? 0o755 : 0o644 });
    await rename(temporary, join(dist, name));
  }
  for (const entry of await readdir(dist, { withFileTypes: true })) {
    if (entry.isFile() && !entry.name.startsWith(".") && !files.has(entry.name)) {
      await rm(join(dist, entry.name), { force: true });
    }
  }
}

async function buildTypes() {
  const types = join(dist, "types");
  await rm(types, { recursive: true, force: true });
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  const status = await new Promise((settle, reject) => {
    const child = spawn(process.execPath, [tsc, "-p", "tsconfig.types.json"], {
      cwd: root,
      stdio: "inherit",
    });
    child.on("error", reject);
    child.on("close", settle);
  });
  if (status !== 0) throw new BuildError("tsc could not write the types");
  await checkTypes(types);
  // What they describe is CommonJS, which `import` and `require` may both load.
  await writeFile(join(types, "package.json"), '{ "type": "commonjs" }\n');
}

// No import names a package with a blank in it; a union of texts, `"from" | "to"`, reads like one.
const IMPORTED = /(?:from|import\()\s*"([^"\s]+)"/g;

/** Keeps what index.d.ts reaches: the compiler writes one for every file that is loaded, also behind a dynamic import. */
async function checkTypes(types) {
  const manifest = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
  const installed = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies });
  const reached = new Set([join(types, "index.d.ts")]);
  for (const file of reached) {
    const text = await readFile(file, "utf8");
    for (const [, specifier = ""] of text.matchAll(IMPORTED)) {
      if (specifier.startsWith(".")) {
        reached.add(join(dirname(file), specifier).replace(/\.ts$/, ".d.ts"));
        continue;
      }
      // A type from a package that users do not have would silently be `any` for them.
      const name = /^(?:@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? "";
      if (name.startsWith("node:") || installed.includes(name)) continue;
      throw new BuildError(
        `${relative(root, file)} imports "${name}", which users of the library do not have.\n` +
          "Keep it out of the types that src/index.ts reaches, or make it a dependency.",
      );
    }
  }
  for (const entry of await readdir(types, { recursive: true })) {
    const file = join(types, entry);
    if (entry.endsWith(".d.ts") && !reached.has(file)) await rm(file);
  }
}

try {
  const [files] = await Promise.all([buildCommand(), fast ? undefined : buildTypes()]);
  await writeDist(files);
} catch (error) {
  if (!(error instanceof BuildError) && !Array.isArray(error?.errors)) throw error;
  // esbuild has already printed its own errors.
  console.error(error instanceof BuildError ? `build: ${error.message}` : "build: failed");
  process.exitCode = 1;
}
