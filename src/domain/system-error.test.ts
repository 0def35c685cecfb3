import { mkdtempSync, openSync, renameSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { Failure } from "./failure.ts";
import { asFailure } from "./system-error.ts";

/** What the operating system says, as node passes it on. */
function systemError(code: string, syscall: string, paths: Record<string, unknown>): Error {
  return Object.assign(new Error(`${code}: in node's words`), { code, syscall, ...paths });
}

describe("errors of the operating system", () => {
  it.each([
    ["ENOSPC", "disk_full"],
    ["EDQUOT", "disk_full"],
    ["EACCES", "no_permission"],
    ["EPERM", "no_permission"],
    ["EROFS", "no_permission"],
    ["EIO", "io_failed"],
  ])("%s is the failure %s, with a hint", (code, failure) => {
    const made = asFailure(systemError(code, "open", { path: "/x/y" }));
    expect(made).toMatchObject({ code: failure, details: { error: code, paths: ["/x/y"] } });
    expect((made as Failure).hint).not.toBe("");
  });

  it("names what was done and both places of a copy", () => {
    const error = systemError("EACCES", "copyfile", { path: "/from", dest: "/to" });
    expect(asFailure(error, "taking a checkpoint")).toMatchObject({
      message: "taking a checkpoint: permission denied (copyfile /from to /to)",
    });
  });

  it("knows a path of bytes", () => {
    const error = systemError("EROFS", "rename", { path: Buffer.from("/bytes") });
    expect(asFailure(error)).toMatchObject({
      message: "the file system is read-only (rename /bytes)",
    });
  });

  it("knows real ones", () => {
    const folder = mkdtempSync(join(tmpdir(), "waymark-test-"));
    const thrownBy = (act: () => void): unknown => {
      try {
        act();
      } catch (error) {
        return asFailure(error);
      }
      return undefined;
    };
    expect(thrownBy(() => openSync(join(folder, "a"), "r"))).toMatchObject({ code: "io_failed" });
    expect(thrownBy(() => renameSync(folder, join(folder, "inside")))).toMatchObject({
      code: "io_failed",
      details: { paths: [folder, join(folder, "inside")] },
    });
  });

  it("leaves failures and bugs as they are", () => {
    const failure = new Failure("locked", "held", { hint: "Wait." });
    const bug = new TypeError("undefined is not a function");
    expect(asFailure(failure)).toBe(failure);
    expect(asFailure(bug)).toBe(bug);
    expect(asFailure("text")).toBe("text");
  });
});
