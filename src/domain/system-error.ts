/** Gives errors of the operating system a name that people can act on. */
import { Failure } from "./failure.ts";

const NAMES: Readonly<Record<string, { code: "disk_full" | "no_permission"; hint: string }>> = {
  ENOSPC: { code: "disk_full", hint: "Free some disk space and run the command again." },
  EDQUOT: { code: "disk_full", hint: "Free some disk space and run the command again." },
  EACCES: { code: "no_permission", hint: "Make the path accessible for your user and try again." },
  EPERM: { code: "no_permission", hint: "Make the path accessible for your user and try again." },
  EROFS: { code: "no_permission", hint: "The file system is read-only; make it writable first." },
};

/** Failures and bugs are passed on as they are. */
export function asFailure(error: unknown, doing?: string): unknown {
  if (error instanceof Failure || !(error instanceof Error)) return error;
  const { code, syscall } = error as { code?: unknown; syscall?: unknown };
  if (typeof code !== "string" || typeof syscall !== "string") return error;
  const message = doing === undefined ? error.message : `${doing}: ${error.message}`;
  const known = NAMES[code];
  return new Failure(known?.code ?? "io_failed", message, {
    ...(known === undefined ? {} : { hint: known.hint }),
    cause: error,
  });
}
