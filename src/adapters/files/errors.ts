/** Tells file system errors apart. */
export function errorCode(error: unknown): string | undefined {
  return error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
}

export function isMissing(error: unknown): boolean {
  const code = errorCode(error);
  // ELOOP: a folder on the way is a link to itself.
  return code === "ENOENT" || code === "ENOTDIR" || code === "ELOOP";
}

/** It may be there, and cannot be looked at. */
export function isDenied(error: unknown): boolean {
  const code = errorCode(error);
  // ENAMETOOLONG: the path is longer than the system takes; made from folder to folder, it exists all the same.
  return code === "EACCES" || code === "EPERM" || code === "ENAMETOOLONG";
}
