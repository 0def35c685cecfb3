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
