import { expect, it } from "vitest";
import { MemoryAuditLog } from "../adapters/memory/memory-audit-log.ts";
import { audited } from "./audited.ts";
import type { Project } from "./project.ts";

it("[R58] an operation that succeeded is not reported as failed because the log cannot tell its session", async () => {
  const audit = new MemoryAuditLog();
  const project = {
    audit,
    actor: { user: "ada", host: "here", pid: 1, agent: null },
    clock: { now: () => new Date("2026-11-15T18:45:30.000Z") },
    workTree: { id: "main" },
    currentSession: {
      get: () => {
        throw new Error("EMFILE: too many open files");
      },
    },
  } as unknown as Project;
  const outcome = (id: string) => ({ checkpointIds: [id] });
  const result = await audited(project, { operation: "export", outcome }, async () => "cp-1");
  expect(result).toBe("cp-1");
  expect(audit.read()).toMatchObject([{ ok: true, session_id: "worktree-main" }]);
});
