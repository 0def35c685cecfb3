/** What is in an archive, as people read it: for `export` and `import`. */
import type { ArchiveFacts } from "../../ports/archives.ts";
import { counted, exactTime } from "./units.ts";

export function contentLines(facts: ArchiveFacts): string[] {
  const times = facts.checkpoints.map(({ createdAt }) => createdAt).toSorted();
  const [first, last] = [times[0], times.at(-1)];
  const dates =
    first === undefined || last === undefined
      ? ""
      : first === last
        ? `, of ${exactTime(first)}`
        : `, from ${exactTime(first)} to ${exactTime(last)}`;
  return [
    `  contents  ${counted(facts.checkpoints.length, "checkpoint")}, ${counted(facts.sessionIds.length, "session")}${dates}`,
    ...(facts.basis.length === 0
      ? []
      : [
          `  builds on ${facts.basis.map((oid) => oid.slice(0, 12)).join(", ")}: the receiver needs them`,
        ]),
  ];
}
