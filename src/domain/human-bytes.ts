/** Sizes as people read them. */
const UNITS = ["B", "KB", "MB", "GB", "TB"];

/** `1.5 MB` */
export function humanBytes(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 1000 && unit < UNITS.length - 1) {
    value /= 1000;
    unit++;
  }
  const digits = unit === 0 || value >= 100 ? 0 : 1;
  return `${value.toFixed(digits)} ${UNITS[unit] ?? ""}`;
}

const MIB = 1024 * 1024;

/** `16 MiB`, the unit of settings such as `capture.max_file_mb`. Rounded up: what is over a limit must look like it. */
export function mebibytes(bytes: number): string {
  return `${Math.ceil((bytes / MIB) * 10) / 10} MiB`;
}
