/** The first of many lines, and how many more there are. That never takes the place of a single line. */
export function firstLines(
  lines: readonly string[],
  most: number,
  { indent = "  ", hint = "" } = {},
): string[] {
  if (lines.length <= most + 1) return [...lines];
  return [...lines.slice(0, most), `${indent}… and ${lines.length - most} more${hint}`];
}
