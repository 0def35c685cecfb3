import { describe } from "vitest";
import { auditLogSuite } from "../../ports/audit-log.suite.ts";
import { MemoryAuditLog } from "./memory-audit-log.ts";

describe("MemoryAuditLog", () => {
  auditLogSuite(() => {
    const lines: string[] = [];
    return { log: new MemoryAuditLog(lines), reopen: () => new MemoryAuditLog(lines) };
  });
});
