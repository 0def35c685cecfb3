/** Cases of `phase`. */
import { wrongSettings } from "./preparations.ts";
import type { JsonCase } from "./json-case.ts";

export const PHASE_CASES: Readonly<Record<string, readonly JsonCase[]>> = {
  phase: [
    {
      title: "completed",
      args: ["phase", "implement", "--task", "task-12", "--", "sh", "-c", "echo x >> b.txt"],
      prints: { kind: "phase" },
    },
    {
      title: "failed, without a checkpoint before it",
      args: ["phase", "plan", "--", "sh", "-c", "exit 3"],
      prints: { kind: "phase", exit: 1 },
    },
    {
      title: "no such program",
      args: ["phase", "implement", "--", "no-such-program"],
      prints: { kind: "phase", exit: 1 },
    },
    {
      title: "no name that a phase can have",
      args: ["phase", "a/b", "--", "true"],
      prints: { error: "usage" },
    },
    {
      title: "no such session",
      args: ["phase", "plan", "--session", "none", "--", "true"],
      prints: { error: "session_not_found" },
    },
    {
      title: "wrong settings",
      prepare: wrongSettings,
      args: ["phase", "plan", "--", "true"],
      prints: { error: "config_invalid" },
    },
  ],
};
