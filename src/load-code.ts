/**
 * Loads the files of dist/ that `scripts/build.mjs` makes, with what V8 made of them in an earlier start: compiling is more than half of
 * what a start costs. `docs/decisions/0025-quick-starts.md` says what it saves.
 *
 * What is kept is in the user's cache folder and is code. It is used only where nobody else could have written it, and only whole: V8
 * itself ends the process when a byte of it is wrong. Nothing here makes a command fail.
 */
import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  type Stats,
} from "node:fs";
import { dirname, isAbsolute, join } from "node:path";
import { Script } from "node:vm";

type Load = (id: string) => unknown;
type ModuleCode = (
  exports: object,
  load: Load,
  module: { exports: object },
  folder: string,
) => void;

export interface Built {
  readonly folder: string;
  /** By module: the file that it is in, where that has another name. */
  readonly fileOf: Readonly<Record<string, string>>;
  /** What `require` of Node does, for what is not ours: Node itself. */
  readonly loadOther: Load;
}

/** They take milliseconds to load, and many starts only mention them. */
const LATE = new Set(["node:child_process", "node:crypto", "node:os", "node:zlib"]);

/** One loader, whoever begins: each module exists once. A program that uses the library keeps no compiled code. */
export function codeLoaders(built: Built): Record<"forCommand" | "forLibrary", () => Load> {
  let loader: Load | undefined;
  return {
    forCommand: () => (loader ??= codeLoader(built, keptCode(process.env))),
    forLibrary: () => (loader ??= codeLoader(built, undefined)),
  };
}

function codeLoader({ folder, fileOf, loadOther }: Built, kept: KeptCode | undefined): Load {
  const modules = new Map<string, { exports: object }>();
  const files = new Map<string, Readonly<Record<string, ModuleCode>>>();

  const codeOf = (name: string): ModuleCode => {
    const file = fileOf[name] ?? name;
    let code = files.get(file);
    if (code === undefined) files.set(file, (code = compile(join(folder, file), kept)));
    const own = code[name];
    if (own === undefined) throw new Error(`${name} is missing from ${file}: the build is damaged`);
    return own;
  };
  const load: Load = (id) => {
    if (!id.startsWith("./")) return LATE.has(id) ? whenUsed(() => loadOther(id)) : loadOther(id);
    const name = id.slice(2);
    let module = modules.get(name);
    if (module === undefined) {
      const code = codeOf(name);
      modules.set(name, (module = { exports: {} }));
      code(module.exports, load, module, folder);
    }
    return module.exports;
  };
  return load;
}

/** Stands for a module of Node that is loaded when something of it is asked for. */
function whenUsed(load: () => unknown): object {
  let found: object | undefined;
  const get = (): object => (found ??= load() as object);
  return new Proxy(
    {},
    {
      get: (_target, name) => Reflect.get(get(), name) as unknown,
      has: (_target, name) => Reflect.has(get(), name),
      ownKeys: () => Reflect.ownKeys(get()),
      getOwnPropertyDescriptor: (_target, name) => {
        const own = Reflect.getOwnPropertyDescriptor(get(), name);
        return own === undefined ? undefined : { ...own, configurable: true };
      },
    },
  );
}

/** Of the hash that a file of code begins with, after `//`. */
const HASH_LENGTH = 16;

function compile(path: string, kept: KeptCode | undefined): Readonly<Record<string, ModuleCode>> {
  // The build writes ASCII only.
  const text = readFileSync(path, "latin1");
  const hash = text.slice(2, 2 + HASH_LENGTH);
  const cachedData = kept?.read(hash);
  const script = new Script(text, {
    filename: path,
    ...(cachedData === undefined ? {} : { cachedData }),
  });
  const isUsed = cachedData !== undefined && script.cachedDataRejected !== true;
  if (!isUsed) kept?.keep(hash, script);
  return script.runInThisContext() as Readonly<Record<string, ModuleCode>>;
}

interface KeptCode {
  read(hash: string): Buffer | undefined;
  /** Writes it when the process ends: what was called by then is compiled. */
  keep(hash: string, script: Script): void;
}

/** Commands that agents wait for have code of their own: only what they call is in it. */
const OFTEN = new Set(["create", "hook", "list", "rollback"]);

/** Of versions that are gone, or not used any more. */
const MOST_DAYS = 30;
const DAY_MS = 86_400_000;

/** Undefined where there is no folder for it. Both variables of Node mean the same to Node 22 and newer. */
function keptCode(env: NodeJS.ProcessEnv): KeptCode | undefined {
  const folder = cacheFolder(env);
  const self = process.geteuid?.();
  if (folder === undefined || self === undefined || env["NODE_DISABLE_COMPILE_CACHE"]) return;
  const kind = process.argv.slice(2).find((word) => OFTEN.has(word)) ?? "other";
  const nameOf = (hash: string): string => `${hash}-${kind}-${process.version}-${process.arch}`;
  const fresh = new Map<string, Script>();
  return {
    read: (hash) => {
      try {
        if (!isPrivate(lstatSync(folder), self)) return undefined;
        return readWhole(join(folder, nameOf(hash)), hash, self);
      } catch {
        return undefined;
      }
    },
    keep: (hash, script) => {
      // Looked up again: the command may have made a project around it.
      const write = (): void => writeAll(cacheFolder(env) ?? folder, self, fresh, nameOf);
      if (fresh.size === 0) process.once("exit", write);
      fresh.set(hash, script);
    },
  };
}

function cacheFolder(env: NodeJS.ProcessEnv): string | undefined {
  const home = env["HOME"];
  const given = env["XDG_CACHE_HOME"] || (home ? join(home, ".cache") : undefined);
  const folder = env["NODE_COMPILE_CACHE"] || given;
  if (folder === undefined || !isAbsolute(folder)) return undefined;
  return join(gitFolderAround(folder) ?? folder, "waymark", "code");
}

/** In a work tree the cache would be files of the project; the git folder has room for it. */
function gitFolderAround(folder: string): string | undefined {
  for (let above = folder; above !== dirname(above); above = dirname(above)) {
    for (const name of [".git", ".checkpoints/repo.git", ".waymark/repo.git"]) {
      const found = join(above, name);
      if (existsSync(found)) return found;
    }
  }
  return undefined;
}

/** Nobody else can write it, or put another in its place. */
function isPrivate(stat: Stats, self: number): boolean {
  const isOfAKind = stat.isFile() || stat.isDirectory();
  return isOfAKind && stat.uid === self && (stat.mode & 0o022) === 0;
}

/** It is written twice, and then comes the hash: comparing takes no module of Node that takes time to load, as a checksum would. */
function readWhole(path: string, hash: string, self: number): Buffer | undefined {
  const file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const stat = fstatSync(file);
    if (!stat.isFile() || !isPrivate(stat, self)) return undefined;
    const bytes = readFileSync(file);
    const length = (bytes.length - HASH_LENGTH) / 2;
    if (length <= 0 || bytes.toString("latin1", 2 * length) !== hash) return undefined;
    const code = bytes.subarray(0, length);
    return code.equals(bytes.subarray(length, 2 * length)) ? code : undefined;
  } finally {
    closeSync(file);
  }
}

function writeAll(
  folder: string,
  self: number,
  fresh: ReadonlyMap<string, Script>,
  nameOf: (hash: string) => string,
): void {
  try {
    // Not as root in the folder of somebody else.
    if (statSync(nearest(folder)).uid !== self) return;
    makeFolders(folder);
    if (!isPrivate(lstatSync(folder), self)) return;
    ignoreInGit(folder);
    for (const [hash, script] of fresh) {
      write(join(folder, nameOf(hash)), hash, script.createCachedData());
    }
    removeOld(folder);
  } catch {
    // The disk is full or cannot be written; the next start tries again.
  }
}

/** One by one: the recursive way of Node 20 never returns where a file system takes no folders, such as /proc. */
function makeFolders(folder: string): void {
  if (existsSync(folder)) return;
  makeFolders(dirname(folder));
  mkdirSync(folder, { mode: 0o700 });
}

/** For a repository that is made around it later, such as one of the home folder. */
function ignoreInGit(folder: string): void {
  const file = join(dirname(folder), ".gitignore");
  if (!existsSync(file)) writeFileSync(file, "*\n", { flag: "wx", mode: 0o600 });
}

/** The folder, or what is there of the way to it. */
function nearest(folder: string): string {
  let found = folder;
  while (statSync(found, { throwIfNoEntry: false }) === undefined) found = join(found, "..");
  return found;
}

function write(path: string, hash: string, code: Buffer): void {
  const temporary = `${path}.${process.pid}`;
  const file = openSync(temporary, "wx", 0o600);
  try {
    writeFileSync(file, Buffer.concat([code, code, Buffer.from(hash, "latin1")]));
    fsyncSync(file);
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  } finally {
    closeSync(file);
  }
}

function removeOld(folder: string): void {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    const stat = lstatSync(path, { throwIfNoEntry: false });
    if (stat !== undefined && Date.now() - stat.mtimeMs > MOST_DAYS * DAY_MS) rmSync(path);
  }
}
