import { cpSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import {
  areCommandsTrusted,
  forgetMadeHere,
  forgetTrust,
  isMadeHere,
  markMadeHere,
  trustCommands,
} from "./made-here.ts";

const place = (): { sharedDir: string } => ({
  sharedDir: mkdtempSync(join(tmpdir(), "made-here-")),
});
const FILE = { path: "flow.yml", digest: "sha256:1", text: "name: x\n" };
const CHECKPOINT = { id: "cp-1", checksum: "sha256:2" };

afterEach(() => vi.restoreAllMocks());

describe("marks of what was made here", () => {
  it("[R160] hold for one session, one path and one text", () => {
    const repository = place();
    trustCommands(repository, "one", FILE);
    expect(areCommandsTrusted(repository, "one", { ...FILE, digest: "anything" })).toBe(true);
    expect(areCommandsTrusted(repository, "two", FILE)).toBe(false);
    expect(areCommandsTrusted(repository, "one", { ...FILE, text: "name: y\n" })).toBe(false);
    expect(areCommandsTrusted(repository, "one", { ...FILE, path: "vendor/flow.yml" })).toBe(false);
    trustCommands(repository, "one", { ...FILE, text: "name: y\n" });
    expect(areCommandsTrusted(repository, "one", FILE)).toBe(true);
    forgetTrust(repository, "one");
    expect(areCommandsTrusted(repository, "one", FILE)).toBe(false);
  });

  it("[R160] hold for one document of a checkpoint", () => {
    const repository = place();
    markMadeHere(repository, CHECKPOINT, false);
    expect(isMadeHere(repository, CHECKPOINT)).toBe(true);
    expect(isMadeHere(repository, { ...CHECKPOINT, checksum: "sha256:3" })).toBe(false);
    forgetMadeHere(repository, ["cp-1"]);
    expect(isMadeHere(repository, CHECKPOINT)).toBe(false);
  });

  it("[R160] of another user do not count, nor does anything that is no mark", () => {
    const theirs = place();
    vi.spyOn(process, "getuid").mockReturnValue(4711);
    trustCommands(theirs, "one", FILE);
    markMadeHere(theirs, CHECKPOINT, false);
    vi.restoreAllMocks();
    const copy = place();
    cpSync(theirs.sharedDir, copy.sharedDir, { recursive: true });
    expect(areCommandsTrusted(copy, "one", FILE)).toBe(false);
    expect(isMadeHere(copy, CHECKPOINT)).toBe(false);
    writeFileSync(join(copy.sharedDir, "made-here", "sessions", "one"), "{");
    expect(areCommandsTrusted(copy, "one", FILE)).toBe(false);
  });
});
