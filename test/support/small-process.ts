/**
 * What a process has in memory is copied for every program that it starts, which is most of what tests of git do: at 150 MB that takes four
 * times as long as at 50.
 */
export const SMALL_PROCESS: readonly string[] = ["--max-semi-space-size=2", "--single-threaded-gc"];

/** For this process to hand down. */
export function keepHeapsSmall(): void {
  process.env["MALLOC_ARENA_MAX"] ??= "1";
  process.env["MALLOC_TRIM_THRESHOLD_"] ??= "65536";
  process.env["MALLOC_MMAP_THRESHOLD_"] ??= "65536";
}
