import { describe, expect, it } from "vitest";
import { fine, warning } from "../domain/health.ts";
import { Failure } from "../domain/failure.ts";
import type { HealthCheck } from "../ports/health-check.ts";
import { SILENT } from "../ports/progress.ts";
import { diagnose } from "./diagnose.ts";

const broken = (error: unknown): HealthCheck => ({
  name: "broken",
  look: () => {
    throw error;
  },
});

function leftovers(onFix: () => void = () => undefined) {
  let isThere = true;
  const check: HealthCheck = {
    name: "leftovers",
    look: () => [isThere ? { ...warning("one is there", "--fix"), fixable: true } : fine("none")],
    fix: () => {
      onFix();
      isThere = false;
    },
  };
  return check;
}

describe("diagnose", () => {
  it("reports a check that throws and goes on", async () => {
    const checks = [
      broken(new TypeError("undefined is not a function")),
      broken(new Failure("git_failed", "git fell over", { hint: "get up" })),
      { name: "last", look: () => [fine("all is well")] },
    ];
    expect(await diagnose(checks, true, SILENT)).toMatchObject([
      { name: "broken", status: "problem", message: expect.stringContaining("not a function") },
      { name: "broken", status: "problem", hint: "get up" },
      { name: "last", status: "ok", fixed: false },
    ]);
  });

  it("fixes only when asked, and only what is fixable", async () => {
    let fixes = 0;
    const count = (): void => void (fixes += 1);
    expect(await diagnose([leftovers(count)], false, SILENT)).toMatchObject([
      { status: "warning", fixable: true, fixed: false },
    ]);
    const whole: HealthCheck = { name: "whole", look: () => [fine("fine")], fix: count };
    await diagnose([whole], true, SILENT);
    expect(fixes).toBe(0);
    expect(await diagnose([leftovers(count)], true, SILENT)).toMatchObject([
      { status: "ok", message: "none", fixed: true },
    ]);
    expect(fixes).toBe(1);
  });

  it("reports a fix that failed", async () => {
    const stuck = leftovers(() => {
      throw new Error("no way");
    });
    expect(await diagnose([stuck], true, SILENT)).toMatchObject([
      { status: "warning", fixed: false },
      { status: "problem", message: "the fix failed: no way" },
    ]);
  });
});
