/** Moves the clock of a test to a time when what was left without an owner in sight may go. */
import { onTestFinished, vi } from "vitest";
import { ABANDONED_MS } from "./left-behind.ts";

export function aDayLater(): void {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + ABANDONED_MS + 60_000 });
  onTestFinished(() => {
    vi.useRealTimers();
  });
}
