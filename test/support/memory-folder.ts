/** Where small repositories that live for a moment are made: in memory where the machine has a place for that. */
import { accessSync, constants } from "node:fs";
import { tmpdir } from "node:os";

export function memoryFolder(): string {
  try {
    accessSync("/dev/shm", constants.W_OK);
    return "/dev/shm";
  } catch {
    return tmpdir();
  }
}
