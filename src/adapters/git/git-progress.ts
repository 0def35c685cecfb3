/** What git says about its progress on stderr, as phases with totals of their own. */
import type { Progress, ProgressTask } from "../../ports/progress.ts";

/** `Compressing objects:  45% (45/100)`. What it only counts (`Enumerating objects: 1234`) has no end in sight, and is short. */
const STEP = /([A-Z][a-z]+ (?:objects|deltas)): +(?:\d+% \((\d+)\/(\d+)\)|\d+)/g;

export interface GitProgress {
  read(stderr: string): void;
  /** Called when git has ended. */
  end(): void;
}

export function gitProgress(progress: Progress): GitProgress {
  let phase: { label: string; done: number; total: number; task: ProgressTask } | undefined;
  const end = (): void => {
    phase?.task.end();
    phase = undefined;
  };
  return {
    read: (stderr) => {
      for (const [, name = "", done, total] of stderr.matchAll(STEP)) {
        if (done === undefined) continue;
        const label = name.toLowerCase();
        if (phase?.label !== label || phase.total !== Number(total)) {
          end();
          const task = progress.begin(label, { items: Number(total) });
          phase = { label, done: 0, total: Number(total), task };
        }
        if (Number(done) > phase.done) phase.task.advance(Number(done) - phase.done);
        phase.done = Number(done);
      }
    },
    end,
  };
}

/** What else git said. */
export function withoutProgress(stderr: string): string {
  return stderr
    .split(/[\r\n]+/)
    .filter((line) => line.search(STEP) < 0)
    .join("\n")
    .trim();
}
