import { execFileSync, spawn } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { describe, expect, it } from "vitest";
import { sampleAudit } from "../../domain/audit.fixture.ts";
import { auditLine } from "../../domain/audit.ts";
import { auditLogSuite } from "../../ports/audit-log.suite.ts";
import { FilesAuditLog, type AuditFiles } from "./files-audit-log.ts";
import { tempFolder } from "./temp-folder.fixture.ts";

interface Place {
  readonly root: string;
  readonly folder: string;
  readonly path: string;
  readonly warnings: string[];
  readonly open: (more?: Partial<AuditFiles>) => FilesAuditLog;
}

function place(): Place {
  const root = tempFolder();
  const folder = join(root, "own");
  const warnings: string[] = [];
  const open = (more: Partial<AuditFiles> = {}) =>
    new FilesAuditLog({
      folder,
      lock: join(root, "private", "audit.lock"),
      warn: (message) => void warnings.push(message),
      ...more,
    });
  return { root, folder, path: join(folder, "audit.log"), warnings, open };
}

const reasons = (log: FilesAuditLog): (string | null)[] => log.read({}).map(({ reason }) => reason);

describe("FilesAuditLog", () => {
  auditLogSuite(() => {
    const { open } = place();
    return { log: open(), reopen: () => open() };
  });

  it("makes folder and file when they are needed, for nobody else to read", () => {
    const { folder, path, open } = place();
    const log = open();
    log.read({});
    expect(existsSync(folder)).toBe(false);
    log.append(sampleAudit());
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readFileSync(path, "utf8")).toBe(auditLine(sampleAudit()));
  });

  it("does not glue an entry to what a killed process left, and skips that", () => {
    const { path, open } = place();
    const log = open();
    log.append(sampleAudit({ reason: "first" }));
    appendFileSync(path, auditLine(sampleAudit({ reason: "half" })).slice(0, 100));
    log.append(sampleAudit({ reason: "second" }));
    appendFileSync(path, "by hand\n\n\u0000\u0000\n");
    log.append(sampleAudit({ reason: "third" }));
    expect(reasons(log)).toEqual(["first", "second", "third"]);
  });

  it("keeps three older files, and the oldest goes", () => {
    const { folder, open } = place();
    const log = open({ mostBytes: 1 });
    for (const reason of ["1", "2", "3", "4", "5"]) log.append(sampleAudit({ reason }));
    expect(readdirSync(folder).toSorted()).toEqual(["audit.log.1", "audit.log.2", "audit.log.3"]);
    expect(reasons(log)).toEqual(["3", "4", "5"]);
  });

  it("goes on when files cannot be rotated, and rotates later", () => {
    const { root, open, warnings } = place();
    const log = open({ mostBytes: 1 });
    writeFileSync(join(root, "private"), "in the way of the lock");
    log.append(sampleAudit({ reason: "first" }));
    log.append(sampleAudit({ reason: "second" }));
    expect(reasons(log)).toEqual(["first", "second"]);
    expect(warnings.length).toBe(2);
    rmSync(join(root, "private"));
    log.append(sampleAudit({ reason: "third" }));
    log.append(sampleAudit({ reason: "fourth" }));
    expect(reasons(log)).toEqual(["first", "second", "third", "fourth"]);
    expect(warnings.length).toBe(2);
  });

  it("shows a file once that is moved while it is read", () => {
    const { path, open } = place();
    const log = open();
    log.append(sampleAudit({ reason: "once" }));
    // As a reader sees it that has read audit.log before it became audit.log.1.
    linkSync(path, `${path}.1`);
    expect(reasons(log)).toEqual(["once"]);
  });

  it("writes through no link, and into nothing but a plain file", () => {
    for (const what of ["folder", "file", "pipe", "other"] as const) {
      const { root, folder, path, warnings, open } = place();
      const outside = join(root, "outside");
      if (what === "folder") {
        mkdirSync(outside);
        writeFileSync(join(outside, "audit.log"), "");
        symlinkSync(outside, folder);
      } else {
        mkdirSync(folder);
        if (what === "file") {
          writeFileSync(outside, "");
          symlinkSync(outside, path);
        } else if (what === "pipe") execFileSync("mkfifo", [path]);
        else mkdirSync(path);
      }
      open().append(sampleAudit());
      expect(warnings).toHaveLength(1);
      if (what === "folder") expect(readFileSync(join(outside, "audit.log"), "utf8")).toBe("");
      if (what === "file") expect(readFileSync(outside, "utf8")).toBe("");
      expect(open().read({})).toEqual([]);
    }
  });

  it.skipIf(process.getuid?.() === 0)("warns where nothing may be written", () => {
    const { root, warnings, open } = place();
    chmodSync(root, 0o500);
    open().append(sampleAudit());
    chmodSync(root, 0o700);
    expect(warnings).toEqual([expect.stringContaining("permission denied")]);
  });

  it("[R58] loses and tears no line while many processes write and files are rotated", async () => {
    const writers = 8;
    const lines = 200;
    const { root, folder, open } = place();
    const bytes = Buffer.byteLength(auditLine(sampleAudit({ reason: "writer 0 line 000" })));
    // All of them fit into the files that are kept, and most rotations happen while others write.
    const mostBytes = Math.ceil((writers * lines * bytes) / 3.5);
    const script = join(root, "writer.mjs");
    await build({
      stdin: { contents: WRITER, resolveDir: import.meta.dirname, loader: "ts" },
      bundle: true,
      format: "esm",
      platform: "node",
      outfile: script,
      logLevel: "error",
    });
    const options = { folder, lock: join(root, "private", "audit.lock"), mostBytes, lines };
    const codes = await Promise.all(
      Array.from({ length: writers }, (_, writer) => run(script, { ...options, writer })),
    );
    expect(codes).toEqual(Array.from({ length: writers }, () => 0));
    expect(readdirSync(folder).toSorted()).toEqual([
      "audit.log",
      "audit.log.1",
      "audit.log.2",
      "audit.log.3",
    ]);
    const expected = Array.from({ length: writers * lines }, (_, at) =>
      reasonOf(Math.floor(at / lines), at % lines),
    );
    expect(new Set(reasons(open()))).toEqual(new Set(expected));
    const written = readdirSync(folder).flatMap((name) =>
      readFileSync(join(folder, name), "utf8").split("\n").filter(Boolean),
    );
    expect(written).toHaveLength(writers * lines);
  });
});

const reasonOf = (writer: number, line: number): string =>
  `writer ${writer} line ${String(line).padStart(3, "0")}`;

const WRITER = `
import { mkdirSync } from "node:fs";
import { sampleAudit } from "../../domain/audit.fixture.ts";
import { FilesAuditLog } from "./files-audit-log.ts";
const { folder, lock, mostBytes, lines, writer } = JSON.parse(process.argv[2] ?? "");
const log = new FilesAuditLog({
  folder, lock, mostBytes,
  warn: (message) => { console.error(message); process.exitCode = 1; },
});
for (let line = 0; line < lines; line++) {
  log.append(sampleAudit({ reason: "writer " + writer + " line " + String(line).padStart(3, "0") }));
}
`;

function run(script: string, options: object): Promise<number | null> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [script, JSON.stringify(options)], { stdio: "inherit" });
    child.on("error", reject);
    child.on("close", resolve);
  });
}
