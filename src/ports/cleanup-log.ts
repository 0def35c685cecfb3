/** When cleanup last ran in the repository and how it ended, and the lock that lets one run at a time. */
export interface LastCleanup {
  readonly at: string;
  /** waiting: it was never due so far. started: it runs, or was killed. */
  readonly outcome: "waiting" | "started" | "done" | "failed";
  readonly removed?: number;
  readonly purged?: number;
  /** What was wrong, when it failed. */
  readonly error?: string;
}

export interface CleanupLog {
  /** Undefined when there is none, or none that can be read. */
  read(): LastCleanup | undefined;
  write(last: LastCleanup): void;
  /** Runs the work while no other cleanup runs; fails with `locked` when one does. */
  exclusively<T>(work: () => Promise<T>): Promise<T>;
}
