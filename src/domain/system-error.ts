/** Gives errors of the operating system a name that people can act on. */
import { shortened } from "./byte-path.ts";
import { Failure, type FailureCode } from "./failure.ts";

interface KnownError {
  readonly code: FailureCode;
  readonly what: string;
  readonly hint: string;
}

const NO_SPACE: KnownError = {
  code: "disk_full",
  what: "no space is left on the disk",
  hint: "Free some disk space there and run the command again.",
};
const DENIED: KnownError = {
  code: "no_permission",
  what: "permission denied",
  hint: "Make the path accessible for your user and try again.",
};

const KNOWN: Readonly<Record<string, KnownError>> = {
  ENOSPC: NO_SPACE,
  EDQUOT: { ...NO_SPACE, what: "the disk quota is used up" },
  EACCES: DENIED,
  EPERM: DENIED,
  EROFS: {
    ...DENIED,
    what: "the file system is read-only",
    hint: "Mount it writable first, then try again.",
  },
  ENAMETOOLONG: {
    code: "io_failed",
    what: "the path is longer than the system allows",
    hint: "Move the project to a folder with a shorter path, or move this path out of the project.",
  },
  EMFILE: {
    code: "io_failed",
    what: "too many files are open",
    hint: "Raise the limit (`ulimit -n`) or close other programs, then try again.",
  },
};

/** Failures and bugs are passed on as they are. */
export function asFailure(error: unknown, doing?: string): unknown {
  if (error instanceof Failure || !(error instanceof Error)) return error;
  const { code, syscall, path, dest } = error as {
    [name in "code" | "syscall" | "path" | "dest"]?: unknown;
  };
  if (typeof code !== "string" || typeof syscall !== "string") return error;
  const known = KNOWN[code];
  const places = [path, dest].flatMap((place) =>
    typeof place === "string" || place instanceof Uint8Array ? [String(place)] : [],
  );
  const what =
    known === undefined
      ? error.message
      : `${known.what} (${[syscall, places.map(shortened).join(" to ")].join(" ").trim()})`;
  return new Failure(known?.code ?? "io_failed", doing === undefined ? what : `${doing}: ${what}`, {
    hint:
      known?.hint ??
      "Check the disk and the path, then run the command again; `waymark doctor` looks for other problems.",
    details: { error: code, operation: syscall, paths: places },
    cause: error,
  });
}

const READING: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file",
  ENOTDIR: "there is no such file",
  EISDIR: "it is a folder",
  ELOOP: "it is a broken link",
};

/** Why a file that somebody named cannot be read, in words. */
export function readProblem(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code } = error as { readonly code?: unknown };
  if (typeof code !== "string") return error.message;
  return READING[code] ?? KNOWN[code]?.what ?? error.message;
}
