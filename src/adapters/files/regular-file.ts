/** Reads and appends to regular files only, without waiting: opening a pipe that nobody else has open would stop the process for ever. */
import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";
import { Failure } from "../../domain/failure.ts";
import { writeAll } from "./durable-write.ts";

const TO_READ = constants.O_RDONLY | constants.O_NONBLOCK;
const TO_APPEND =
  constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NONBLOCK;

export function readRegular(path: string, encoding: "utf8" | "latin1"): string {
  return withRegular(path, openSync(path, TO_READ), (fd) => readFileSync(fd, encoding));
}

/** In one write. The file is made where there is none, with this mode. */
export function appendRegular(path: string, text: string, mode: number): void {
  withRegular(path, openSync(path, TO_APPEND, mode), (fd) => writeAll(fd, Buffer.from(text)));
}

function withRegular<Value>(path: string, fd: number, use: (fd: number) => Value): Value {
  try {
    if (!fstatSync(fd).isFile()) throw notAFile(path);
    return use(fd);
  } finally {
    closeSync(fd);
  }
}

export function notAFile(path: string): Failure {
  return new Failure("obstructed", `${path} is not a file`, {
    hint: "Move away what is in its place, then run the command again. Nothing was changed.",
    details: { path },
  });
}
