/**
 * Preloaded into every run of the built command (`node --require`): keeps the compiled form of the files in dist/ for the next
 * run, as Node 22.1 and newer do by themselves (`src/bin.ts`). It saves a quarter of what a run costs, and the tests start
 * thousands. One copy by command, because only functions that were called are kept.
 *
 * CommonJS and without packages: it is paid for at every start too.
 */
const { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } = require("node:fs");
const Module = require("node:module");
const { basename, dirname, join } = require("node:path");
const { Script } = require("node:vm");

const root = join(__dirname, "../..");
const dist = join(root, "dist/");
const command = /^[a-z-]+$/.test(process.argv[4] ?? "") ? process.argv[4] : "none";
const folder = join(root, "node_modules/.cache/waymark-tests", command);

/** Compiled anew in this run, by the file to keep it in. */
const fresh = new Map();

const compileOtherwise = Module.prototype._compile;
Module.prototype._compile = function compile(content, filename) {
  if (!filename.startsWith(dist)) return compileOtherwise.call(this, content, filename);
  const { size, mtimeMs } = statSync(filename);
  const kept = join(folder, `${basename(filename)}-${size}-${mtimeMs}`);
  const cachedData = readKept(kept);
  const script = new Script(Module.wrap(content.replace(/^#!.*/, "")), { filename, cachedData });
  if (cachedData === undefined || script.cachedDataRejected === true) fresh.set(kept, script);
  const run = script.runInThisContext();
  const require = Module.createRequire(filename);
  return run.call(this.exports, this.exports, require, this, filename, dirname(filename));
};

function readKept(path) {
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
}

process.on("exit", (code) => {
  // What ended early called too little to be worth keeping.
  if (code !== 0 || fresh.size === 0) return;
  try {
    mkdirSync(folder, { recursive: true });
    for (const [path, script] of fresh) {
      const temporary = `${path}.${process.pid}`;
      writeFileSync(temporary, script.createCachedData());
      renameSync(temporary, path);
    }
  } catch {
    // Tests run commands with a full disk, as other users, with few open files. The next one keeps it.
  }
});
