/** Tells file system errors apart. */
import { Failure } from "../../domain/failure.ts";

export function errorCode(error: unknown): string | undefined {
  return error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
}

export function isMissing(error: unknown): boolean {
  const code = errorCode(error);
  return code === "ENOENT" || code === "ENOTDIR";
}

export function isDenied(error: unknown): boolean {
  const code = errorCode(error);
  return code === "EACCES" || code === "EPERM";
}

/** Runs a step that changes files and gives its errors a name that people can act on. */
export function translateErrors(error: unknown, doing: string): unknown {
  if (error instanceof Failure) return error;
  const code = errorCode(error);
  if (code === undefined) return error;
  const message = `${doing}: ${(error as Error).message}`;
  switch (code) {
    case "ENOSPC":
    case "EDQUOT":
      return new Failure("disk_full", message, {
        hint: "Free some disk space and run the command again.",
        cause: error,
      });
    case "EACCES":
    case "EPERM":
    case "EROFS":
      return new Failure("no_permission", message, {
        hint: "Make the path writable for your user and run the command again.",
        cause: error,
      });
    default:
      return new Failure("io_failed", message, { cause: error });
  }
}
