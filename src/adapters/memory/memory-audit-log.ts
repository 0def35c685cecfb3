/** The audit log in a list: for tests of what stands above the port. */
import { auditLine, parseAuditLine, type AuditEntry } from "../../domain/audit.ts";
import type { AuditLog, AuditRange } from "../../ports/audit-log.ts";

export class MemoryAuditLog implements AuditLog {
  readonly #lines: string[];

  constructor(lines: string[] = []) {
    this.#lines = lines;
  }

  append(entry: AuditEntry): void {
    this.#lines.push(auditLine(entry));
  }

  read({ since = "" }: AuditRange = {}): AuditEntry[] {
    return this.#lines
      .flatMap((line) => parseAuditLine(line) ?? [])
      .filter(({ at }) => at >= since);
  }
}
