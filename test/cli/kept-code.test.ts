import { spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { bin } from "../support/cli.ts";

const isRoot = process.getuid?.() === 0;

let cache: string;
let folder: string;
let said: string;

beforeEach(() => {
  cache = mkdtempSync(join(tmpdir(), "waymark-code-"));
  folder = join(cache, "waymark/code");
  said = help();
});

afterEach(() => {
  rmSync(cache, { recursive: true, force: true });
});

/** Loads most of what every command does, and needs no project. */
function help(env: NodeJS.ProcessEnv = {}): string {
  const { status, stdout, stderr } = spawnSync(process.execPath, [bin, "list", "--help"], {
    env: { ...process.env, XDG_CACHE_HOME: cache, ...env },
    encoding: "utf8",
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  expect(stdout).toContain("Usage: waymark list");
  return stdout;
}

const paths = (): string[] => readdirSync(folder).map((name) => join(folder, name));
const identities = (): string[] => paths().map((path) => String(statSync(path).ino));

function spoilAll(spoil: (bytes: Buffer) => Buffer): void {
  for (const path of paths()) writeFileSync(path, spoil(readFileSync(path)));
}

/** What is behind the header of V8, in both copies alike: whoever uses it is ended by V8. */
function poison(bytes: Buffer): Buffer {
  const length = (bytes.length - 16) / 2;
  for (let at = 64; at < length; at++) {
    const wrong = bytes.readUInt8(at) ^ 0x41;
    bytes.writeUInt8(wrong, at);
    bytes.writeUInt8(wrong, length + at);
  }
  return bytes;
}

describe("compiled code", () => {
  it("is kept for the next start, which writes nothing", () => {
    const before = identities();
    expect(before.length).toBeGreaterThan(1);
    expect(help()).toBe(said);
    expect(identities()).toEqual(before);
  });

  it("is for its user only", () => {
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(paths().map((path) => statSync(path).mode & 0o777)).toEqual(paths().map(() => 0o600));
  });

  it.each<[string, (bytes: Buffer) => Buffer]>([
    ["with a wrong byte", (bytes) => (bytes.writeUInt8(bytes.readUInt8(900) ^ 0x41, 900), bytes)],
    ["cut off", (bytes) => bytes.subarray(0, bytes.length / 2)],
    ["without anything in it", () => Buffer.alloc(0)],
    ["of nothing but zeros", (bytes) => bytes.fill(0)],
    ["of another file", (bytes) => (bytes.write("f".repeat(16), bytes.length - 16), bytes)],
    [
      "of another V8",
      (bytes) => (bytes.fill(7, 4, 8).copy(bytes, (bytes.length - 16) / 2, 0, 8), bytes),
    ],
  ])("%s is not used, but made again", (_what, spoil) => {
    const before = identities();
    spoilAll(spoil);
    expect(help()).toBe(said);
    // V8 compiles a little more or less each time, so that the sizes say nothing.
    const after = identities();
    expect(after).toHaveLength(before.length);
    expect(after.filter((each) => before.includes(each))).toEqual([]);
    expect(help()).toBe(said);
    expect(identities()).toEqual(after);
  });

  it("that others can write is not used", () => {
    spoilAll(poison);
    for (const path of paths()) chmodSync(path, 0o620);
    expect(help()).toBe(said);
  });

  it("in a folder that others can write is not used, and none is written there", () => {
    const before = identities();
    spoilAll(poison);
    chmodSync(folder, 0o777);
    expect(help()).toBe(said);
    expect(identities()).toEqual(before);
  });

  it("behind a link is not used, nor is a folder behind a link", () => {
    spoilAll(poison);
    for (const path of paths()) {
      renameSync(path, join(cache, "behind"));
      cpSync(join(cache, "behind"), `${path}-there`);
      symlinkSync(`${path}-there`, path);
    }
    expect(help()).toBe(said);
    rmSync(folder, { recursive: true });
    help();
    spoilAll(poison);
    renameSync(folder, join(cache, "elsewhere"));
    symlinkSync(join(cache, "elsewhere"), folder);
    expect(help()).toBe(said);
  });

  it.runIf(isRoot)("of another user is neither used nor written over", () => {
    spoilAll(poison);
    const before = identities();
    for (const path of [cache, join(cache, "waymark"), folder, ...paths()]) chownSync(path, 12, 12);
    expect(help()).toBe(said);
    expect(identities()).toEqual(before);
    rmSync(join(cache, "waymark"), { recursive: true });
    expect(help()).toBe(said);
    expect(readdirSync(cache)).toEqual([]);
  });

  it("is not kept where it cannot be, or is not wanted", () => {
    rmSync(join(cache, "waymark"), { recursive: true });
    expect(help({ NODE_DISABLE_COMPILE_CACHE: "1" })).toBe(said);
    expect(help({ XDG_CACHE_HOME: "relative" })).toBe(said);
    expect(help({ XDG_CACHE_HOME: join(process.execPath, "no folder") })).toBe(said);
    expect(existsSync(folder)).toBe(false);
  });

  it("goes when it was not used for long, with what a killed start left", () => {
    const old = join(folder, "0000000000000000-list-v18.0.0-x64");
    const half = join(folder, "0000000000000000-list-v20.0.0-x64.123");
    for (const path of [old, half]) {
      writeFileSync(path, "");
      utimesSync(path, new Date(0), new Date(0));
    }
    spoilAll(() => Buffer.alloc(0));
    for (const path of [old, half]) utimesSync(path, new Date(0), new Date(0));
    help();
    expect([existsSync(old), existsSync(half)]).toEqual([false, false]);
  });
});
