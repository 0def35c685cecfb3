/** What every audit log has to do. Each adapter's test runs it. */
import { beforeEach, describe, expect, it } from "vitest";
import { failedAudit, sampleAudit } from "../domain/audit.fixture.ts";
import { MOST_LINE_BYTES } from "../domain/audit.ts";
import type { AuditLog } from "./audit-log.ts";

export interface AuditLogSubject {
  /** Empty at the beginning. */
  readonly log: AuditLog;
  /** The same storage, as another process sees it. */
  reopen(): AuditLog;
}

const at = (second: number): string => `2026-11-15T18:45:${String(second).padStart(2, "0")}.000Z`;

export function auditLogSuite(make: () => AuditLogSubject): void {
  describe("the contract of audit logs", () => {
    let subject: AuditLogSubject;
    let log: AuditLog;

    beforeEach(() => {
      subject = make();
      log = subject.log;
    });

    it("has nothing at the beginning", () => {
      expect(log.read({})).toEqual([]);
    });

    it("gives back what was added, the oldest first, here and elsewhere", () => {
      const first = sampleAudit({ at: at(1), details: { trigger: "manual", phase: null } });
      const second = failedAudit({ at: at(2), operation: "rollback", reason: "why" });
      log.append(first);
      subject.reopen().append(second);
      expect(log.read({})).toEqual([first, second]);
      expect(subject.reopen().read({})).toEqual([first, second]);
    });

    it("keeps to the range", () => {
      for (const second of [1, 2, 3]) log.append(sampleAudit({ at: at(second) }));
      expect(log.read({ since: at(2) }).map((entry) => entry.at)).toEqual([at(2), at(3)]);
    });

    it("is not broken by control characters, line ends and lone surrogates", () => {
      const reason = "one\ntwo\r\n\u0000\u001b[31m\u2028 \ud800 ü 漢";
      log.append(sampleAudit({ reason }));
      log.append(sampleAudit({ at: at(40) }));
      expect(log.read({}).map((entry) => entry.reason)).toEqual([reason, null]);
    });

    it("cuts what is too long, and says how much there was", () => {
      const ids = Array.from({ length: 1000 }, (_, number) => `cp-00-manual-${number}`);
      log.append(
        failedAudit({
          checkpoint_ids: ids,
          checkpoint_total: ids.length,
          error: { code: "git_failed", message: "\u0001".repeat(100_000) },
          details: { file: "x".repeat(100_000) },
        }),
      );
      const [entry] = log.read({});
      expect(JSON.stringify(entry).length).toBeLessThanOrEqual(MOST_LINE_BYTES);
      expect(entry).toMatchObject({ checkpoint_total: 1000, error: { code: "git_failed" } });
      expect(ids).toContain(entry?.checkpoint_ids[0]);
    });
  });
}
