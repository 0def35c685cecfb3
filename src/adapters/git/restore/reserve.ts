/**
 * Room on the disk that a rollback holds back for itself: when the disk is full in the middle of it, giving the room up makes
 * it possible to write the few small files (locks, the record, refs) that taking everything back needs.
 */
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const BYTES = 131_072;

export function holdReserve(staging: string): void {
  writeFileSync(pathOf(staging), Buffer.alloc(BYTES), { mode: 0o600 });
}

export function giveUpReserve(staging: string): void {
  rmSync(pathOf(staging), { force: true });
}

function pathOf(staging: string): string {
  return join(staging, "reserve");
}
