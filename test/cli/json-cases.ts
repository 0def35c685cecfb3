/**
 * What every command prints with `--json`, as cases in real repositories. A command without a case, and a kind of
 * document without one, fails test/cli/json-output.test.ts.
 */
import { CHECKPOINTS_CASES } from "./cases/checkpoints.ts";
import { GOING_BACK_CASES } from "./cases/going-back.ts";
import { REPAIR_CASES } from "./cases/repair.ts";
import { MOVING_CASES } from "./cases/moving.ts";
import { SESSIONS_CASES } from "./cases/sessions.ts";
import { KEEPING_CASES } from "./cases/keeping.ts";
import { OBSERVING_CASES } from "./cases/observing.ts";
import { PHASE_CASES } from "./cases/phases.ts";
import { RESUMING_CASES } from "./cases/resuming.ts";
import { RUNNING_CASES } from "./cases/running.ts";
import { SET_UP_CASES } from "./cases/set-up.ts";
import type { JsonCase } from "./cases/json-case.ts";

export type { JsonCase } from "./cases/json-case.ts";

export const CASES: Readonly<Record<string, readonly JsonCase[]>> = {
  ...CHECKPOINTS_CASES,
  ...GOING_BACK_CASES,
  ...RESUMING_CASES,
  ...RUNNING_CASES,
  ...REPAIR_CASES,
  ...MOVING_CASES,
  ...KEEPING_CASES,
  ...PHASE_CASES,
  ...OBSERVING_CASES,
  ...SESSIONS_CASES,
  ...SET_UP_CASES,
};
