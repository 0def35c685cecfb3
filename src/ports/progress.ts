/** Says how far long work has come. Calls are cheap; who listens decides what is worth showing. */
export interface Progress {
  /** `label` as in "capturing files"; totals where they are known. */
  begin(label: string, total?: ProgressTotal): ProgressTask;
}

export interface ProgressTotal {
  readonly items?: number;
  readonly bytes?: number;
}

export interface ProgressTask {
  advance(items: number, bytes?: number): void;
  /** Called exactly once, also when the work failed. */
  end(): void;
}

const SILENT_TASK: ProgressTask = { advance: () => undefined, end: () => undefined };

export const SILENT: Progress = { begin: () => SILENT_TASK };

/** Calls `work` for each item, one after the other. Every loop of a rollback goes through one of these. */
export type ForEach = <Item>(
  label: string,
  items: readonly Item[],
  work: (item: Item) => Promise<void> | void,
) => Promise<void>;

/** Work on files is synchronous: without a pause now and then no signal arrives, and no bar is drawn. */
const PAUSE_EVERY_MS = 50;

/** Called after each piece of work: lets signals and timers be heard when it is time for that. */
export function pauser(): () => Promise<void> | undefined {
  let pausedAt = performance.now();
  return () => {
    if (performance.now() - pausedAt < PAUSE_EVERY_MS) return undefined;
    return new Promise((resolve) => {
      setImmediate(() => {
        pausedAt = performance.now();
        resolve();
      });
    });
  };
}

/** `beforeEach` may throw to stop. */
export function forEachWith(progress: Progress, beforeEach?: () => void): ForEach {
  return async (label, items, work) => {
    if (items.length === 0) return;
    const task = progress.begin(label, { items: items.length });
    const pause = pauser();
    try {
      for (const item of items) {
        beforeEach?.();
        await work(item);
        task.advance(1);
        await pause();
      }
    } finally {
      task.end();
    }
  };
}
