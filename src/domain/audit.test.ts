import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sampleAudit } from "./audit.fixture.ts";
import { auditErrorOf, auditLine, MOST_LINE_BYTES, parseAuditLine } from "./audit.ts";
import { Failure } from "./failure.ts";

describe("a line of the audit log", () => {
  it("is one line, not too long, and reads back, whatever is in it", () => {
    const long = fc
      .tuple(fc.string({ unit: "binary" }), fc.integer({ min: 1, max: 400 }))
      .map(([text, times]) => text.repeat(times));
    const entries = fc.record({
      reason: fc.option(long),
      session_id: long,
      checkpoint_ids: fc.array(long, { maxLength: 30 }),
      error: fc.record({ code: fc.string(), message: long }),
      details: fc.dictionary(fc.string(), fc.oneof(long, fc.integer(), fc.array(long))),
    });
    fc.assert(
      fc.property(entries, (more) => {
        const line = auditLine(sampleAudit({ ...more, ok: false }));
        expect(Buffer.byteLength(line)).toBeLessThanOrEqual(MOST_LINE_BYTES);
        expect(line.indexOf("\n")).toBe(line.length - 1);
        expect(parseAuditLine(line)?.operation).toBe("create");
      }),
    );
  });

  it("keeps what fits as it is", () => {
    const entry = sampleAudit({ reason: "why", details: { trigger: "manual", step: 4 } });
    expect(parseAuditLine(auditLine(entry))).toEqual(entry);
  });

  it("is no entry when a part of it is missing", () => {
    const line = auditLine(sampleAudit());
    for (let end = 0; end < line.length - 1; end++) {
      expect(parseAuditLine(line.slice(0, end))).toBeUndefined();
    }
    for (const other of ["null", "[]", "7", "{}", '{"at":"yesterday"}', "by hand"]) {
      expect(parseAuditLine(other)).toBeUndefined();
    }
    const { by: _, ...without } = sampleAudit();
    expect(parseAuditLine(JSON.stringify(without))).toBeUndefined();
  });

  it("names failures by their code and bugs as such", () => {
    expect(auditErrorOf(new Failure("locked", "busy", { hint: "wait" }))).toEqual({
      code: "locked",
      message: "busy",
    });
    const full = Object.assign(new Error("ENOSPC"), { code: "ENOSPC", syscall: "write" });
    expect(auditErrorOf(full).code).toBe("disk_full");
    expect(auditErrorOf(new TypeError("undefined"))).toEqual({
      code: "internal",
      message: "undefined",
    });
    expect(auditErrorOf("text").message).toBe("text");
  });
});
