/** Ids of journal entries. */
import type { Project } from "./project.ts";

export function rollbackId(project: Project): string {
  const [date = "", time = ""] = project.clock
    .now()
    .toISOString()
    .replaceAll(/[-:]/g, "")
    .split("T");
  return `rb-${date}-${time.slice(0, 6)}-${project.clock.fourDigits()}`;
}
